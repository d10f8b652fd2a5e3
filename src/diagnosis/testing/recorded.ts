/** Rows of provoked runs, kept small: what the rules read, in four digits. */

import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { measuredRows } from '../../runs/experiment-run.ts';
import { isMetricKey, type MetricKey } from '../../runs/metrics.ts';
import { modes } from '../modes/all.ts';

/** What every mode reads or shows, and what it looks at beside that. */
export const columns: readonly MetricKey[] = [
  ...new Set<MetricKey>([
    'iteration',
    'rollout/success_rate',
    'rollout/horizon',
    'rollout/group_zero_std',
    'policy/clip_fraction_low',
    'policy/clip_fraction_high',
    'policy/clip_low',
    'policy/clip_high',
    'policy/positive_share',
    'policy/learning_rate',
    'eval/success_rate',
    ...modes.flatMap(({ reads, proofs }) => [...reads, ...proofs]),
  ]),
];

const schema = z.strictObject({
  /** What made the rows. */
  command: z.string(),
  /** Settings of that run which are not the default. */
  settings: z.record(z.string(), z.unknown()),
  columns: z.array(z.string().refine(isMetricKey)),
  /** Null where a row has no such number. */
  values: z.array(z.array(z.number().nullable())),
});

export type Recorded = z.infer<typeof schema>;

export const recordings = new URL('runs/', import.meta.url);

/** `NAME.SEED` of all that are kept. */
export function recordedNames(): readonly string[] {
  return readdirSync(recordings)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}

export function readRecorded(name: string): Recorded {
  return schema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, recordings), 'utf8')));
}

/** Rows as the rules take them. */
export const rowsOf = measuredRows;
