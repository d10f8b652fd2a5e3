import type { Config } from '../config/schema.ts';
import { longestHorizon } from './horizon.ts';

/** Sizes of a recipe's iterations, which determine the policy's buffers and the cost estimate. */
interface RecipeSizes {
  /** Number of episodes that an iteration plays in parallel, memory permitting. */
  readonly atOnce: (config: Config) => number;
  /**
   * Upper bound on the generated tokens in the episodes of one update.
   *
   * @param turnLimit the environment's turn limit
   */
  readonly updateTokens: (config: Config, turnLimit: number) => number;
  /** Number of episodes that an iteration plays; `atOnce` if absent. */
  readonly played?: (config: Config) => number;
  /** Number of episodes that an iteration trains on; `played` if absent. */
  readonly learned?: (config: Config) => number;
  /** Number of passes over these episodes. */
  readonly epochs: (config: Config) => number;
  /** Whether it always needs a reference policy. */
  readonly reference?: true;
}

/** Number of answers that self-improvement generates at once. */
const SELF_IMPROVEMENT_AT_ONCE = 256;

const answersOf = ({ self_improvement: { questions, answers } }: Config) => questions * answers;

export const recipeSizes: Readonly<Record<Config['recipe'], RecipeSizes>> = {
  reinforcement: {
    atOnce: ({ rollout, preference }) =>
      Math.max(
        rollout.tasks_per_iteration * rollout.group_size,
        preference.epochs > 0 ? preference.batch_pairs : 0,
      ),
    updateTokens: reinforcementTokens,
    epochs: ({ algorithm }) => algorithm.epochs,
  },
  evolution: {
    atOnce: ({ evolution: { tasks, iterations, samples } }) =>
      Math.max(1, Math.ceil(tasks / iterations) * samples),
    updateTokens: ({ imitation, evolution, preference, horizon, agent }, turnLimit) => {
      const turns = Math.min(longestHorizon(horizon), turnLimit);
      const shown = imitation.batch_episodes * turnLimit;
      const paired = evolution.learn === 'pairs' ? 2 * preference.batch_pairs * turns : 0;
      return Math.max(shown, paired) * agent.max_action_tokens;
    },
    // It trains on a whole round at once, together with the expert's dialogues.
    learned: ({ evolution, imitation }) =>
      evolution.tasks * evolution.samples + imitation.most_tasks,
    epochs: ({ evolution }) => evolution.epochs,
    reference: true,
  },
  critique: {
    atOnce: critiquesAtOnce,
    updateTokens: (config) => {
      const { algorithm, imitation, agent } = config;
      const criticized = Math.ceil(critiquesAtOnce(config) / algorithm.mini_batches);
      return Math.max(criticized, imitation.batch_episodes) * agent.max_action_tokens;
    },
    epochs: ({ algorithm }) => algorithm.epochs,
  },
  self_improvement: {
    // Independent of the numbers of questions and answers: arms that differ in these share a
    // supervised start, and its floating-point results depend on the buffer sizes.
    atOnce: () => SELF_IMPROVEMENT_AT_ONCE,
    updateTokens: ({ imitation, agent }) => imitation.batch_episodes * agent.max_action_tokens,
    played: answersOf,
    learned: (config) =>
      answersOf(config) + config.imitation.most_tasks + config.critique.refinements,
    epochs: ({ self_improvement }) => self_improvement.epochs,
  },
};

function critiquesAtOnce({ rollout, critique }: Config): number {
  return rollout.tasks_per_iteration * critique.answers * rollout.group_size;
}

function reinforcementTokens(
  { rollout, horizon, replay, algorithm, agent, imitation, preference }: Config,
  turnLimit: number,
): number {
  const turns = Math.min(longestHorizon(horizon), turnLimit);
  // A partial rollout plays at least this many turns of an episode per iteration, so groups from as
  // many iterations as an episode can take may be completed together.
  const partial = Math.min(
    rollout.partial_turns || turns,
    Math.ceil(rollout.partial_tokens / agent.max_action_tokens) || turns,
  );
  const fresh =
    rollout.tasks_per_iteration * rollout.group_size * Math.ceil(turns / Math.min(partial, turns));
  // The replayed share is rounded to whole groups.
  const replayed =
    replay.share === 0
      ? 0
      : Math.ceil((fresh * replay.share) / (1 - replay.share)) + rollout.group_size;
  const episodeTurns = Math.max(
    Math.ceil((fresh + replayed) / algorithm.mini_batches) * turns,
    imitation.epochs > 0 ? imitation.batch_episodes * turnLimit : 0,
    preference.epochs > 0 ? 2 * preference.batch_pairs * turns : 0,
  );
  return episodeTurns * agent.max_action_tokens;
}
