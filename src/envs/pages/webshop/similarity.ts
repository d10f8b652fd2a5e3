/** Similarity of two phrases, regardless of word order. */

/**
 * The token-set ratio from 0 to 100, as in the original's library for fuzzy matching. It compares three
 * texts: the shared words, those plus the words of only the first phrase, and those plus the words of only
 * the second. The result is the greatest ratio of two of them. A phrase whose words are all in the other one
 * gets 100.
 */
export function tokenSetRatio(a: string, b: string): number {
  const [first, second] = [wordsOf(a), wordsOf(b)];
  if (first.size === 0 || second.size === 0) return 0;
  const both = [...first].filter((word) => second.has(word)).sort();
  const joined = (words: ReadonlySet<string>, other: ReadonlySet<string>) =>
    [...both, ...[...words].filter((word) => !other.has(word)).sort()].join(' ');
  const [shared, one, two] = [both.join(' '), joined(first, second), joined(second, first)];
  const ratios = [ratio(one, two)];
  if (shared !== '') ratios.push(ratio(shared, one), ratio(shared, two));
  return Math.round(100 * Math.max(...ratios));
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** Twice the length of the longest common subsequence over the sum of both lengths, from 0 to 1. */
function ratio(a: string, b: string): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const letter of a) {
    const next = [0];
    for (let j = 1; j <= b.length; j++) {
      const same = letter === b[j - 1] ? (row[j - 1] ?? 0) + 1 : 0;
      next.push(Math.max(same, row[j] ?? 0, next[j - 1] ?? 0));
    }
    row = next;
  }
  return (2 * (row[b.length] ?? 0)) / (a.length + b.length);
}
