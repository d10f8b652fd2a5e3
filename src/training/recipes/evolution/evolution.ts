import { horizonSchedule } from '../../../agents/horizon.ts';
import { AGENT } from '../../../runs/checkpoint.ts';
import { IterationTrace, nothingScored } from '../../look/trace.ts';
import type { MakeRecipe } from '../../recipe.ts';
import { imitateBase, imitatedBefore } from '../imitation/imitate-base.ts';
import { explorationTasks, explore } from './explore.ts';
import { learnRound } from './learn.ts';
import { evolutionDetails, evolutionMetrics } from './metrics.ts';
import { beginRound, begun, placeOf, remembered } from './round.ts';
import { sift } from './sift.ts';
import { unpackEvolution } from './state.ts';

/**
 * AgentEvol (arXiv:2406.04151): imitation of an expert's dialogues D_s, then rounds m = 1…M of
 *
 *     exploration (E):  τ ~ π_m(· | e, u) on a wider set of tasks, in all environments;
 *                       q(τ) ∝ r(τ)·π_m(τ)
 *     learning (M):     θ_{m+1} = argmax E_{τ ~ D_m ∪ D_s} [ r(τ)·log π_θ(τ | e, u) ]
 *
 * A round is one iteration, or several that share its exploration; the last one trains.
 */
export const evolution: MakeRecipe = async (run) => {
  const { config, environment, streams } = run;
  const student = await run.enrol();
  const { agent } = student;
  const explorer = { ...agent, temperature: config.evolution.temperature };
  const round = { config, environment, student, explorer, stream: streams.shuffle };
  const mostTurns = horizonSchedule(config.horizon);
  let state = begun;

  return {
    students: new Map([[AGENT, student]]),

    async iterate(iteration) {
      const { number, phase } = iteration;
      const place = placeOf(config, number);
      const horizon = Math.min(mostTurns(number), environment.turnLimit);

      // π¹: imitation of the expert on the base set.
      const before = number === 1 ? await imitateBase(run, student, iteration) : imitatedBefore;
      if (before.tasks !== null) state = { ...state, base: before.tasks };

      // E: the current agent attempts a wider set of tasks, some in every iteration of the round.
      if (place.begins) {
        const tasks = explorationTasks(config, environment, state.base, streams.exploration);
        state = beginRound(state, tasks);
      }
      const explored = await phase('explore', (onProgress) =>
        explore(config, number, explorer, environment, state.tasks, place, horizon, onProgress),
      );
      state = { ...state, found: [...state.found, ...explored.trajectories] };

      // Each episode's reward becomes its weight; episodes of weight 0 are dropped.
      const sifted = await phase('sift', () => sift(config, environment, state.found));

      // M: maximize the reward-weighted likelihood of the kept and the merged episodes.
      const learned = !place.ends
        ? null
        : await phase('learn', (onProgress) =>
            learnRound({ ...round, state, sifted, place }, onProgress),
          );
      if (learned !== null) state = remembered(config, state, learned.fresh);

      return {
        metrics: { ...before.metrics, ...evolutionMetrics(explored, sifted, learned) },
        details: evolutionDetails(explored, environment, before, sifted, learned),
        trajectories: explored.trajectories,
        turns: explored.turns,
        tokens: explored.tokens,
        trace: new IterationTrace(config, nothingScored, []),
      };
    },

    state: () => state,

    restore(kept) {
      state = unpackEvolution(kept, config, environment, agent);
    },
  };
};
