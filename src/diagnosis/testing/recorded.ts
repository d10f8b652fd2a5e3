/** Rows of provoked runs in compact form: what the rules read, with four digits. */

import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { measuredRows } from '../../experiments/run.ts';
import { isMetricKey, type MetricKey } from '../../runs/metrics.ts';
import { modes } from '../modes/all.ts';

/** The metrics that modes read or show, and a few more. */
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
  /** The command that made the rows. */
  command: z.string(),
  /** Settings of that run that differ from the defaults. */
  settings: z.record(z.string(), z.unknown()),
  columns: z.array(z.string().refine(isMetricKey)),
  /** Null if a row has no such number. */
  values: z.array(z.array(z.number().nullable())),
});

export type Recorded = z.infer<typeof schema>;

export const recordings = new URL('runs/', import.meta.url);

/** `NAME.SEED` of all recorded runs. */
export function recordedNames(): readonly string[] {
  return readdirSync(recordings)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
}

export function readRecorded(name: string): Recorded {
  return schema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, recordings), 'utf8')));
}

/** A run recorded to test the texts about it, with the settings of its command. */
export const readStory = (name: string): Recorded =>
  schema.parse(JSON.parse(readFileSync(new URL(`stories/${name}.json`, import.meta.url), 'utf8')));

/** Rows in the form that rules read. */
export const rowsOf = measuredRows;
