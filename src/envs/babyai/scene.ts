/** The data that the view draws for a state. */

import { UnknownEnvironmentError } from '../errors.ts';
import { keepLatest } from '../keep-latest.ts';
import { type EnvironmentOptions, UnknownTaskError } from '../types.ts';
import { rememberTasks, settingOf, taskNumber } from './environment.ts';
import { familyId, levels } from './levels.ts';
import { accomplished, openClauses } from './mission.ts';
import { see } from './sight.ts';
import { missionName } from './text.ts';
import {
  type BabyAIState,
  type Color,
  DOOR_STATES,
  entityOf,
  gridOf,
  type Kind,
  offset,
  startState,
  turnedLeft,
  turnedRight,
  type World,
} from './world.ts';

/** A square: row from the top, column from the left, both from 0. */
export interface Cell {
  readonly row: number;
  readonly column: number;
}

export interface SceneThing extends Cell {
  /** Unique within an episode. */
  readonly id: number;
  readonly kind: Kind;
  readonly color: Color;
  /** Whether the agent sees it. */
  readonly seen: boolean;
  /** Whether an open clause of the mission is about it. */
  readonly wanted: boolean;
}

export interface SceneDoor extends Cell {
  readonly color: Color;
  readonly state: (typeof DOOR_STATES)[number];
  /** Whether it is in a vertical wall. */
  readonly upright: boolean;
  readonly seen: boolean;
  readonly wanted: boolean;
}

/** The agent's position and heading: degrees clockwise from right, not wrapped. */
export interface Pose extends Cell {
  readonly degrees: number;
}

export interface BabyAIScene {
  /** The part of the grid to draw: all rooms with something in them. */
  readonly frame: {
    readonly top: number;
    readonly left: number;
    readonly rows: number;
    readonly columns: number;
  };
  /** Cells of the frame without a wall; whether the agent sees each. */
  readonly floor: readonly (Cell & { readonly seen: boolean })[];
  readonly things: readonly SceneThing[];
  readonly doors: readonly SceneDoor[];
  /** What the agent carries. */
  readonly carrying: { readonly kind: Kind; readonly color: Color } | null;
  /** The poses of the last turn, from the one before it to the current one. */
  readonly poses: readonly Pose[];
  readonly mission: string;
  /** The mission's clauses in the order of their stages. */
  readonly clauses: readonly { readonly text: string; readonly done: boolean }[];
  readonly turn: number;
  readonly turnLimit: number;
  readonly steps: number;
  readonly outcome: 'running' | 'success' | 'failure';
}

/** Whether a value from storage or a worker is a state of BabyAI. */
export function isBabyAIState(value: unknown): value is BabyAIState {
  if (typeof value !== 'object' || value === null) return false;
  const state = value as Partial<BabyAIState>;
  const isNumber = (value: unknown) => typeof value === 'number';
  return (
    [state.task, state.position, state.direction, state.done, state.turn, state.steps].every(
      isNumber,
    ) &&
    typeof state.trail === 'string' &&
    (state.carrying === null || isNumber(state.carrying)) &&
    Array.isArray(state.cells) &&
    state.cells.every(isNumber) &&
    Array.isArray(state.doors) &&
    state.doors.every(isNumber)
  );
}

interface Source {
  readonly turnLimit: number;
  readonly worldOf: (n: number) => World;
}

/** The tasks of an environment. Throws like `babyaiScene` for an unknown environment. */
export const sourceOf = keepLatest((environmentId: string, options: EnvironmentOptions): Source => {
  const level = levels.find((level) => familyId(level) === environmentId);
  if (level === undefined) throw new UnknownEnvironmentError(environmentId, levels.map(familyId));
  return { turnLimit: level.turnLimit, worldOf: rememberTasks(settingOf(level, options)) };
});

/**
 * The scene of an episode.
 * @param options the options that the environment was created with
 * @param state the state to draw; by default the start of the task
 * Throws `UnknownEnvironmentError`, `EnvironmentOptionError`, and `UnknownTaskError` (also if the state
 * belongs to another task or does not fit its layout).
 */
