import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { shuffled } from '../shuffled.ts';

/** The task behind an id; words are indices into the list. */
export interface WordleTask {
  readonly hidden: number;
  /** Guesses already made when the episode begins, in list order. */
  readonly openings: readonly number[];
}

const TRAIN_TASKS = 1024;
const EVAL_TASKS = 128;
/** If there are few tasks, at most one in this many is held out for evaluation. */
const EVAL_ONE_IN = 5;

/** Seed of the draw that defines all tasks; another seed would assign other tasks to the task numbers. */
const SEED = 5;

/**
 * Draws distinct tasks from a list of words and splits them. Words are hidden in turn, in random order, so
 * that all are hidden about equally often; each task has its own openings. No two tasks share both the hidden
 * word and the set of openings, so without openings the splits share no hidden word.
 * @param count words in the list, at least `openings` + 2
 */
export function drawTasks(
  count: number,
  openings: number,
): { readonly train: readonly WordleTask[]; readonly evaluation: readonly WordleTask[] } {
  const random = mersenne(SEED);
  const deck = shuffled(
    Array.from({ length: count }, (_, i) => i),
    random,
  );
  const possible = count * combinations(count - 1, openings);
  const wanted = Math.min(TRAIN_TASKS + EVAL_TASKS, possible);
  const drawn = new Set<string>();
  const tasks: WordleTask[] = [];
  while (tasks.length < wanted) {
    for (const hidden of deck.slice(0, wanted - tasks.length)) {
      let task: WordleTask;
      let key: string;
      do {
        task = { hidden, openings: drawOpenings(count, openings, hidden, random) };
        key = [hidden, ...task.openings].join(' ');
      } while (drawn.has(key));
      drawn.add(key);
      tasks.push(task);
    }
  }
  const evaluation = Math.min(EVAL_TASKS, Math.floor(possible / EVAL_ONE_IN));
  return {
    evaluation: tasks.slice(0, evaluation),
    train: tasks.slice(evaluation, evaluation + TRAIN_TASKS),
  };
}

function drawOpenings(
  count: number,
  openings: number,
  hidden: number,
  random: RandomGenerator,
): number[] {
  const drawn = new Set<number>();
  while (drawn.size < openings) {
    const word = uniformInt(random, 0, count - 1);
    if (word !== hidden) drawn.add(word);
  }
  return [...drawn].sort((a, b) => a - b);
}

/** The binomial coefficient n over k. */
function combinations(n: number, k: number): number {
  let ways = 1;
  for (let i = 0; i < k; i++) ways = (ways * (n - i)) / (i + 1);
  return ways;
}
