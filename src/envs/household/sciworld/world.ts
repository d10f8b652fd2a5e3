/** Houses of SciWorld: rooms with doors between them, things in rooms and in other things. */

import { HAND, has } from '../core/house.ts';
import type { HouseTask } from '../core/kit.ts';
import type { Now } from '../core/verbs.ts';
import type { Entry, Sort } from './catalogue.ts';
import type { Paths, Room, Way } from './map.ts';

/** Of a door: open. Of a device: on. Of a room: the agent has looked around. */
export const OPEN = 1;
export const ON = 2;
export const SEEN = 4;

/** The goal of a task. Things are numbers within its house. */
export type Aim =
  | { readonly kind: 'find'; readonly sorts: readonly Sort[]; readonly box: number }
  /** Focus on these, one after the other. */
  | { readonly kind: 'life span'; readonly order: readonly number[]; readonly room: number }
  | { readonly kind: 'change'; readonly material: number; readonly to: Matter }
  | {
      readonly kind: 'measure';
      readonly material: number;
      readonly thermometer: number;
      readonly box: number;
      readonly wrong: number;
      readonly room: number;
    }
  | {
      readonly kind: 'paint';
      readonly paint: number;
      readonly of: readonly [number, number];
    };

export type Matter = 'solid' | 'liquid' | 'gas';

/** State in addition to places and marks. */
export interface SciWorldOwn {
  /** A bit for each open door of the map. */
  readonly doors: number;
  /** Of each thing, in degrees Celsius. */
  readonly degrees: readonly number[];
  /** The thing the agent focused on last; -1 at the start. */
  readonly focus: number;
  /** Number of ordered sub-goals reached, and a bit for each optional one. */
  readonly reached: number;
  readonly extras: number;
  /** Whether an action has failed the task. */
  readonly failed: boolean;
}

export interface SciWorldTask extends HouseTask<SciWorldOwn> {
  readonly aim: Aim;
  readonly entries: readonly Entry[];
  /** By number: rooms come before all other things. */
  readonly rooms: readonly Room[];
  readonly ways: readonly (readonly Way[])[];
  readonly paths: Paths;
  /** Things that change temperature in this house, if any. */
  readonly warm: readonly number[];
}

export type SciWorldNow = Now<SciWorldTask, SciWorldOwn>;

export const isRoom = ({ rooms }: SciWorldTask, thing: number): boolean => thing < rooms.length;

export const sortOf = (task: SciWorldTask, thing: number): Sort | 'room' =>
  isRoom(task, thing) ? 'room' : (task.entries[thing]?.sort ?? 'object');

export const opens = (task: SciWorldTask, thing: number): boolean =>
  !isRoom(task, thing) && task.entries[thing]?.opens === true;

/** Whether the contents of a thing are visible and reachable. */
export const isOpen = ({ task, state }: SciWorldNow, thing: number): boolean =>
  !opens(task, thing) || has(state, thing, OPEN);

export const isOn = ({ task, state }: SciWorldNow, device: number): boolean =>
  task.entries[device]?.always === true || has(state, device, ON);

/** Whether it can contain other things. */
export function holds(task: SciWorldTask, thing: number): boolean {
  const sort = sortOf(task, thing);
  return sort === 'container' || sort === 'box' || sort === 'device' || sort === 'room';
}

/** Whether it can be carried without a container. Paints cannot, nor can materials that are in one. */
export function moves({ task, state }: SciWorldNow, thing: number): boolean {
  const sort = sortOf(task, thing);
  if (sort === 'room' || sort === 'device' || sort === 'box') return false;
  if (sort !== 'material' && sort !== 'paint') return true;
  const place = state.within[thing] ?? 0;
  return sort === 'material' && (place < 0 || sortOf(task, place) !== 'container');
}

/** The room that contains a thing, directly or not; HAND if it is carried. */
export function placeOf({ task, state }: SciWorldNow, thing: number): number {
  let place = thing;
  for (let up = state.within[place]; up !== undefined && !isRoom(task, place); ) {
    place = up;
    if (place < 0) return place;
    up = state.within[place];
  }
  return place;
}

/** Whether the agent sees a thing: in its room or carried, and not in a closed container. */
export function isVisible(now: SciWorldNow, thing: number): boolean {
  const { task, state } = now;
  if (isRoom(task, thing)) return false;
  for (let place = state.within[thing] ?? -2; ; place = state.within[place] ?? -2) {
    if (place === HAND) return true;
    if (place < 0) return false;
    if (isRoom(task, place)) return place === state.at;
    if (!isOpen(now, place)) return false;
  }
}

export function visible(now: SciWorldNow): readonly number[] {
  const found: number[] = [];
  for (let thing = now.task.rooms.length; thing < now.state.within.length; thing++) {
    if (isVisible(now, thing)) found.push(thing);
  }
  return found;
}

/** The door between the agent's room and another; null if there is none. */
export const wayTo = ({ task, state }: SciWorldNow, room: number): Way | null =>
  task.ways[state.at]?.find(({ to }) => to === room) ?? null;

export const isPassable = ({ state }: SciWorldNow, { door }: Way): boolean =>
  (state.own.doors & (1 << door)) !== 0;

/** The state of matter of a material at its temperature. */
export function matterOf({ task, state }: SciWorldNow, thing: number): Matter {
  const { melts = 0, boils = 0 } = task.entries[thing] ?? {};
  const degrees = state.own.degrees[thing] ?? 0;
  return degrees < melts ? 'solid' : degrees < boils ? 'liquid' : 'gas';
}
