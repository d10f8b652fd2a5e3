import { PATTERNS } from './feedback.ts';

/** How a guess splits a set of words into classes with equal feedback. */
interface Split {
  readonly guess: number;
  readonly classes: number;
  /** Words in the largest class. */
  readonly largest: number;
}

/**
 * The expert's choice of a guess. Among the remaining words, it guesses the one with the most classes. If
 * that could run out of turns, it considers all words: a guess that cannot be correct can distinguish words
 * that differ in one letter (`batch`, `catch`, `hatch`, `latch`).
 * @param count number of words in the list
 * @param feedbackOf (count) the pattern that a guess gets for each hidden word
 * @returns a function of the remaining words (at least one) and the remaining turns
 */
export function createExpert(
  count: number,
  feedbackOf: (guess: number) => Uint8Array,
): (left: readonly number[], turns: number) => number {
  const everyWord = Array.from({ length: count }, (_, word) => word);
  const sizes = new Uint16Array(PATTERNS);

  const split = (guess: number, left: readonly number[]): Split => {
    const row = feedbackOf(guess);
    let classes = 0;
    let largest = 0;
    sizes.fill(0);
    for (const word of left) {
      const pattern = row[word] ?? 0;
      const size = (sizes[pattern] ?? 0) + 1;
      sizes[pattern] = size;
      if (size === 1) classes++;
      if (size > largest) largest = size;
    }
    return { guess, classes, largest };
  };

  const bestOf = (pool: readonly number[], left: readonly number[]): Split => {
    let best: Split = { guess: left[0] ?? 0, classes: 0, largest: 0 };
    for (const guess of pool) {
      const found = split(guess, left);
      const better =
        found.classes > best.classes ||
        (found.classes === best.classes && found.largest < best.largest);
      if (better) best = found;
      if (found.classes === left.length) break;
    }
    return best;
  };

  /** Whether the expert finds each of the remaining words in time. */
  const wins = (left: readonly number[], turns: number): boolean => {
    // Enough turns to try them one by one.
    if (left.length <= turns) return true;
    if (turns <= 1) return false;
    return (
      winsWith(bestOf(left, left), left, turns) || winsWith(bestOf(everyWord, left), left, turns)
    );
  };

  const winsWith = ({ guess, largest }: Split, left: readonly number[], turns: number): boolean => {
    if (largest === left.length) return false;
    const row = feedbackOf(guess);
    const classes = new Map<number, number[]>();
    for (const word of left) {
      if (word === guess) continue;
      const pattern = row[word] ?? 0;
      const members = classes.get(pattern);
      if (members === undefined) classes.set(pattern, [word]);
      else members.push(word);
    }
    for (const members of classes.values()) {
      if (!wins(members, turns - 1)) return false;
    }
    return true;
  };

  return (left, turns) => {
    const likely = bestOf(left, left);
    if (left.length <= turns || turns <= 1 || winsWith(likely, left, turns)) return likely.guess;
    const sharp = bestOf(everyWord, left);
    // If no guess is certain to win, more classes mean more words found.
    if (winsWith(sharp, left, turns) || sharp.classes > likely.classes) return sharp.guess;
    return likely.guess;
  };
}
