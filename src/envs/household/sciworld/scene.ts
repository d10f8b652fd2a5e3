import { contentsOf, HAND, has } from '../core/house.ts';
import type { HouseScene, SceneDoor, SceneItem } from '../core/scene.ts';
import { iconOf } from './icons.ts';
import { goalsOf, isOf, isSolved } from './judge.ts';
import { DOORS, type Room } from './map.ts';
import { NO_ACTION, NOT_UNDERSTOOD } from './text.ts';
import {
  isOn,
  isOpen,
  isPassable,
  matterOf,
  opens,
  type SciWorldNow,
  type SciWorldOwn,
  type SciWorldTask,
  SEEN,
  sortOf,
} from './world.ts';

/** Positions of the rooms on the floor plan. */
const CELLS: Readonly<Record<Room, readonly [column: number, row: number]>> = {
  bedroom: [0, 0],
  'art studio': [1, 0],
  greenhouse: [2, 0],
  'living room': [0, 1],
  hallway: [1, 1],
  kitchen: [2, 1],
  outside: [3, 1],
  workshop: [1, 2],
  bathroom: [2, 2],
  foundry: [3, 2],
};

/** Temperature from which a thing is drawn as hot, and below which as cold. */
const HOT = 60;
const COLD = 5;

/** Whether a value is SciWorld's additional state for a house with this number of things. */
export function isSciWorldOwn(value: unknown, things: number): value is SciWorldOwn {
  if (typeof value !== 'object' || value === null) return false;
  const { doors, degrees, focus, reached, extras, failed } = value as Record<string, unknown>;
  return (
    [doors, reached, extras].every((n) => typeof n === 'number' && Number.isInteger(n) && n >= 0) &&
    typeof focus === 'number' &&
    Number.isInteger(focus) &&
    focus >= -1 &&
    focus < things &&
    typeof failed === 'boolean' &&
    Array.isArray(degrees) &&
    degrees.length === things &&
    degrees.every((n) => typeof n === 'number' && Number.isFinite(n))
  );
}

export function sciworldScene(now: SciWorldNow, turnLimit: number): HouseScene {
  const { task, state } = now;
  const { own } = state;
  const { ordered, optional } = goalsOf(task);
  const columns = task.rooms.map((room) => CELLS[room][0]);
  const rows = task.rooms.map((room) => CELLS[room][1]);
  const [left, top] = [Math.min(...columns), Math.min(...rows)];
  const solved = isSolved(now);
  return {
    goal: task.goal,
    places: task.rooms.map((room, i) => ({
      thing: i,
      name: room,
      form: 'room',
      color: '',
      open: null,
      wanted: isAimed(task, i),
      seen: has(state, i, SEEN),
      here: state.at === i,
      items: itemsIn(now, i, null, !has(state, i, SEEN)),
      cell: { column: CELLS[room][0] - left, row: CELLS[room][1] - top },
    })),
    doors: doorsOf(now),
    carried: itemsIn(now, HAND, null, false),
    steps: [
      ...ordered.map(({ text }, i) => ({ text, done: i < own.reached, must: true })),
      ...optional.map(({ text }, i) => ({
        text,
        done: (own.extras & (1 << i)) !== 0,
        must: false,
      })),
    ],
    said: state.said,
    answer: state.answer,
    refused: state.answer === NO_ACTION || state.answer === NOT_UNDERSTOOD,
    turn: state.turn,
    turnLimit,
    outcome: solved
      ? 'success'
      : own.failed
        ? 'lost'
        : state.turn >= turnLimit
          ? 'out of turns'
          : 'running',
  };
}

/** The contents of a place, recursively: each thing after its container. */
function itemsIn(
  now: SciWorldNow,
  place: number,
  inside: number | null,
  unseen: boolean,
): readonly SceneItem[] {
  const { task, state } = now;
  return contentsOf(state, place).flatMap((thing) => {
    const name = task.house.names[thing] ?? '';
    const item = {
      thing,
      name,
      icon: iconOf(name),
      notes: notesOf(now, thing),
      wanted: isAimed(task, thing) || state.own.focus === thing,
      unseen,
      inside,
    };
    return [item, ...itemsIn(now, thing, thing, unseen || !isOpen(now, thing))];
  });
}

function notesOf(now: SciWorldNow, thing: number): readonly string[] {
  const { task, state } = now;
  const sort = sortOf(task, thing);
  const notes: string[] = [];
  if (sort === 'material') {
    const degrees = state.own.degrees[thing] ?? 0;
    notes.push(matterOf(now, thing));
    if (degrees >= HOT) notes.push('hot');
    if (degrees < COLD) notes.push('cool');
  }
  if (sort === 'device' && task.entries[thing]?.always !== true) {
    notes.push(isOn(now, thing) ? 'shining' : 'off');
  }
  if (opens(task, thing)) notes.push(isOpen(now, thing) ? 'open' : 'closed');
  if (state.own.focus === thing) notes.push('focused');
  return notes;
}

/** Whether the task is about a thing or a room. */
function isAimed(task: SciWorldTask, thing: number): boolean {
  const { aim } = task;
  switch (aim.kind) {
    case 'find':
      return thing === aim.box || isOf(task, thing, aim.sorts);
    case 'life span':
      return thing === aim.room || aim.order.includes(thing);
    case 'change':
      return thing === aim.material;
    case 'measure':
      return [aim.material, aim.thermometer, aim.box].includes(thing);
    case 'paint':
      return thing === aim.paint || aim.of.includes(thing);
    default:
      return aim satisfies never;
  }
}

function doorsOf(now: SciWorldNow): readonly SceneDoor[] {
  const { rooms } = now.task;
  return DOORS.flatMap(([a, b], door) => {
    const between = [rooms.indexOf(a), rooms.indexOf(b)] as const;
    if (between.includes(-1)) return [];
    return { between, open: isPassable(now, { door, to: between[1] }) };
  });
}
