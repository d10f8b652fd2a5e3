import { longestHorizon } from '../agents/horizon.ts';
import { configAt, withChanges } from '../config/changes.ts';
import { completeConfig, pauses } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import type { Config } from '../config/schema.ts';
import { encodeCheckpoint } from '../runs/checkpoint.ts';
import type { KeptEpisodesState } from '../runs/record.ts';
import { conversationRecords } from '../training/look/conversations.ts';
import { PhaseTeller } from '../training/look/phases.ts';
import type { Trainer } from '../training/trainer.ts';
import { RunEpisodes } from './episodes.ts';
import { WeightsHistory } from './kept-weights.ts';
import type { Machine } from './protocol.ts';
import { answersOf } from './questions.ts';
import type { SessionRun } from './session/types.ts';

/**
 * Adapts a trainer to the session's interface.
 *
 * @param checkFits throws if a config does not fit on the device
 */
export function sessionRun(
  trainer: Trainer,
  machine: Machine,
  onDestroy: () => void,
  checkFits: (config: Config) => Promise<void>,
  earlier: KeptEpisodesState | null = null,
): SessionRun {
  const { config } = trainer;
  const { tokenizer } = trainer.agent;
  const textOf = (token: number) => tokenizer.label(token);
  const episodes = new RunEpisodes(config, textOf, earlier);
  const weights = new WeightsHistory();
  const answers = answersOf({ trainer, episodes, weights });
  return {
    machine,
    episodes: {
      answers: answers.record,
      get state() {
        return episodes.state;
      },
    },
    answers: answers.agent,
    checkpoint: async () => encodeCheckpoint(await trainer.checkpoint()),
    get iteration() {
      return trainer.iteration;
    },
    get finished() {
      return trainer.finished;
    },
    async iterate(onProgress, onPhase) {
      if (trainer.iteration === 0) await weights.offer(trainer.agent.policy, 0);
      const next = trainer.iteration + 1;
      const teller = new PhaseTeller(configAt(trainer.config, next), textOf, next);
      const { iteration, metrics, details, trajectories, trace, conversations, evaluation } =
        await trainer.iterate(
          onProgress,
          onPhase === null
            ? null
            : async (result) => {
                const facts = teller.tell(result);
                if (facts !== null) await onPhase(facts);
              },
        );
      await weights.offer(trainer.agent.policy, iteration);
      episodes.addTraining(iteration, trajectories, trace);
      episodes.addConversations(iteration, conversationRecords(conversations));
      const result = {
        iteration,
        metrics,
        details,
        episodes: pickEpisodes(trajectories, 7 * (iteration - 1)).map((shown) =>
          episodes.record(shown),
        ),
      };
      if (evaluation === undefined) return result;
      episodes.setEvaluation(iteration, evaluation.trajectories);
      // Show another task after each evaluation.
      const { length } = evaluation.trajectories;
      const shown = evaluation.trajectories[(iteration * 7) % length];
      return {
        ...result,
        evaluation: {
          metrics: evaluation.metrics,
          ...(evaluation.environments === undefined
            ? {}
            : { environments: evaluation.environments }),
          episodes: shown === undefined ? [] : [episodes.record(shown)],
        },
      };
    },
    async change(values) {
      const next = trainer.iteration + 1;
      const changed = completeConfig(withChanges(trainer.config, next, values));
      const settings = configAt(changed, next);
      if (trainer.iteration > 0) checkStored(configAt(trainer.config, trainer.iteration), settings);
      await checkFits(settings);
      trainer.change(values);
      return trainer.config;
    },
    destroy() {
      onDestroy();
      trainer.destroy();
    },
  };
}

/**
 * Checks that a change during a run fits the stored episodes. Replayed episodes have reference probabilities
 * only if there was a KL penalty when they were fresh, and buffers hold an update of episodes of the
 * longest horizon.
 *
 * @throws {ConfigError}
 */
export function checkStored(before: Config, after: Config): void {
  const { replay, algorithm } = after;
  if (replay.share > 0 && algorithm.kl_coef > 0 !== before.algorithm.kl_coef > 0) {
    throw new ConfigError(
      'algorithm.kl_coef',
      'cannot be turned on or off in a run with replay; start a new run',
    );
  }
  const longest = longestHorizon(before.horizon);
  if ((replay.share > 0 || pauses(after)) && longestHorizon(after.horizon) < longest) {
    throw new ConfigError(
      'horizon.turns',
      `cannot fall below ${longest} in a run with replay or partial rollouts; start a new run`,
    );
  }
}

/**
 * One episode, and the next one with the opposite outcome, if there is any.
 *
 * @param from index to start at, modulo the number of episodes, so that successive iterations show
 *   different tasks
 */
export function pickEpisodes<Episode extends { readonly success: boolean }>(
  episodes: readonly Episode[],
  from = 0,
): readonly Episode[] {
  const start = from % Math.max(1, episodes.length);
  const rotated = [...episodes.slice(start), ...episodes.slice(0, start)];
  const first = rotated[0];
  if (first === undefined) return [];
  const other = rotated.find(({ success }) => success !== first.success);
  return other === undefined ? [first] : [first, other];
}
