import { drawnCard } from '../drawn/card.ts';
import { loaded } from '../drawn/loaded.ts';
import { EnvironmentNotLoadedError, UnknownEnvironmentError } from '../errors.ts';
import { keepLatest } from '../keep-latest.ts';
import { type EnvironmentOptions, UnknownTaskError } from '../types.ts';
import { type Cell, isWall, type MazeTask, neighbor, sameCell } from './board.ts';
import { type MazeState, rememberTasks, startState, taskNumber } from './variant.ts';
import { mazeKinds, readMoves, taskId as writeTaskId } from './variants.ts';

/** A maze and its agent's path, ready to draw. Rows count down, columns to the right. */
export interface MazeScene {
  readonly rows: number;
  readonly columns: number;
  /** (rows × columns) true for a wall; the outermost squares are walls. */
  readonly walls: readonly (readonly boolean[])[];
  readonly goal: Cell;
  readonly start: Cell;
  readonly agent: Cell;
  /** The path from the start to the agent; a cell appears each time it is entered. */
  readonly visited: readonly Cell[];
  /** (rows × columns) moves from each free cell to the goal; null on walls. */
  readonly distances: readonly (readonly (number | null)[])[];
  readonly prizes: readonly { readonly cell: Cell; readonly left: boolean }[];
  readonly traps: readonly Cell[];
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: 'running' | 'success' | 'failure';
}

interface Source {
  readonly turnLimit: number;
  /** Undefined for a number that no task has. */
  readonly taskOf: (n: number) => MazeTask | undefined;
  readonly prizes: readonly Cell[];
  readonly traps: readonly Cell[];
}

const sourceOf = keepLatest((environmentId: string, options: EnvironmentOptions) =>
  environmentId === drawnCard.id ? drawn(options) : registered(environmentId, options),
);

function drawn(options: EnvironmentOptions): Source {
  if (loaded.world === undefined) throw new EnvironmentNotLoadedError(drawnCard.id);
  const { board, starts, prizes, traps, turnLimit } = loaded.world(options);
  const { columns } = board;
  return {
    ...{ turnLimit, prizes },
    taskOf: (n) => {
      const start = starts[n];
      return start === undefined ? undefined : { board, start };
    },
    traps: [...traps].map((i) => ({ row: Math.floor(i / columns), column: i % columns })),
  };
}

function registered(environmentId: string, options: EnvironmentOptions): Source {
  const kind = mazeKinds.find((kind) => kind.id === environmentId);
  if (kind === undefined) {
    throw new UnknownEnvironmentError(environmentId, [
      ...mazeKinds.map((kind) => kind.id),
      drawnCard.id,
    ]);
  }
  const variant = kind.variant(options);
  const known = new Set([...variant.trainTasks, ...variant.evalTasks].map(taskNumber));
  const taskOf = rememberTasks(variant);
  return {
    turnLimit: variant.turnLimit,
    taskOf: (n) => (known.has(n) ? taskOf(n) : undefined),
    ...{ prizes: [], traps: [] },
  };
}

/** Whether a value from storage or a worker is a maze's state. */
export function isMazeState(value: unknown): value is MazeState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, position, turn, moves } = value as Partial<MazeState>;
  return (
    typeof task === 'number' &&
    typeof turn === 'number' &&
    typeof moves === 'string' &&
    typeof position?.row === 'number' &&
    typeof position.column === 'number'
  );
}

/**
 * The scene of an episode.
 * @param options the options that the environment was created with
 * @param state the state to draw; by default the start of the task
 * Throws `UnknownEnvironmentError`, `EnvironmentOptionError`, and `UnknownTaskError` (also if the state
 * belongs to another task).
 */
export function mazeScene(
  environmentId: string,
  options: EnvironmentOptions,
  taskId: string,
  state?: MazeState,
): MazeScene {
  const { turnLimit, taskOf, prizes, traps } = sourceOf(environmentId, options);
  const n = taskNumber(taskId);
  const task = writeTaskId(n) === taskId ? taskOf(n) : undefined;
  if (task === undefined || (state !== undefined && state.task !== n)) {
    throw new UnknownTaskError(environmentId, taskId);
  }

  const { board, start } = task;
  const { position: agent, moves, turn } = state ?? startState(n, task);

  const visited: Cell[] = [start];
  let here = start;
  for (const move of readMoves(moves)) {
    const target = neighbor(here, move);
    if (!isWall(board, target)) {
      here = target;
      visited.push(here);
    }
  }

  const grid = <T>(read: (i: number) => T): T[][] =>
    Array.from({ length: board.rows }, (_, row) =>
      Array.from({ length: board.columns }, (_, column) => read(row * board.columns + column)),
    );
  return {
    rows: board.rows,
    columns: board.columns,
    walls: grid((i) => board.walls[i] !== 0),
    goal: board.goal,
    start,
    agent,
    visited,
    distances: grid((i) => {
      const distance = board.distances[i] ?? -1;
      return distance < 0 ? null : distance;
    }),
    prizes: prizes.map((cell) => ({
      cell,
      left: !visited.some((entered) => sameCell(entered, cell)),
    })),
    ...{ traps, turn, turnLimit },
    outcome: sameCell(agent, board.goal)
      ? 'success'
      : turn >= turnLimit || traps.some((trap) => sameCell(trap, agent))
        ? 'failure'
        : 'running',
  };
}
