/** Turn limit of an iteration; iterations count from 1. */
export type HorizonSchedule = (iteration: number) => number;

/** The same turn limit in every iteration. */
export function fixedHorizon(turns: number): HorizonSchedule {
  return () => turns;
}

/**
 * ScalingInter-RL (AgentGym-RL, arXiv:2509.08755, §4): short horizons first, longer ones in phases.
 *
 *     h(t) = rounds[ min( ⌊(t − 1) / Δ⌋ , last ) ]
 *
 * It depends on t alone, so a run that resumes at a phase boundary continues correctly.
 *
 * @param rounds turn limit of each phase, non-decreasing
 * @param interval Δ, iterations per phase; the last phase has no end
 * @throws {RangeError} if there is no phase, or a limit is lower than the previous one
 */
export function scalingInter(rounds: readonly number[], interval: number): HorizonSchedule {
  if (rounds.length === 0) throw new RangeError('a ScalingInter schedule needs at least one phase');
  for (let i = 1; i < rounds.length; i++) {
    if ((rounds[i] ?? 0) < (rounds[i - 1] ?? 0)) {
      throw new RangeError(`ScalingInter phases must never decrease, got ${rounds.join(', ')}`);
    }
  }
  return (t) => {
    const phase = Math.min(Math.floor((t - 1) / interval), rounds.length - 1);
    const turns = rounds[phase];
    if (turns === undefined) throw new RangeError(`iterations count from 1, got ${t}`);
    return turns;
  };
}
