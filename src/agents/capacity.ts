import type { Config } from '../config/schema.ts';
import { attentionWidths } from '../policy/layout.ts';
import type { PolicyCapacity, PolicyShape } from '../policy/types.ts';
import { longestHorizon } from './horizon.ts';

/** The smallest storage buffer limit that WebGPU guarantees. */
const STORAGE_BUFFER_BYTES = 2 ** 27;

/**
 * Size limit of the caches of a pretrained model, which has one tensor for each of its many layers.
 */
const PRETRAINED_CACHE_BYTES = 2 ** 30;

/** Maximum number of loss rows per micro-batch. Contexts are shared, so there may be many rows. */
const LOSS_ROWS = 8192;

/** Maximum number of loss rows per update; their tables then take about 60 MiB. */
const UPDATE_ROWS = 2 ** 20;

/**
 * The capacity of the policy's buffers. Episodes without a cache slot wait for a free one, so the
 * number of slots is the number of episodes or the number that fits the guaranteed storage buffer,
 * whichever is smaller.
 * @param turnLimit the environment's turn limit
 */
export function policyCapacity(
  config: Config,
  shape: PolicyShape,
  turnLimit: number,
): PolicyCapacity {
  const { agent, algorithm } = config;
  const context = agent.context_length;
  const slotBytes = 2 * 4 * shape.layers * context * attentionWidths(shape).keys;
  const most = shape.adapter ? PRETRAINED_CACHE_BYTES : STORAGE_BUFFER_BYTES;
  const atOnce = episodesAtOnce(config);
  const episodes = Math.min(atOnce, Math.max(1, Math.floor(most / slotBytes)));
  const tokens = algorithm.micro_batch_tokens;
  const rows = Math.min(tokens, Math.max(episodes, context));
  const updateRows = Math.min(UPDATE_ROWS, mostUpdateRows(config, turnLimit));
  return { tokens, rows, lossRows: LOSS_ROWS, updateRows, episodes, context };
}

/** Maximum number of answers of a round that are generated at once. */
const MOST_SELF_IMPROVEMENT = 256;

/** Number of episodes that an iteration plays in parallel, memory permitting. */
export function episodesAtOnce({
  recipe,
  rollout,
  evolution,
  critique,
  self_improvement: { questions, answers },
  preference,
}: Config): number {
  if (recipe === 'self_improvement') {
    // Without questions, only evaluations are played.
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

/** An upper bound on the tokens that the agent wrote in the episodes of one update. */
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
