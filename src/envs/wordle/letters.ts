/** Policy statistics from guesses: their letters by position, and how they use the marks so far. */

import type { PlacedAction, TakenTurn } from '../deeds.ts';
import { GREEN, GREY, YELLOW } from './feedback.ts';
import { isWordleState, type Tile, type WordleRow, wordleRows } from './scene.ts';

/** The first guess of an episode, and all later ones. */
export const guesses = ['first', 'later'] as const;
export type Guess = (typeof guesses)[number];

/** Skills that a guess can show: being in the list (`word`), and using the marks of a color. */
export const skills = ['word', 'green', 'yellow', 'grey'] as const;
export type Skill = (typeof skills)[number];
/** The action recorded for a guess that has a skill. */
export const YES = 'yes';
const NO = 'no';

/** The name of one of the five positions in a guess, from 0. */
export const placeOf = (guess: Guess, place: number): string => `${guess} ${place}`;

/** What the marks so far say about letters. */
interface Known {
  /** Letters in place, by position. */
  readonly green: ReadonlyMap<number, string>;
  /** Letters known to be elsewhere, with the positions where they are not. */
  readonly yellow: ReadonlyMap<string, ReadonlySet<number>>;
  /** Letters that the hidden word does not have. */
  readonly grey: ReadonlySet<string>;
}

type Letter = Exclude<Tile, null>;

/** @param rows all rows so far; rows without letters add nothing */
export function knownFrom(rows: readonly WordleRow[]): Known {
  const green = new Map<number, string>();
  const yellow = new Map<string, Set<number>>();
  const grey = new Set<string>();
  const tiles = rows.flatMap((row) => lettersOf(row));
  for (const { letter, mark, place } of tiles) {
    if (mark === GREEN) green.set(place, letter);
    if (mark === GREY) grey.add(letter);
    if (mark !== YELLOW) continue;
    const places = yellow.get(letter) ?? new Set();
    yellow.set(letter, places.add(place));
  }
  // A letter that was guessed twice may be grey only because the word has it once.
  for (const { letter, mark } of tiles) if (mark !== GREY) grey.delete(letter);
  for (const letter of green.values()) yellow.delete(letter);
  return { green, yellow, grey };
}

const lettersOf = ({ tiles }: WordleRow): readonly (Letter & { readonly place: number })[] =>
  tiles.flatMap((tile, place) => (tile === null ? [] : [{ ...tile, place }]));

/** For each color, whether a guess uses the marks of that color; null if there are none yet. */
const heeds: Readonly<
  Record<Exclude<Skill, 'word'>, (letters: readonly string[], known: Known) => boolean | null>
> = {
  green: (letters, { green }) =>
    green.size === 0 ? null : [...green].every(([place, letter]) => letters[place] === letter),
  yellow: (letters, { yellow }) =>
    yellow.size === 0
      ? null
      : [...yellow].every(([wanted, not]) =>
          letters.some((letter, place) => letter === wanted && !not.has(place)),
        ),
  grey: (letters, { grey }) =>
    grey.size === 0 ? null : letters.every((letter) => !grey.has(letter)),
};

/** A guess's letters by position, and whether it has each skill that applies. */
export function placedActions({ options, before, after }: TakenTurn): readonly PlacedAction[] {
  if (!isWordleState(before) || !isWordleState(after)) return [];
  const skill = (place: Skill, has: boolean): PlacedAction => ({ place, action: has ? YES : NO });
  const rows = wordleRows(options, after).filter(({ kind }) => kind !== 'empty');
  const letters = rows.slice(-1).flatMap((row) => lettersOf(row).map(({ letter }) => letter));
  if (letters.length === 0) return [skill('word', false)];
  const known = knownFrom(rows.slice(0, -1));
  const guess = before.guesses.length === 0 ? 'first' : 'later';
  return [
    ...letters.map((action, place) => ({ place: placeOf(guess, place), action })),
    skill('word', true),
    ...(['green', 'yellow', 'grey'] as const).flatMap((mark) => {
      const has = heeds[mark](letters, known);
      return has === null ? [] : [skill(mark, has)];
    }),
  ];
}
