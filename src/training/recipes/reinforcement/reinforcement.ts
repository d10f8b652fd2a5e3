import { horizonSchedule } from '../../../agents/horizon.ts';
import { AGENT } from '../../../runs/checkpoint.ts';
import { taskPiles } from '../../environments.ts';
import { estimateAdvantages, scoreGroups } from '../../learn/estimate.ts';
import { IterationTrace } from '../../look/trace.ts';
import { MixedDeck } from '../../play/deck.ts';
import { faultyConfig, withFaults } from '../../play/faults.ts';
import { GroupPlayer, learnable } from '../../play/groups.ts';
import { ReplayBuffer } from '../../play/replay.ts';
import type { MakeRecipe } from '../../recipe.ts';
import { coldStart, warmStart } from '../warm-start.ts';
import { remoteMetrics, rolloutMetrics } from './metrics.ts';
import { packReinforcement, unpackReinforcement } from './state.ts';

/**
 * Multi-turn reinforcement learning. One iteration, from left to right:
 *
 *     task ─► environment ⇄ agent ─► trajectory ─► advantage ─► objective ─► update
 */
export const reinforcement: MakeRecipe = async (run) => {
  const { config, environment, streams } = run;
  const student = await run.enrol();
  const { agent } = student;
  const { policy } = agent;
  const { remote } = environment;
  const deck = new MixedDeck(taskPiles(environment, 'rollout'), streams.tasks);
  const player = new GroupPlayer(config, agent, environment, deck);
  const buffer = new ReplayBuffer(config.replay, streams.replay);
  const mostTurns = horizonSchedule(config.horizon);

  return {
    students: new Map([[AGENT, student]]),

    async iterate(iteration) {
      const { number, phase, watch } = iteration;
      const horizon = Math.min(mostTurns(number), environment.turnLimit);
      const before = number === 1 ? await warmStart(run, student, horizon, iteration) : coldStart;

      // Groups of episodes on the same task. The agent acts until the task ends or the horizon cuts
      // the episode.
      const fair = await phase('rollout', (onProgress) => player.play(number, horizon, onProgress));
      const played = {
        ...fair,
        groups: withFaults(config.faults, number, fair.groups, streams.faults),
      };

      // Per-token data: rewards and, if needed, value estimates and a KL penalty.
      const groups = learnable(config, played.groups);
      const scored = await phase('score', () => scoreGroups(config, agent, groups));

      // The advantage of each token.
      const fresh = await phase('advantages', () => estimateAdvantages(config, scored));

      // Epochs of mini-batches over these episodes and replayed ones.
      const replayed = buffer.replay(fresh.groups, policy.version);
      const episodes = [...fresh.groups, ...replayed].flat();
      const learned = await phase('update', (onProgress) =>
        student.learner.learn(
          faultyConfig(config, number),
          number,
          horizon,
          episodes,
          onProgress,
          watch,
        ),
      );

      const trajectories = played.groups.flatMap((group) => group.trajectories);
      return {
        metrics: {
          ...before.metrics,
          ...rolloutMetrics(config, played, fresh.groups, replayed),
          ...(remote === undefined ? {} : remoteMetrics(remote.takeReport())),
          ...fresh.metrics,
          ...learned.metrics,
        },
        details: learned.details,
        trajectories,
        turns: before.turns + played.turns,
        tokens: before.tokens + played.tokens,
        trace: new IterationTrace(config, scored, learned.traces),
      };
    },

    state: () => packReinforcement({ ...player.unfinished, replay: buffer.iterations }),

    restore(kept) {
      const state = unpackReinforcement(kept, config, environment, agent);
      player.restore(state);
      buffer.restore(state.replay);
    },
  };
};
