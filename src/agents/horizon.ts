import { fixedHorizon, type HorizonSchedule, scalingInter } from '../algorithms/horizon.ts';
import type { Config } from '../config/schema.ts';

/** Maximum number of turns of a training episode, by iteration. */
export function horizonSchedule(horizon: Config['horizon']): HorizonSchedule {
  switch (horizon.schedule) {
    case 'fixed':
      return fixedHorizon(horizon.turns);
    case 'scaling_inter':
      return scalingInter(horizon.rounds, horizon.interval);
    default:
      return horizon.schedule satisfies never;
  }
}

/** Maximum number of turns of an episode at the end of the schedule. */
export function longestHorizon({ schedule, turns, rounds }: Config['horizon']): number {
  return schedule === 'fixed' ? turns : Math.max(...rounds);
}
