/** Sub-goals: required ones in order, optional ones, and what fails the task. */

import { HAND, has, NOWHERE } from '../core/house.ts';
import { PRIMARIES } from './catalogue.ts';
import {
  isOn,
  matterOf,
  type SciWorldNow,
  type SciWorldOwn,
  type SciWorldTask,
  sortOf,
} from './world.ts';

/** Of a thing: its temperature has been measured. */
export const MEASURED = 8;

/** A sub-goal: its name in the view, and whether a state reaches it. */
interface SubGoal {
  readonly text: string;
  readonly holds: (now: SciWorldNow) => boolean;
}

interface SubGoals {
  /** The task succeeds when all of these are reached, in this order. */
  readonly ordered: readonly SubGoal[];
  /** These may be reached in any order; each counts once. */
  readonly optional: readonly SubGoal[];
}

const name = ({ house }: SciWorldTask, thing: number): string => house.names[thing] ?? '';

const focused =
  (thing: number) =>
  ({ state }: SciWorldNow): boolean =>
    state.own.focus === thing;

const at =
  (room: number) =>
  ({ state }: SciWorldNow): boolean =>
    state.at === room;

const opened: SubGoal = {
  text: 'open a door',
  holds: ({ task, state }) => state.own.doors !== task.start.own.doors,
};
const left: SubGoal = {
  text: 'go to another room',
  holds: ({ task, state }) => state.at !== task.start.at,
};
const carried = (text: string, fits: (thing: number) => boolean): SubGoal => ({
  text,
  holds: ({ state }) => state.within.some((place, thing) => place === HAND && fits(thing)),
});

/** The sub-goals of a task. */
function subGoalsOf(task: SciWorldTask): SubGoals {
  const { aim } = task;
  switch (aim.kind) {
    case 'find': {
      const room = task.start.within[aim.box] ?? 0;
      const fits = (thing: number) => isOf(task, thing, aim.sorts);
      return {
        ordered: [
          { text: 'focus on such a thing', holds: ({ state }) => fits(state.own.focus) },
          {
            text: `move it to the ${name(task, aim.box)}`,
            holds: ({ state }) => state.within[state.own.focus] === aim.box,
          },
        ],
        optional: [
          carried('pick one up', fits),
          opened,
          left,
          { text: `be in the ${name(task, room)}`, holds: at(room) },
        ],
      };
    }
    case 'life span':
      return {
        ordered: aim.order.map((animal, i) => ({
          text: i === 0 ? 'focus on the animal' : 'focus on the other one',
          holds: focused(animal),
        })),
        optional: [
          opened,
          left,
          { text: `be in the ${name(task, aim.room)}`, holds: at(aim.room) },
        ],
      };
    case 'change':
      return {
        ordered: [
          { text: 'focus on the substance', holds: focused(aim.material) },
          {
            text: 'change its state',
            holds: (now) => {
              const matter = matterOf(now, aim.material);
              return aim.to === 'liquid' ? matter !== 'solid' : matter === aim.to;
            },
          },
        ],
        optional: [
          carried('pick it up', (thing) => thing === aim.material || holdsMaterial(task, thing)),
          {
            text: 'put it into a device',
            holds: ({ state }) => {
              const place = state.within[aim.material] ?? 0;
              const above = state.within[place] ?? 0;
              return [place, above].some((thing) => sortOf(task, thing) === 'device');
            },
          },
          {
            text: 'turn a device on',
            holds: (now) =>
              task.entries.some(
                ({ sort, always }, thing) =>
                  sort === 'device' && always !== true && isOn(now, thing),
              ),
          },
        ],
      };
    case 'measure':
      return {
        ordered: [
          { text: 'focus on the thermometer', holds: focused(aim.thermometer) },
          { text: 'focus on the substance', holds: focused(aim.material) },
          { text: 'measure it', holds: ({ state }) => has(state, aim.material, MEASURED) },
          {
            text: 'place it in the right box',
            holds: ({ state }) => state.within[aim.material] === aim.box,
          },
        ],
        optional: [
          carried('pick up the thermometer', (thing) => thing === aim.thermometer),
          left,
          { text: `be in the ${name(task, aim.room)}`, holds: at(aim.room) },
        ],
      };
    case 'paint':
      return {
        ordered: [
          { text: 'mix it', holds: ({ state }) => state.within[aim.paint] !== NOWHERE },
          { text: 'focus on it', holds: focused(aim.paint) },
        ],
        optional: [
          left,
          {
            text: 'pour the paints together',
            holds: ({ state }) => {
              const [a, b] = aim.of.map((paint) => state.within[paint] ?? NOWHERE);
              return a !== NOWHERE && a === b;
            },
          },
        ],
      };
    default:
      return aim satisfies never;
  }
}

