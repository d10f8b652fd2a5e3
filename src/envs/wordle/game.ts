import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { UnknownTaskError } from '../types.ts';
import { ALL_GREEN, realFeedback, simpleFeedback } from './feedback.ts';
import { type WordleSettings, wordleId } from './options.ts';
import { readWords } from './own-words.ts';
import { drawTasks, type WordleTask } from './tasks.ts';
import { wordLists } from './words.ts';

export const TURN_LIMIT = 6;
const FIRST_EVAL_TASK = 100_000;

/** The entry in a state's `guesses` and `patterns` for a turn without a valid guess. */
export const INVALID = -1;

/** An episode so far. The words and openings follow from the options and the task's number. */
export interface WordleState {
  /** The n of the task id `wordle_<n>`. */
  readonly task: number;
  /** (turns taken) index of each guess in the list of words; −1 for an invalid word. */
  readonly guesses: readonly number[];
  /** (turns taken) pattern of each turn's feedback; −1 for an invalid word. */
  readonly patterns: readonly number[];
}

export type Outcome = 'running' | 'success' | 'failure';

export function outcomeOf({ patterns }: WordleState): Outcome {
  if (patterns.at(-1) === ALL_GREEN) return 'success';
  return patterns.length >= TURN_LIMIT ? 'failure' : 'running';
}

/** The rules for one set of options. */
export interface WordleGame {
  /** (n) the words that may be guessed and hidden. */
  readonly words: readonly string[];
  readonly trainTasks: readonly string[];
  readonly evalTasks: readonly string[];
  /** Throws `UnknownTaskError` for a task that does not exist. */
  task(taskId: string): number;
  /** The task whose number is `n`, as returned by `task`. */
  taskOf(n: number): WordleTask;
  /** (n) the pattern that a guess gets for each hidden word. */
  feedbackOf(guess: number): Uint8Array;
  /** The words that agree with all feedback so far, including that of the openings. */
  consistent(state: WordleState): readonly number[];
  /** The word hidden in the next turn. */
  hidden(state: WordleState): number;
}

export function createGame(settings: WordleSettings): WordleGame {
  const words = settings.words === '' ? wordLists[settings.list] : readWords(settings.words);
  const { train, evaluation } = drawTasks(words.length, settings.openings);
  const rule = settings.feedback === 'fixed' ? realFeedback : simpleFeedback;

  const tasks = new Map<number, WordleTask>();
  const numbers = new Map<string, number>();
  const name = (list: readonly WordleTask[], first: number): string[] =>
    list.map((task, i) => {
      const taskId = `wordle_${first + i}`;
      tasks.set(first + i, task);
      numbers.set(taskId, first + i);
      return taskId;
    });
  const trainTasks = name(train, 0);
  const evalTasks = name(evaluation, FIRST_EVAL_TASK);

  const number = (taskId: string): number => {
    const n = numbers.get(taskId);
    if (n === undefined) throw new UnknownTaskError(wordleId, taskId);
    return n;
  };
  const taskOf = (n: number): WordleTask => {
    const task = tasks.get(n);
    if (task === undefined) throw new UnknownTaskError(wordleId, `wordle_${n}`);
    return task;
  };

  // Rows are created when a word is first guessed, because a long list has millions of pairs.
  const rows: Uint8Array[] = [];
  const feedbackOf = (guess: number): Uint8Array => {
    let row = rows[guess];
    if (row === undefined) {
      const text = words[guess] ?? '';
      row = Uint8Array.from(words, (hidden) => rule(text, hidden));
      rows[guess] = row;
    }
    return row;
  };

  // The words left after the openings, by task.
  const begun = new Map<number, readonly number[]>();
  const afterOpenings = (n: number): readonly number[] => {
    let left = begun.get(n);
    if (left === undefined) {
      const { hidden, openings } = taskOf(n);
      left = words.map((_, word) => word);
      for (const opening of openings) {
        const row = feedbackOf(opening);
        left = left.filter((word) => row[word] === row[hidden]);
      }
      begun.set(n, left);
    }
    return left;
  };
  const consistent = ({ task, guesses, patterns }: WordleState): readonly number[] => {
    let left = afterOpenings(task);
    for (const [turn, guess] of guesses.entries()) {
      if (guess === INVALID) continue;
      const row = feedbackOf(guess);
      const pattern = patterns[turn];
      left = left.filter((word) => row[word] === pattern);
    }
    return left;
  };

  return {
    words,
    trainTasks,
    evalTasks,
    task: number,
    taskOf,
    feedbackOf,
    consistent,
    hidden(state) {
      if (settings.feedback === 'fixed') return taskOf(state.task).hidden;
      const left = consistent(state);
      // One stream of random numbers per turn and task.
      const random = mersenne(state.task * TURN_LIMIT + state.guesses.length);
      return left[uniformInt(random, 0, left.length - 1)] ?? 0;
    },
  };
}
