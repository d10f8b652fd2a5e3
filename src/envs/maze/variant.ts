/** What a kind of maze has to say, and the state of an episode in one. */

import type { EnvironmentOptions, FamilyCard, Holdout } from '../types.ts';
import type { Board, Cell, MazeTask, Move } from './board.ts';

/** The part of an episode's past that an observation may tell. */
export interface MazePast {
  /** Every move that was understood, the blocked ones too, oldest first, one letter each: u d l r. */
  readonly moves: string;
  /** The last move that was not blocked; null at the start. */
  readonly heading: Move | null;
}

/** What sets one maze environment apart from another. */
export interface MazeVariant {
  readonly id: string;
  readonly trainTasks: readonly string[];
  readonly evalTasks: readonly string[];
  readonly holdout: Holdout;
  readonly turnLimit: number;
  readonly instruction: string;
  readonly lexicon: readonly string[];
  readonly thoughtLexicon: readonly string[];
  /** The task behind a number of `trainTasks` or `evalTasks`. */
  task(n: number): MazeTask;
  /** What is told of a cell, whatever the past. */
  place(board: Board, cell: Cell): string;
  /** What is told of the past, before the place; empty for nothing. */
  past(past: MazePast): string;
  /** Why a move is the next on a shortest way, in words that fit what is told. */
  thought(board: Board, cell: Cell, heading: Move | null, move: Move): string;
  /** The state that an observation tells of, where it does; absent where none tells of a place. */
  locate?(observation: string): MazeState | null;
}

/** A registered kind of maze. */
export interface MazeKind extends FamilyCard {
  variant(options?: EnvironmentOptions): MazeVariant;
}

/** An episode so far. The maze itself follows from the task's number. */
export interface MazeState extends MazePast {
  /** The n of the task id `maze_<n>`. */
  readonly task: number;
  readonly position: Cell;
  /** Turns taken, those with an unknown action included. */
  readonly turn: number;
}

/** The n of a task id `maze_<n>`. */
export const taskNumber = (taskId: string): number =>
  Number(taskId.slice(taskId.lastIndexOf('_') + 1));

/** The state in which a task begins. */
export function startState(task: number, { start }: MazeTask): MazeState {
  return { task, position: start, turn: 0, moves: '', heading: null };
}

/** Remembers the tasks of a variant: a layout is made once. */
export function rememberTasks(variant: Pick<MazeVariant, 'task'>): (n: number) => MazeTask {
  const known = new Map<number, MazeTask>();
  return (n) => {
    let task = known.get(n);
    if (task === undefined) {
      task = variant.task(n);
      known.set(n, task);
    }
    return task;
  };
}
