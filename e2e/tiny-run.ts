import type { LabSnapshot, LabState } from '../src/ui/app/test-api.ts';
import { small } from './lab-page.ts';

/** The smallest possible run, so that it can be killed many times. */
export const tiny = {
  ...small,
  'rollout.tasks_per_iteration': 2,
  'rollout.group_size': 2,
  'horizon.turns': 3,
  'evaluation.interval': 3,
  'evaluation.tasks': 1,
  'evaluation.horizon': 2,
  'replay.share': 0.25,
  'replay.capacity': 2,
  'rollout.partial_turns': 2,
} as const;

/** Rows without wall-clock metrics. */
export function timeless(rows: LabSnapshot['rows']): object[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([key]) => !key.startsWith('time/'))),
  );
}

/** The last saved iteration of a run. */
export const keptTo = ({ storage }: LabState) =>
  storage?.state === 'kept' ? storage.iteration : 0;
