/** Feedback: how the letters of a guess relate to the hidden word. */

export const LETTERS = 5;

/** Marks of a letter, also the digits of a pattern: grey, yellow, green. */
export const GREY = 0;
export const YELLOW = 1;
export const GREEN = 2;
export type Mark = typeof GREY | typeof YELLOW | typeof GREEN;

/** b grey, y yellow, g green. */
const MARK_TEXTS = ['b', 'y', 'g'] as const;

/** Patterns of five marks are numbers in base 3; the first letter's mark is the lowest digit. */
export const PATTERNS = 3 ** LETTERS;
export const ALL_GREEN = PATTERNS - 1;

/** The marks of a pattern, from the first letter. */
export function marksOf(pattern: number): Mark[] {
  const marks: Mark[] = [];
  for (let i = 0, rest = pattern; i < LETTERS; i++, rest = Math.floor(rest / 3)) {
    marks.push((rest % 3) as Mark);
  }
  return marks;
}

/** The text of every pattern, by number, e.g. `b y g g b`. */
export const patternTexts: readonly string[] = Array.from({ length: PATTERNS }, (_, pattern) =>
  marksOf(pattern)
    .map((mark) => MARK_TEXTS[mark])
    .join(' '),
);

/** A feedback rule: returns the pattern that a guess gets for a hidden word. */
type FeedbackRule = (guess: string, hidden: string) => number;

/**
 * Wordle's rule. Green letters count first. Then each other letter, from the left, is yellow while the hidden
 * word has an unmatched copy of it.
 */
export const realFeedback: FeedbackRule = (guess, hidden) => {
  let pattern = 0;
  let taken = 0;
  for (let i = 0, digit = 1; i < LETTERS; i++, digit *= 3) {
    if (guess.charCodeAt(i) !== hidden.charCodeAt(i)) continue;
    pattern += GREEN * digit;
    taken |= 1 << i;
  }
  const green = taken;
  for (let i = 0, digit = 1; i < LETTERS; i++, digit *= 3) {
    if ((green >> i) & 1) continue;
    const letter = guess.charCodeAt(i);
    for (let j = 0; j < LETTERS; j++) {
      if (((taken >> j) & 1) === 0 && hidden.charCodeAt(j) === letter) {
        pattern += YELLOW * digit;
        taken |= 1 << j;
        break;
      }
    }
  }
  return pattern;
};

/**
 * The rule of LMRL-Gym's Wordle (arXiv:2311.18232): a letter is yellow wherever the hidden word contains it,
 * regardless of the count.
 */
export const simpleFeedback: FeedbackRule = (guess, hidden) => {
  let pattern = 0;
  for (let i = 0, digit = 1; i < LETTERS; i++, digit *= 3) {
    if (guess.charCodeAt(i) === hidden.charCodeAt(i)) pattern += GREEN * digit;
    else if (hidden.includes(guess.charAt(i))) pattern += YELLOW * digit;
  }
  return pattern;
};
