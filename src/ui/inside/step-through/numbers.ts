/** Combines token numbers by turn and formats them for small cells. */

/**
 * (turns) sum or mean over the tokens of each turn; 0 for a turn without tokens.
 *
 * @param tokens (T) with their turn, from 0
 * @param values (T)
 * @param as their sum, or their mean
 */
export function byTurn(
  tokens: readonly { readonly turn: number }[],
  values: readonly number[],
  turns: number,
  as: 'sum' | 'mean' = 'sum',
): readonly number[] {
  const sums = Array.from({ length: turns }, () => 0);
  const counts = Array.from({ length: turns }, () => 0);
  for (const [place, { turn }] of tokens.entries()) {
    sums[turn] = (sums[turn] ?? 0) + (values[place] ?? 0);
    counts[turn] = (counts[turn] ?? 0) + 1;
  }
  return as === 'sum' ? sums : sums.map((sum, turn) => sum / Math.max(1, counts[turn] ?? 0));
}

/** (turns) Gₜ = rₜ + γ·Gₜ₊₁, from the last turn back. */
export function rewardsToCome(rewards: readonly number[], gamma: number): readonly number[] {
  let after = 0;
  return rewards
    .toReversed()
    .map((reward) => {
      after = reward + gamma * after;
      return after;
    })
    .reverse();
}

/** A number without its sign in at most four characters; '0' if it rounds to 0. */
const fewDigits = (size: number, least: number) =>
  size < least ? '0' : size < 10 ? size.toFixed(least < 0.01 && size < 1 ? 2 : 1) : size.toFixed(0);

export function inFew(value: number): string {
  const text = fewDigits(Math.abs(value), 0.005);
  return value < 0 && text !== '0' ? `−${text}` : text;
}

/** With a sign and one decimal. */
export function signedInFew(value: number): string {
  const text = fewDigits(Math.abs(value), 0.05);
  return text === '0' ? text : `${value < 0 ? '−' : '+'}${text}`;
}

/** An exponent in superscript digits. */
export const raised = (exponent: number): string =>
  String(exponent).replaceAll(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? '');

/** A probability in percent, to three digits: small changes stay visible. */
export const share = (p: number): string =>
  p > 0 && p < 1e-6 ? '<0.0001%' : `${Number((100 * p).toPrecision(3))}%`;
