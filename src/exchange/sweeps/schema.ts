/** Schemas of the files in a sweep folder, described in docs/SWEEPS.md. */
import { z } from 'zod';
import type { KeptRows } from '../../experiments/run.ts';
import { list } from '../../files/schema.ts';
import { sweepLimits } from '../../files/sweep-limits.ts';
import { isMetricKey, type MetricKey, type MetricRow } from '../../runs/metrics.ts';
import type { Goal } from '../../sweep/file.ts';
import { outcomes, type Trial } from '../../sweep/plan.ts';
import { samplers } from '../../sweep/samplers.ts';
import type { Value } from '../../sweep/space.ts';

const goals = ['maximize', 'minimize'] as const satisfies readonly Goal[];

const name = z.string().max(1000);
const path = z
  .string()
  .max(200)
  .regex(/^\w+([.]\w+)*$/, 'must be the name of a setting');
const count = z.int().min(0);
const measured = z.number().nullable();
const metricKey = z.custom<MetricKey>(
  (value) => typeof value === 'string' && isMetricKey(value),
  'must be a metric of this version of Palestra',
);
// JSON limits bound the values.
const value = z.custom<Value>((one) => one !== undefined, 'is missing');
const values = z.record(path, value);

const choice = z.object({
  kind: z.literal('choice'),
  values: list(value, { min: 1, max: sweepLimits.values }),
  probabilities: list(z.number(), { min: 1, max: sweepLimits.values }),
});
const span = z.object({
  kind: z.literal('span'),
  scale: z.enum(['linear', 'log']),
  low: z.number(),
  high: z.number(),
  normal: z.object({ mu: z.number(), sigma: z.number() }).nullable(),
  quantum: z.number().positive().nullable(),
  whole: z.boolean(),
});

/** `sweep.json`. */
export const sweepSchema = z.object({
  palestra_sweep: z.literal(1),
  sweep: z.object({
    name,
    description: z.string().max(10_000),
    sampler: z.enum(samplers),
    metric: z.object({ key: metricKey, goal: z.enum(goals) }),
    halving: z
      .object({ rungs: list(count, { max: sweepLimits.rungs }), eta: z.number() })
      .nullable(),
    trials: count,
    seeds: list(count, { min: 1, max: sweepLimits.values }),
    parameters: list(z.object({ path, dimension: z.union([choice, span]) }), {
      min: 1,
      max: sweepLimits.parameters,
    }),
  }),
});

/** `trials/N.json`. */
export const trialSchema: z.ZodType<Trial> = z.object({ number: z.int().min(1), values });

const metricRow = z.custom<MetricRow>(
  (row) =>
    typeof row === 'object' &&
    row !== null &&
    Object.entries(row).every(([key, one]) => isMetricKey(key) && typeof one === 'number'),
  'must map metric names to numbers',
);
const rows = z.custom<KeptRows>(areRows, 'must be a table of metrics');

/** `runs/RUN.json`. The config is not checked here but when it is used for training. */
export const recordSchema = z.object({
  palestra_sweep_run: z.literal(1),
  run: z.string().max(200),
  trial: z.int().min(1),
  seed: count,
  values,
  outcome: z.enum(outcomes),
  reason: z.string().max(100_000),
  value: measured,
  rungs: list(measured, { max: sweepLimits.rungs }),
  config: z.unknown(),
  device: z.string().max(1000).nullable(),
  summary: z.object({ iterations: count, turns: count }),
  evaluation: metricRow.nullable(),
  rows: rows.exactOptional(),
});
export type ReadRecord = z.infer<typeof recordSchema>;

function areRows(table: unknown): boolean {
  const { columns, values: lines, window } = (table ?? {}) as Partial<KeptRows>;
  if (!Array.isArray(columns) || !Array.isArray(lines) || !Number.isInteger(window)) return false;
  const isNumber = (cell: unknown) => cell === null || typeof cell === 'number';
  return (
    lines.length <= sweepLimits.rows &&
    columns.every((key) => typeof key === 'string' && isMetricKey(key)) &&
    lines.every(
      (line) => Array.isArray(line) && line.length === columns.length && line.every(isNumber),
    )
  );
}
