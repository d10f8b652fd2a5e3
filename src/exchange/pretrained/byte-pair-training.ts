/** Trains the merges of a byte-level BPE tokenizer (arXiv:1508.07909). */
import { splitPatterns } from '../../policy/bpe-rules.ts';

/** Characters that stand for the 256 bytes: printable bytes for themselves, others from 256 on. */
export const byteLetters: readonly string[] = (() => {
  const prints = (b: number) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  let moved = 256;
  return Array.from({ length: 256 }, (_, b) => String.fromCodePoint(prints(b) ? b : moved++));
})();

/** A pair of adjacent tokens. */
export type Merge = readonly [string, string];

/**
 * Merges the most frequent pair of adjacent tokens until there are `most` merges or no pair occurs
 * twice. Among equally frequent pairs, the first in code-point order is merged. Digits are split off
 * one by one and the rest is split as in GPT-2, so that no merge spans two words.
 */
export function trainBytePairs(texts: Iterable<string>, most: number): Merge[] {
  const words = wordsOf(texts);
  const merges: Merge[] = [];
  while (merges.length < most) {
    const best = mostFrequent(words);
    if (best === null) break;
    merges.push(best);
    for (const word of words) join(word.tokens, best);
  }
  return merges;
}

/** A distinct word and its number of occurrences. */
interface Word {
  readonly tokens: string[];
  readonly count: number;
}

function wordsOf(texts: Iterable<string>): Word[] {
  const pattern = new RegExp(splitPatterns['GPT-2'], 'gu');
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const part of text.split(/(\p{N})/u)) {
      for (const [word] of part.matchAll(pattern)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const encoder = new TextEncoder();
  return [...counts].map(([word, count]) => ({
    tokens: [...encoder.encode(word)].map((byte) => byteLetters[byte] ?? ''),
    count,
  }));
}

/** The pair to merge next; null if no pair occurs twice. */
function mostFrequent(words: readonly Word[]): Merge | null {
  const counts = new Map<string, number>();
  for (const { tokens, count } of words) {
    for (let i = 1; i < tokens.length; i++) {
      // Tokens contain no space, so the key is unambiguous.
      const pair = `${tokens[i - 1]} ${tokens[i]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best = '';
  let most = 1;
  for (const [pair, count] of counts) {
    if (count > most || (count === most && best !== '' && pair < best))
      [best, most] = [pair, count];
  }
  const [left, right] = best.split(' ');
  return left === undefined || right === undefined ? null : [left, right];
}

/** Merges every occurrence of the pair, from left to right, in place. */
function join(tokens: string[], [left, right]: Merge): void {
  for (let i = 0; i + 1 < tokens.length; i++) {
    if (tokens[i] === left && tokens[i + 1] === right) tokens.splice(i, 2, left + right);
  }
}