export function babyaiScene(
  environmentId: string,
  options: EnvironmentOptions,
  taskId: string,
  state?: BabyAIState,
): BabyAIScene {
  const { turnLimit, worldOf } = sourceOf(environmentId, options);
  const n = taskNumber(taskId);
  if (n === undefined) throw new UnknownTaskError(environmentId, taskId);
  const world = worldOf(n);
  const now = state ?? startState(n, world);
  const fits =
    now.task === n &&
    now.cells.length === world.things.length &&
    now.doors.length === world.doors.length;
  if (!fits) throw new UnknownTaskError(environmentId, taskId);

  const { side } = world;
  const place = (cell: number): Cell => ({ row: Math.floor(cell / side), column: cell % side });
  const seen = seenCells(world, now);
  const wanted = new Set(
    openClauses(world.mission, now.done).flatMap((clause) =>
      clause.kind === 'putnext' ? [...clause.targets, ...clause.fixed] : clause.targets,
    ),
  );
  const marks = (entity: number, cell: number) => ({
    ...place(cell),
    seen: seen.has(cell),
    wanted: wanted.has(entity),
  });
  const frame = frameOf(world, now);
  const floor: (Cell & { seen: boolean })[] = [];
  for (let row = frame.top; row < frame.top + frame.rows; row++) {
    for (let column = frame.left; column < frame.left + frame.columns; column++) {
      const cell = row * side + column;
      if (world.walls[cell] === 0) floor.push({ row, column, seen: seen.has(cell) });
    }
  }
  const isDone = accomplished(world.mission, now.done);
  return {
    frame,
    floor,
    things: world.things.flatMap(({ kind, color }, k) => {
      const cell = now.cells[k] ?? -1;
      return cell < 0 ? [] : [{ id: k, kind, color, ...marks(k, cell) }];
    }),
    doors: world.doors.map(({ color, cell }, d) => ({
      color,
      state: DOOR_STATES[now.doors[d] ?? 0] ?? 'open',
      upright: cell % side !== 0 && world.walls[cell - side] !== 0,
      ...marks(world.things.length + d, cell),
    })),
    carrying: now.carrying === null ? null : (world.things[now.carrying] ?? null),
    poses: posesOf(world, now).map(({ cell, degrees }) => ({ ...place(cell), degrees })),
    mission: world.mission.text,
    clauses: clausesOf(world, now),
    turn: now.turn,
    turnLimit,
    steps: now.steps,
    outcome: isDone ? 'success' : now.turn >= turnLimit ? 'failure' : 'running',
  };
}

function seenCells(world: World, state: BabyAIState): Set<number> {
  const sight = see(world, state, gridOf(world, state));
  const seen = new Set<number>();
  for (const [v, cell] of sight.cells.entries()) if (sight.seen[v] === 1) seen.add(cell);
  return seen;
}

/** The rooms of the agent, of its start and of all things, including walls. */
function frameOf(world: World, state: BabyAIState): BabyAIScene['frame'] {
  const { side, roomSize, things, start } = world;
  const pitch = roomSize - 1;
  const last = (side - 1) / pitch - 1;
  const cells = [start.cell, state.position, ...things.map(({ cell }) => cell)];
  const rows = cells.map((cell) => Math.min(last, Math.floor(Math.floor(cell / side) / pitch)));
  const columns = cells.map((cell) => Math.min(last, Math.floor((cell % side) / pitch)));
  const top = Math.min(...rows) * pitch;
  const left = Math.min(...columns) * pitch;
  return {
    top,
    left,
    rows: (Math.max(...rows) + 1) * pitch + 1 - top,
    columns: (Math.max(...columns) + 1) * pitch + 1 - left,
  };
}

/** The poses of the last turn, reconstructed from its trail backwards. */
function posesOf({ side }: World, { position, direction, trail }: BabyAIState) {
  let cell = position;
  let heading = direction;
  let degrees = 90 * direction;
  const poses = [{ cell, degrees }];
  for (const letter of [...trail].reverse()) {
    if (letter === 'f') cell -= offset(side, heading);
    if (letter === 'l') {
      heading = turnedRight(heading);
      degrees += 90;
    }
    if (letter === 'r') {
      heading = turnedLeft(heading);
      degrees -= 90;
    }
    poses.push({ cell, degrees });
  }
  return poses.reverse();
}

const CLAUSE_WORDS = { goto: 'go to', pickup: 'pick up', open: 'open', putnext: 'put' } as const;

/** The clauses in plain words and whether each is done. */
function clausesOf(world: World, state: BabyAIState): BabyAIScene['clauses'] {
  return world.mission.stages.flat().map((clause, k) => {
    const name = (entities: readonly number[]) => {
      const names = new Set(
        entities.map((entity) => {
          const { color, kind } = entityOf(world, entity);
          return missionName(color, kind);
        }),
      );
      return [...names].join(' or ');
    };
    const next = clause.kind === 'putnext' ? ` next to ${name(clause.fixed)}` : '';
    return {
      text: `${CLAUSE_WORDS[clause.kind]} ${name(clause.targets)}${next}`,
      done: (state.done & (1 << k)) !== 0,
    };
  });
}

const SIDES = ['right', 'down', 'left', 'up'] as const;

/** Text description of the scene for screen readers. */
export function describeScene(scene: BabyAIScene): string {
  const pose = scene.poses.at(-1);
  const agent =
    pose === undefined
      ? ''
      : `The agent is at row ${pose.row}, column ${pose.column} and faces ${SIDES[(((pose.degrees / 90) % 4) + 4) % 4]}.`;
  const carrying =
    scene.carrying === null
      ? 'It carries nothing.'
      : `It carries a ${scene.carrying.color} ${scene.carrying.kind}.`;
  const names = [
    ...scene.things.filter(({ seen }) => seen).map(({ color, kind }) => `${color} ${kind}`),
    ...scene.doors.filter(({ seen }) => seen).map(({ color, state }) => `${color} ${state} door`),
  ];
  const sight = names.length === 0 ? 'It sees only walls.' : `It sees: ${names.join(', ')}.`;
  const end = { running: '', success: ' The mission is done.', failure: ' No turns are left.' };
  return `Goal: ${scene.mission}. ${agent} ${carrying} ${sight} Turn ${scene.turn} of ${scene.turnLimit}.${end[scene.outcome]}`;
}
