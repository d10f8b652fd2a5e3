import type { Config } from '../../config/schema.ts';

/**
 * The learning rate of an update: it rises linearly over a warm-up of W updates, then stays
 * constant or decays to its final share f over D more. With p = min(1, (n − W) / D) at update n, as
 * a share of the full rate:
 *
 *     constant: 1        linear: 1 − (1 − f)·p        cosine: f + (1 − f)·(1 + cos πp)/2
 *
 * @param update counts from 1
 */
export function learningRate(optimizer: Config['optimizer'], update: number): number {
  const { learning_rate, warmup_updates, schedule, decay_updates, final_share } = optimizer;
  if (update <= warmup_updates) return warmUp(optimizer, update);
  const progress = Math.min(1, (update - warmup_updates) / decay_updates);
  switch (schedule) {
    case 'constant':
      return learning_rate;
    case 'linear':
      return learning_rate * (1 - (1 - final_share) * progress);
    case 'cosine':
      return (
        learning_rate * (final_share + ((1 - final_share) * (1 + Math.cos(Math.PI * progress))) / 2)
      );
    default:
      return schedule satisfies never;
  }
}

/**
 * The learning rate of an update with warm-up only, as in preference learning.
 *
 * @param update counts from 1
 */
export function warmUp(optimizer: Config['optimizer'], update: number): number {
  const { learning_rate, warmup_updates } = optimizer;
  return learning_rate * (warmup_updates === 0 ? 1 : Math.min(1, update / warmup_updates));
}
