import type { Config } from '../config/schema.ts';
import type { PolicyCapacity, PolicyShape } from '../policy/types.ts';
import { longestHorizon } from './horizon.ts';

/** The smallest size that every WebGPU device allows a storage buffer to have. */
const STORAGE_BUFFER_BYTES = 2 ** 27;

/** Loss rows that a micro-batch has room for: contexts are shared, so there may be many. */
const LOSS_ROWS = 8192;

/** Most loss rows of an update: their tables then take some 60 MiB. */
const UPDATE_ROWS = 2 ** 20;

/**
 * What the policy's buffers must hold. Episodes beyond the cache's slots wait for a free one, so the
 * slots are as many as the episodes, or as fit the storage buffer that every device has.
 *
 * @param turnLimit the environment's own limit on turns
 */
export function policyCapacity(
  config: Config,
  shape: PolicyShape,
  turnLimit: number,
): PolicyCapacity {
  const { agent, algorithm } = config;
  const context = agent.context_length;
  const keyValueWidth = (shape.width / shape.heads) * shape.kvHeads;
  const slotBytes = 2 * 4 * shape.layers * context * keyValueWidth;
  const atOnce = episodesAtOnce(config);
  const episodes = Math.min(atOnce, Math.max(1, Math.floor(STORAGE_BUFFER_BYTES / slotBytes)));
  const tokens = algorithm.micro_batch_tokens;
  const rows = Math.min(tokens, Math.max(episodes, context));
  const updateRows = Math.min(UPDATE_ROWS, mostUpdateRows(config, turnLimit));
  return { tokens, rows, lossRows: LOSS_ROWS, updateRows, episodes, context };
}

/** Answers of a round that are written at once. */
const MOST_SELF_IMPROVEMENT = 256;

/** Episodes that an iteration plays side by side, if there is room for so many. */
export function episodesAtOnce({
  recipe,
  rollout,
  evolution,
  critique,
  self_improvement: { questions, answers },
  preference,
}: Config): number {
  if (recipe === 'self_improvement') {
    // Without a question evaluations are all that is played.
    return Math.min(MOST_SELF_IMPROVEMENT, questions * answers || MOST_SELF_IMPROVEMENT);
  }
  if (recipe === 'critique') {
    return rollout.tasks_per_iteration * critique.answers * rollout.group_size;
  }
  if (recipe === 'evolution') {
    const { tasks, iterations, samples } = evolution;
    return Math.max(1, Math.ceil(tasks / iterations) * samples);
  }
  return Math.max(
    rollout.tasks_per_iteration * rollout.group_size,
    preference.epochs > 0 ? preference.batch_pairs : 0,
  );
}

/** An upper bound of the tokens that the agent wrote in the episodes of one update. */
function mostUpdateRows(config: Config, turnLimit: number): number {
  const { recipe, rollout, horizon, replay, algorithm, agent, imitation, preference } = config;
  const turns = Math.min(longestHorizon(horizon), turnLimit);
  if (recipe === 'evolution') {
    const shown = imitation.batch_episodes * turnLimit;
    const paired = config.evolution.learn === 'pairs' ? 2 * preference.batch_pairs * turns : 0;
    return Math.max(shown, paired) * agent.max_action_tokens;
  }
  if (recipe === 'self_improvement') return imitation.batch_episodes * agent.max_action_tokens;
  if (recipe === 'critique') {
    const criticised = Math.ceil(episodesAtOnce(config) / algorithm.mini_batches);
    return Math.max(criticised, imitation.batch_episodes) * agent.max_action_tokens;
  }
  // A partial rollout plays at least this many turns of an episode in one iteration, so that groups
  // of as many iterations as an episode may take can come to their end together.
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
