import { fixedHorizon, scalingInter } from '../../../algorithms/horizon.ts';
import type { Config } from '../../../config/schema.ts';

/** The turn limit of each iteration. */
export function horizonOf({ horizon }: Config): (iteration: number) => number {
  return horizon.schedule === 'fixed'
    ? fixedHorizon(horizon.turns)
    : scalingInter(horizon.rounds, horizon.interval);
}
