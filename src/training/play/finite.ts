import type { Turn } from '../../agents/trajectory.ts';
import { NonFiniteError } from '../learn/updates.ts';

/** @throws {NonFiniteError} if a token's log-probability is not finite */
export function expectFiniteLogps(
  episodes: readonly { readonly turns: readonly Turn[] }[],
  where: string,
): void {
  if (episodes.every(({ turns }) => turns.every(({ logps }) => logps.every(Number.isFinite)))) {
    return;
  }
  throw new NonFiniteError('log-probabilities', where);
}
