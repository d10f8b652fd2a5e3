/**
 * The common part of the reasoning environments: a task is a question, answered by one text of several steps.
 */

import type { Criticism } from '../criticism.ts';
import { type Environment, EpisodeOverError, type Holdout, UnknownTaskError } from '../types.ts';
import {
  critiqueLexicon,
  longestCritique,
  readCritique,
  readRemarks,
  writeCritique,
} from './critiques.ts';
import { writeMonologue } from './monologues.ts';
import {
  type Arithmetic,
  longestSolution,
  type Notation,
  notationOf,
  type Problem,
} from './notation.ts';
import { finalAnswer, givenAnswer, isRight, judge, LONGEST_TEXT } from './oracle.ts';
import { finish, flawed, refine, solutionsByFirst, solve, upTo } from './solutions.ts';
import { type Drawn, FIRST_EVAL_TASK } from './tasks.ts';

/** An episode so far. The question follows from the options and the task's number. */
export interface ReasoningState {
  /** The n of the task id `chain_<n>`. */
  readonly task: number;
  /** The agent's text, truncated if it is longer than any solution; null before it answers. */
  readonly solution: string | null;
}

/** A family with its options applied. */
export interface Course<Task> {
  readonly id: string;
  /** Prefix of task ids. */
  readonly name: string;
  readonly arithmetic: Arithmetic;
  readonly drawn: Drawn<Task>;
  readonly problemOf: (task: Task) => Problem;
  /** Whether the expert only shows every other training task. */
  readonly withholds: boolean;
  /** Maximum number of steps of a task, and number of levels. */
  readonly steps: number;
  readonly levels: number;
  readonly questionLexicon: readonly string[];
  readonly longestQuestion: number;
  readonly instruction: string;
  /** How evaluation tasks differ from training tasks. */
  readonly holdout: (taskOf: (id: string) => Task) => Holdout;
}

const RIGHT = 'Right.';
const WRONG = 'Wrong.';
const NOT_UNDERSTOOD = 'Not understood.';
const THERE_ARE = 'There are';
const STEPS = 'steps.';

/** The problems of a course by task number, and the notation of its solutions. */
export interface Desk {
  readonly notation: Notation;
  /** Throws `UnknownTaskError` for a number without a task. */
  problem(n: number): Problem;
}

export function deskOf<Task>(course: Course<Task>): Desk {
  const { id, name, drawn, problemOf } = course;
  // Created on first use.
  const problems = new Map<number, Problem>();
  return {
    notation: notationOf(course.arithmetic),
    problem(n) {
      let problem = problems.get(n);
      if (problem === undefined) {
        const task = drawn.train[n] ?? drawn.evaluation[n - FIRST_EVAL_TASK];
        if (task === undefined) throw new UnknownTaskError(id, `${name}_${n}`);
        problem = problemOf(task);
        problems.set(n, problem);
      }
      return problem;
    },
  };
}

/**
 * The environment of a course. One turn answers a task. The reward is 1 if the answer at the end of the
 * solution is correct, regardless of its steps, and 0 otherwise.
 */
export function createReasoning<Task>(course: Course<Task>): Environment<ReasoningState> {
  const { id, name, drawn, steps } = course;
  const { notation, problem } = deskOf(course);
  const idOf = (n: number) => `${name}_${n}`;
  const trainTasks = drawn.train.map((_, i) => idOf(i));
  const evalTasks = drawn.evaluation.map((_, i) => idOf(FIRST_EVAL_TASK + i));
  const numbers = new Map([
    ...trainTasks.map((task, i): [string, number] => [task, i]),
    ...evalTasks.map((task, i): [string, number] => [task, FIRST_EVAL_TASK + i]),
  ]);
  const number = (task: string): number => {
    const n = numbers.get(task);
    if (n === undefined) throw new UnknownTaskError(id, task);
    return n;
  };
  const problemOf = (task: string) => problem(number(task));
  const lexicon = [
    ...new Set([...notation.words, ...course.questionLexicon, RIGHT, WRONG, NOT_UNDERSTOOD]),
  ];

  const criticism: Criticism = {
    lexicon: critiqueLexicon,
    levels: course.levels,
    level: (task) => problemOf(task).level,
    withheld: (task) => problemOf(task).withheld,
    values: notation.values,
    longest: {
      question: course.longestQuestion,
      answer: longestSolution(notation, steps),
      critique: longestCritique(notation, steps),
    },
    judge: (task, answer) => judge(notation, problemOf(task), answer),
    critique: (task, answer, options) => writeCritique(notation, problemOf(task), answer, options),
    read: (critique) => readCritique(notation, critique),
    remarks: (critique) => readRemarks(notation, critique),
    monologue: writeMonologue,
    final: (answer) => finalAnswer(notation, answer),
    upTo,
    finish: (task, start) => finish(notation, problemOf(task), start),
    flawed: (task, step, kind, random) => flawed(notation, problemOf(task), step, kind, random),
    refine: (task, answer, critique) => refine(notation, problemOf(task), answer, critique),
  };

  return {
    id,
    trainTasks,
    ...(course.withholds ? { shownTasks: trainTasks.filter((_, i) => i % 2 === 0) } : {}),
    evalTasks,
    holdout: course.holdout((task) => {
      const n = number(task);
      const found = drawn.train[n] ?? drawn.evaluation[n - FIRST_EVAL_TASK];
      if (found === undefined) throw new UnknownTaskError(id, task);
      return found;
    }),
    turnLimit: 1,
    instruction: course.instruction,
    lexicon,
    thoughtLexicon: [THERE_ARE, STEPS],
    criticism,

    reset(task) {
      const n = number(task);
      return { state: { task: n, solution: null }, observation: problem(n).question };
    },

    step(state, action) {
      if (state.solution !== null) throw new EpisodeOverError(id);
      const asked = problem(state.task);
      const answer = givenAnswer(notation, asked, action);
      const right = isRight(notation, asked, action);
      return {
        state: { task: state.task, solution: cut(action) },
        observation: answer === null ? NOT_UNDERSTOOD : right ? RIGHT : WRONG,
        reward: right ? 1 : 0,
        terminated: true,
        understood: answer !== null,
      };
    },

    success: ({ task, solution }) =>
      solution !== null && isRight(notation, problem(task), solution),

    /** One solution for each possible result of the first step; one of them is correct. */
    admissibleActions({ task, solution }) {
      if (solution !== null) return [];
      return solutionsByFirst(notation, problem(task));
    },

    expert({ task, solution }) {
      if (solution !== null) throw new EpisodeOverError(id);
      const asked = problem(task);
      return { thought: `${THERE_ARE} ${asked.length} ${STEPS}`, action: solve(asked) };
    },
  };
}

/** The part of a text to store: enough that an invalid solution stays invalid. */
function cut(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}
