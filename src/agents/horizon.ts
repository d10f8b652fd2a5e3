import { fixedHorizon, type HorizonSchedule, scalingInter } from '../algorithms/horizon.ts';
import type { Config } from '../config/schema.ts';

/** Most turns of a training episode, by the iteration. */
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

/** Most turns that an episode may take once the schedule has come to its end. */
export function longestHorizon({ schedule, turns, rounds }: Config['horizon']): number {
  return schedule === 'fixed' ? turns : Math.max(...rounds);
}
