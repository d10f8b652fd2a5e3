import { UnknownEnvironmentError } from '../errors.ts';
import { type EnvironmentOptions, UnknownTaskError } from '../types.ts';
import { type Cell, isWall, type MazeTask, neighbour, sameCell } from './board.ts';
import {
  type MazeState,
  type MazeVariant,
  rememberTasks,
  startState,
  taskNumber,
} from './variant.ts';
import { mazeKinds, readMoves, taskId as writeTaskId } from './variants.ts';

/** A maze and where its agent has been, ready to draw. Rows run down, columns to the right. */
export interface MazeScene {
  readonly rows: number;
  readonly columns: number;
  /** (rows × columns) true where a wall stands; the outermost squares are walls. */
  readonly walls: readonly (readonly boolean[])[];
  readonly goal: Cell;
  readonly start: Cell;
  readonly agent: Cell;
  /** The path walked, from the start to the agent, a cell as often as it was entered. */
  readonly visited: readonly Cell[];
  /** (rows × columns) moves from each free cell to the goal; null on walls. */
  readonly distances: readonly (readonly (number | null)[])[];
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: 'running' | 'success' | 'failure';
}

/** True for the environments that `mazeScene` can draw. */
export function isMaze(environmentId: string): boolean {
  return mazeKinds.some((kind) => kind.id === environmentId);
}

interface Source {
  readonly variant: MazeVariant;
  readonly taskOf: (n: number) => MazeTask;
}

// The last one asked for: a view asks again and again about the same environment.
let latest: { readonly key: string; readonly source: Source } | undefined;

function sourceOf(environmentId: string, options: EnvironmentOptions): Source {
  const key = JSON.stringify([environmentId, options]);
  if (latest?.key === key) return latest.source;
  const kind = mazeKinds.find((kind) => kind.id === environmentId);
  if (kind === undefined) {
    throw new UnknownEnvironmentError(
      environmentId,
      mazeKinds.map((kind) => kind.id),
    );
  }
  const variant = kind.variant(options);
  const source = { variant, taskOf: rememberTasks(variant) };
  latest = { key, source };
  return source;
}

/** True for a value that is a maze's state, as one that came from storage or a worker. */
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
 * The picture of an episode.
 *
 * @param options The options that the environment was created with.
 * @param state The state to draw; without it, the start of the task.
 * Throws `UnknownEnvironmentError`, `EnvironmentOptionError`, and `UnknownTaskError` (also when the
 * state is of another task).
 */
export function mazeScene(
  environmentId: string,
  options: EnvironmentOptions,
  taskId: string,
  state?: MazeState,
): MazeScene {
  const { variant, taskOf } = sourceOf(environmentId, options);
  const known = variant.trainTasks.includes(taskId) || variant.evalTasks.includes(taskId);
  const ofThisTask = state === undefined || writeTaskId(state.task) === taskId;
  if (!known || !ofThisTask) throw new UnknownTaskError(environmentId, taskId);

  const n = taskNumber(taskId);
  const task = taskOf(n);
  const { board, start } = task;
  const { position: agent, moves, turn } = state ?? startState(n, task);

  const visited: Cell[] = [start];
  let here = start;
  for (const move of readMoves(moves)) {
    const target = neighbour(here, move);
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
    turn,
    turnLimit: variant.turnLimit,
    outcome: sameCell(agent, board.goal)
      ? 'success'
      : turn >= variant.turnLimit
        ? 'failure'
        : 'running',
  };
}