const holdsMaterial = ({ aim, start }: SciWorldTask, thing: number): boolean =>
  aim.kind === 'change' && start.within[aim.material] === thing;

export const isOf = (task: SciWorldTask, thing: number, sorts: readonly string[]): boolean =>
  thing >= 0 && sorts.includes(sortOf(task, thing));

/** Whether the agent may focus on a thing next without failing the task. */
function mayFocus({ task, state }: SciWorldNow, thing: number): boolean {
  const { aim } = task;
  const { reached } = state.own;
  switch (aim.kind) {
    case 'find':
      return isOf(task, thing, aim.sorts);
    case 'life span':
      return aim.order.slice(0, reached + 1).includes(thing);
    case 'change':
      return thing === aim.material;
    case 'measure':
      return thing === aim.thermometer || (thing === aim.material && reached >= 1);
    case 'paint':
      return thing === aim.paint;
    default:
      return aim satisfies never;
  }
}

/** Whether the last turn fails the task. */
function fails(before: SciWorldNow, after: SciWorldNow): boolean {
  const { task, state } = after;
  const { focus } = state.own;
  if (focus !== before.state.own.focus && !mayFocus(before, focus)) return true;
  const { aim } = task;
  if (aim.kind === 'find') {
    const place = focus < 0 ? -1 : (state.within[focus] ?? -1);
    return place >= 0 && place !== aim.box && sortOf(task, place) === 'box';
  }
  if (aim.kind === 'measure') return state.within[aim.material] === aim.wrong;
  return aim.kind === 'paint' && isSpoilt(after, aim);
}

/** Whether the paint can no longer be mixed: a component is used up or in a container with a third paint. */
function isSpoilt(
  { task, state }: SciWorldNow,
  { paint, of }: { readonly paint: number; readonly of: readonly [number, number] },
): boolean {
  if (state.within[paint] !== NOWHERE) return false;
  const places = of.map((one) => state.within[one] ?? NOWHERE);
  if (places.includes(NOWHERE)) return true;
  const others = PRIMARIES.flatMap((primary) => task.house.numberOf.get(primary) ?? []).filter(
    (primary) => !of.includes(primary),
  );
  return others.some((other) => places.includes(state.within[other] ?? NOWHERE));
}

/** The sub-goals reached after a turn. */
export function judged(before: SciWorldNow, after: SciWorldNow): SciWorldOwn {
  const { own } = after.state;
  if (fails(before, after)) return { ...own, failed: true };
  const { ordered, optional } = goalsOf(after.task);
  let { reached, extras } = own;
  while (ordered[reached]?.holds(after) === true) reached++;
  for (const [i, { holds }] of optional.entries()) {
    if ((extras & (1 << i)) === 0 && holds(after)) extras |= 1 << i;
  }
  return reached === own.reached && extras === own.extras ? own : { ...own, reached, extras };
}

const known = new WeakMap<SciWorldTask, SubGoals>();

/** `subGoalsOf`, cached per task. */
export function goalsOf(task: SciWorldTask): SubGoals {
  let goals = known.get(task);
  if (goals === undefined) {
    goals = subGoalsOf(task);
    known.set(task, goals);
  }
  return goals;
}

export const isSolved = ({ task, state }: SciWorldNow): boolean =>
  !state.own.failed && state.own.reached === goalsOf(task).ordered.length;

/**
 * From 0 to 1: the share of the N ordered sub-goals that are reached. The U optional ones together add less
 * than one ordered sub-goal.
 */
export function scoreOf({ task, state }: SciWorldNow): number {
  const { ordered, optional } = goalsOf(task);
  const { reached, extras } = state.own;
  const [n, u] = [ordered.length, optional.length];
  let found = 0;
  for (let i = 0; i < u; i++) found += (extras >> i) & 1;
  return Math.min(1, reached / n + found / (u * (n + 1)));
}
