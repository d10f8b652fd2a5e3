/** The interface of maze variants, and their state. */

import type { EnvironmentOptions, FamilyCard, Holdout } from '../types.ts';
import type { Board, Cell, MazeTask, Move } from './board.ts';

/** The part of an episode's past that observations may mention. */
export interface MazePast {
  /** Every move that was understood, including blocked ones, oldest first, one letter each: u d l r. */
  readonly moves: string;
  /** The last move that was not blocked; null at the start. */
  readonly heading: Move | null;
}

/** What distinguishes one maze environment from another. */
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
  /** The text about a cell, independent of the past. */
  place(board: Board, cell: Cell): string;
  /** The text about the past, which precedes the text about the cell; empty for none. */
  past(past: MazePast): string;
  /** Why a move is the next on a shortest path, using only what observations state. */
  thought(board: Board, cell: Cell, heading: Move | null, move: Move): string;
  /** The state that an observation describes; absent if observations never describe a position. */
  locate?(observation: string): MazeState | null;
}

/** A registered kind of maze. */
export interface MazeKind extends FamilyCard {
  variant(options?: EnvironmentOptions): MazeVariant;
}

/** An episode so far. The maze follows from the task's number. */
export interface MazeState extends MazePast {
  /** The n of the task id `maze_<n>`. */
  readonly task: number;
  readonly position: Cell;
  /** Turns taken, including those with an unknown action. */
  readonly turn: number;
}

/** The n of a task id `maze_<n>`. */
export const taskNumber = (taskId: string): number =>
  Number(taskId.slice(taskId.lastIndexOf('_') + 1));

/** The state in which a task begins. */
export function startState(task: number, { start }: MazeTask): MazeState {
  return { task, position: start, turn: 0, moves: '', heading: null };
}

/** The tasks of a variant, cached. */
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
