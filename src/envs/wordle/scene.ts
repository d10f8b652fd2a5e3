import { keepLatest } from '../keep-latest.ts';
import type { EnvironmentOptions } from '../types.ts';
import { LETTERS, type Mark, marksOf } from './feedback.ts';
import {
  createGame,
  INVALID,
  type Outcome,
  outcomeOf,
  TURN_LIMIT,
  type WordleState,
} from './game.ts';
import { wordleSettings } from './options.ts';

/** A tile: a letter with its mark; null for an empty tile. */
export type Tile = { readonly letter: string; readonly mark: Mark } | null;

/** `given` is an opening, `invalid` a turn whose text was not in the list. */
export type RowKind = 'given' | 'guess' | 'invalid' | 'empty';

export interface WordleRow {
  readonly kind: RowKind;
  /** (5) */
  readonly tiles: readonly Tile[];
}

/** A game of Wordle, ready to draw. */
export interface WordleScene {
  /** (openings + 6) the openings, then one row per turn. */
  readonly rows: readonly WordleRow[];
  /** The best mark of each guessed letter. */
  readonly letters: ReadonlyMap<string, Mark>;
  /** Words in the list. */
  readonly words: number;
  /** Number of words that agree with all marks. */
  readonly left: number;
  /** Those words if there are at most 12, else empty. */
  readonly leftWords: readonly string[];
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: Outcome;
  /** The hidden word, once the game is over; null before, and if none was fixed. */
  readonly answer: string | null;
  /** Whether the hidden word may change after each guess. */
  readonly redrawn: boolean;
}

/** Maximum number of remaining words that are listed. */
const FEW = 12;

const gameOf = keepLatest((options: EnvironmentOptions) => {
  const settings = wordleSettings(options);
  return { game: createGame(settings), redrawn: settings.feedback === 'original' };
});

/** Whether a value from storage or a worker is a state of Wordle. */
export function isWordleState(value: unknown): value is WordleState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, guesses, patterns } = value as Partial<WordleState>;
  return (
    typeof task === 'number' &&
    Array.isArray(guesses) &&
    Array.isArray(patterns) &&
    guesses.length === patterns.length &&
    guesses.length <= TURN_LIMIT &&
    [...guesses, ...patterns].every((n) => Number.isInteger(n) && n >= INVALID)
  );
}

const BLANK: readonly Tile[] = Array.from({ length: LETTERS }, () => null);

function filledRow(kind: RowKind, word: string, pattern: number): WordleRow {
  const tiles = marksOf(pattern).map((mark, i) => ({ letter: word.charAt(i), mark }));
  return { kind, tiles };
}

/**
 * The rows of the board: the openings, then one for each of six turns.
 * @param options the options that the environment was created with
 * Throws the same errors as `wordleScene`.
 */
export function wordleRows(options: EnvironmentOptions, state: WordleState): readonly WordleRow[] {
  const { game } = gameOf(options);
  const { words } = game;
  const { hidden, openings } = game.taskOf(state.task);
  const rows: WordleRow[] = openings.map((opening) =>
    filledRow('given', words[opening] ?? '', game.feedbackOf(opening)[hidden] ?? 0),
  );
  for (let turn = 0; turn < TURN_LIMIT; turn++) {
    const guess = state.guesses[turn];
    if (guess === undefined) rows.push({ kind: 'empty', tiles: BLANK });
    else if (guess === INVALID) rows.push({ kind: 'invalid', tiles: BLANK });
    else rows.push(filledRow('guess', words[guess] ?? '', state.patterns[turn] ?? 0));
  }
  return rows;
}

/**
 * The scene of an episode.
 * @param options the options that the environment was created with
 * Throws `EnvironmentOptionError`, and `UnknownTaskError` for a state of a task that these options do not
 * have.
 */
export function wordleScene(options: EnvironmentOptions, state: WordleState): WordleScene {
  const { game, redrawn } = gameOf(options);
  const { words } = game;
  const { hidden } = game.taskOf(state.task);
  const rows = wordleRows(options, state);

  const letters = new Map<string, Mark>();
  for (const tile of rows.flatMap((row) => row.tiles)) {
    if (tile === null) continue;
    const known = letters.get(tile.letter);
    if (known === undefined || tile.mark > known) letters.set(tile.letter, tile.mark);
  }

  const left = game.consistent(state);
  const outcome = outcomeOf(state);
  const found = outcome === 'success' ? state.guesses.at(-1) : redrawn ? undefined : hidden;
  return {
    rows,
    letters,
    words: words.length,
    left: left.length,
    leftWords: left.length <= FEW ? left.map((word) => words[word] ?? '') : [],
    turn: state.guesses.length,
    turnLimit: TURN_LIMIT,
    outcome,
    answer: outcome === 'running' || found === undefined ? null : (words[found] ?? null),
    redrawn,
  };
}

const MARK_WORDS = ['not (again) in the word', 'elsewhere', 'in place'] as const;

/** The scene in words, for screen readers. */
export function describeScene(scene: WordleScene): string {
  const { rows, turn, turnLimit } = scene;
  const sentences = rows.flatMap(({ kind, tiles }) => {
    if (kind === 'empty') return [];
    if (kind === 'invalid') return ['Invalid guess: not in the list.'];
    const word = tiles.map((tile) => tile?.letter ?? '').join('');
    const marks = tiles.flatMap((tile) =>
      tile === null ? [] : [`${tile.letter} ${MARK_WORDS[tile.mark]}`],
    );
    return [`${kind === 'given' ? 'Given' : 'Guess'} ${word}: ${marks.join(', ')}.`];
  });
  return [`Wordle after ${turn} of ${turnLimit} guesses.`, ...sentences, verdict(scene)].join(' ');
}

/** The status of the game in a sentence. */
export function verdict({ outcome, answer, turn, left }: WordleScene): string {
  const guesses = turn === 1 ? '1 guess' : `${turn} guesses`;
  switch (outcome) {
    case 'success':
      return `Found in ${guesses}: ${answer}.`;
    case 'failure':
      return answer === null ? 'No guesses are left.' : `Not found: the word was ${answer}.`;
    case 'running':
      return left === 1 ? 'One word fits all marks.' : `${left} words fit all marks.`;
    default:
      return outcome satisfies never;
  }
}
