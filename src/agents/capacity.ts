import type { Config } from '../config/schema.ts';
import { attentionWidths } from '../policy/layout.ts';
import type { PolicyCapacity, PolicyShape } from '../policy/types.ts';
import { recipeSizes } from './recipe-sizes.ts';

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
  const sizes = recipeSizes[config.recipe];
  const atOnce = sizes.atOnce(config);
  const episodes = Math.min(atOnce, Math.max(1, Math.floor(most / slotBytes)));
  const tokens = algorithm.micro_batch_tokens;
  const rows = Math.min(tokens, Math.max(episodes, context));
  const updateRows = Math.min(UPDATE_ROWS, sizes.updateTokens(config, turnLimit));
  return { tokens, rows, lossRows: LOSS_ROWS, updateRows, episodes, context };
}
