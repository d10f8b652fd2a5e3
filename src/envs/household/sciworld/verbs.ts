import { contentsOf, HAND, marked, NOWHERE } from '../core/house.ts';
import { type Effect, fill, type Verb } from '../core/verbs.ts';
import { MIXTURES } from './catalogue.ts';
import { MEASURED } from './judge.ts';
import { about, inventoryText, lookText, NO_ACTION, reading, roomText, SAYS } from './text.ts';
import {
  holds,
  isOn,
  isOpen,
  isPassable,
  isRoom,
  isVisible,
  matterOf,
  moves,
  ON,
  OPEN,
  opens,
  type SciWorldNow,
  type SciWorldOwn,
  type SciWorldTask,
  SEEN,
  sortOf,
  visible,
  wayTo,
} from './world.ts';

type SciWorldVerb = Verb<SciWorldTask, SciWorldOwn>;
type Now = SciWorldNow;
type Done = Effect<SciWorldOwn>;

const nameOf = ({ task }: Now, thing: number): string => task.house.names[thing] ?? '';

// Candidates for a verb's arguments.
const neighbors = ({ task, state }: Now): readonly number[] =>
  (task.ways[state.at] ?? []).map(({ to }) => to);
const things = (which: (now: Now, thing: number) => boolean) => (now: Now) =>
  visible(now).filter((thing) => which(now, thing));
const isDoored = ({ task }: Now, thing: number) => opens(task, thing);
const isHolder = ({ task }: Now, thing: number) => holds(task, thing);
const isContainer = ({ task }: Now, thing: number) => sortOf(task, thing) === 'container';
const isSwitched = ({ task }: Now, thing: number) =>
  sortOf(task, thing) === 'device' && task.entries[thing]?.always !== true;
const isInstrument = ({ task }: Now, thing: number) => sortOf(task, thing) === 'instrument';
const isHeld = ({ state }: Now, thing: number) => state.within[thing] === HAND;
const anything = () => true;

/** A condition, the reply if it fails, and the thing concerned. */
type Reason = readonly [fine: boolean, says: string, thing?: number];

/** The first failed condition; its text is only built if needed. */
function firstOf(now: Now, ...reasons: readonly Reason[]): string | null {
  for (const [fine, says, thing] of reasons) {
    if (!fine) return thing === undefined ? says : about(now, thing, says);
  }
  return null;
}

/** An action on a thing that is not in view gets the reply to an unknown action. */
const there = (now: Now, thing: number): Reason => [isVisible(now, thing), NO_ACTION];

export const openDoor = {
  pattern: 'open door to {}',
  meaning: 'open the door to a room',
  candidates: [neighbors],
  refusal(now, room) {
    const way = wayTo(now, room);
    if (way === null) return NO_ACTION;
    return isPassable(now, way) ? SAYS.doorAlready : null;
  },
  act: (now, room) => turned(now, room, SAYS.doorOpen),
} as const satisfies SciWorldVerb;

const closeDoor = {
  pattern: 'close door to {}',
  meaning: 'close the door to a room',
  candidates: [neighbors],
  refusal(now, room) {
    const way = wayTo(now, room);
    if (way === null) return NO_ACTION;
    return isPassable(now, way) ? null : SAYS.doorAlreadyClosed;
  },
  act: (now, room) => turned(now, room, SAYS.doorClosed),
} as const satisfies SciWorldVerb;

/** Opens or closes the door to a room. */
function turned(now: Now, room: number, reply: string): Done {
  const { own } = now.state;
  const bit = 1 << (wayTo(now, room)?.door ?? 0);
  return { reply, own: { ...own, doors: own.doors ^ bit } };
}

export const go = {
  pattern: 'go to {}',
  meaning: 'go to a room next door',
  candidates: [neighbors],
  refusal(now, room) {
    const way = isRoom(now.task, room) ? wayTo(now, room) : null;
    if (way === null) return SAYS.noWay;
    return isPassable(now, way) ? null : SAYS.doorNotOpen;
  },
  act: (now, room): Done => ({ reply: `${SAYS.moveTo} ${nameOf(now, room)}.`, at: room }),
} as const satisfies SciWorldVerb;

export const open = {
  pattern: 'open {}',
  meaning: 'open what has a door of its own',
  candidates: [things(isDoored)],
  refusal: (now, thing) =>
    firstOf(
      now,
      there(now, thing),
      [opens(now.task, thing), SAYS.notOpenable, thing],
      [!isOpen(now, thing), SAYS.alreadyOpen, thing],
    ),
  act: (now, thing): Done => ({
    reply: about(now, thing, SAYS.isOpen),
    marks: marked(now.state.marks, thing, OPEN),
  }),
} as const satisfies SciWorldVerb;

const close = {
  pattern: 'close {}',
  meaning: 'close it again',
  candidates: [things(isDoored)],
  refusal: (now, thing) =>
    firstOf(
      now,
      there(now, thing),
      [opens(now.task, thing), SAYS.notOpenable, thing],
      [isOpen(now, thing), SAYS.alreadyClosed, thing],
    ),
  act: (now, thing): Done => ({
    reply: about(now, thing, SAYS.isClosed),
    marks: marked(now.state.marks, thing, 0, OPEN),
  }),
} as const satisfies SciWorldVerb;

export const activate = {
  pattern: 'activate {}',
  meaning: 'turn a device on',
  candidates: [things(isSwitched)],
  refusal: (now, thing) =>
    firstOf(
      now,
      there(now, thing),
      [sortOf(now.task, thing) === 'device', SAYS.notDevice, thing],
      [!isOn(now, thing), SAYS.alreadyOn, thing],
    ),
  act: (now, thing): Done => ({
    reply: about(now, thing, SAYS.isActivated),
    marks: marked(now.state.marks, thing, ON),
  }),
} as const satisfies SciWorldVerb;

const deactivate = {
  pattern: 'deactivate {}',
  meaning: 'turn a device off',
  candidates: [things(isSwitched)],
  refusal: (now, thing) =>
    firstOf(
      now,
      there(now, thing),
      [isSwitched(now, thing), SAYS.notDevice, thing],
      [isOn(now, thing), SAYS.alreadyOff, thing],
    ),
  act: (now, thing): Done => ({
    reply: about(now, thing, SAYS.isDeactivated),
    marks: marked(now.state.marks, thing, 0, ON),
  }),
} as const satisfies SciWorldVerb;

/** Whether a place is the given thing or lies inside it, directly or not. */
function isInside({ state }: Now, place: number, thing: number): boolean {
  for (let up = place; up >= 0; up = state.within[up] ?? NOWHERE) if (up === thing) return true;
  return false;
}

export const move = {
  pattern: 'move {} to {}',
  meaning: 'put a thing into or onto another',
  candidates: [things(moves), things(isHolder)],
  refusal: (now, thing, place) =>
    firstOf(
      now,
      there(now, thing),
      there(now, place),
      [moves(now, thing), SAYS.notMoveable, thing],
      [holds(now.task, place), SAYS.notContainer, place],
      [isOpen(now, place), SAYS.notOpen, place],
      [!isInside(now, place, thing), SAYS.itself],
    ),
  act: (now, thing, place): Done => ({
    reply: `${SAYS.move} ${nameOf(now, thing)} ${SAYS.to} ${nameOf(now, place)}.`,
    within: now.state.within.with(thing, place),
  }),
} as const satisfies SciWorldVerb;

export const pickUp = {
  pattern: 'pick up {}',
  meaning: 'carry a thing with you',
  candidates: [things((now, thing) => moves(now, thing) && !isHeld(now, thing))],
  refusal: (now, thing) =>
    firstOf(
      now,
      there(now, thing),
      [moves(now, thing), SAYS.notMoveable, thing],
      [!isHeld(now, thing), NO_ACTION],
    ),
  act: (now, thing): Done => ({
    reply: `${SAYS.move} ${nameOf(now, thing)} ${SAYS.toInventory}`,
    within: now.state.within.with(thing, HAND),
  }),
} as const satisfies SciWorldVerb;

const putDown = {
  pattern: 'put down {}',
  meaning: 'leave a thing that you carry where you are',
  candidates: [things(isHeld)],
  refusal: (now, thing) => (isHeld(now, thing) ? null : NO_ACTION),
  act: (now, thing): Done => ({
    reply: `${SAYS.move} ${nameOf(now, thing)} ${SAYS.to} ${nameOf(now, now.state.at)}.`,
    within: now.state.within.with(thing, now.state.at),
  }),
} as const satisfies SciWorldVerb;

export const pour = {
  pattern: 'pour {} into {}',
  meaning: 'pour what is in a container into another',
  candidates: [things(isContainer), things(isContainer)],
  refusal: (now, from, into) =>
    firstOf(
      now,
      there(now, from),
      there(now, into),
      [isContainer(now, from), SAYS.notContainer, from],
      [isContainer(now, into), SAYS.notContainer, into],
      [!isInside(now, into, from), SAYS.itself],
      [contentsOf(now.state, from).length > 0, SAYS.empty, from],
    ),
  act(now, from, into): Done {
    const { within } = now.state;
    return {
      reply: `${SAYS.pour} ${nameOf(now, from)} ${SAYS.into} ${nameOf(now, into)}.`,
      within: within.map((place) => (place === from ? into : place)),
    };
  },
} as const satisfies SciWorldVerb;

/** The paint that a container's contents make when mixed, and its components; null if they do not mix. */
function mixture(now: Now, container: number): { paint: number; of: readonly number[] } | null {
  const inside = contentsOf(now.state, container);
  const names = inside.map((thing) => nameOf(now, thing));
  const made = Object.entries(MIXTURES).find(
    ([, of]) => inside.length === 2 && of.every((paint) => names.includes(paint)),
  );
  const paint = made === undefined ? undefined : now.task.house.numberOf.get(made[0]);
  return paint === undefined ? null : { paint, of: inside };
}

export const mix = {
  pattern: 'mix {}',
  meaning: 'mix what is in a container',
  candidates: [things(isContainer)],
  refusal: (now, container) =>
    firstOf(
      now,
      there(now, container),
      [isContainer(now, container), SAYS.notContainer, container],
      [mixture(now, container) !== null, `${SAYS.mixed} ${nameOf(now, container)} ${SAYS.noMix}`],
    ),
  act(now, container): Done {
    const made = mixture(now, container);
    const { within } = now.state;
    if (made === null) return { reply: NO_ACTION };
    const [a, b] = made.of.map((paint) => nameOf(now, paint));
    return {
      reply: `${a} and ${b} ${SAYS.mix} ${nameOf(now, made.paint)}.`,
      within: within.map((place, thing) =>
        thing === made.paint ? container : made.of.includes(thing) ? NOWHERE : place,
      ),
    };
  },
} as const satisfies SciWorldVerb;

export const use = {
  pattern: 'use {} on {}',
  meaning: 'use an instrument on a thing',
  candidates: [things(isInstrument), things(anything)],
  refusal: (now, tool, thing) =>
    firstOf(now, there(now, tool), there(now, thing), [
      isInstrument(now, tool) && tool !== thing,
      SAYS.noUse,
    ]),
  act: (now, _tool, thing): Done => ({
    reply: reading(now.state.own.degrees[thing] ?? 0),
    marks: marked(now.state.marks, thing, MEASURED),
  }),
} as const satisfies SciWorldVerb;

export const focus = {
  pattern: 'focus on {}',
  meaning: 'tell which thing you mean; a wrong one fails the task',
  candidates: [things(anything)],
  refusal: (now, thing) => firstOf(now, there(now, thing)),
  act: (now, thing): Done => ({
    reply: `${SAYS.focus} ${nameOf(now, thing)}.`,
    own: { ...now.state.own, focus: thing },
  }),
} as const satisfies SciWorldVerb;

export const lookAround = {
  pattern: 'look around',
  meaning: 'see what is in the room',
  candidates: [],
  refusal: () => null,
  act: (now): Done => ({
    reply: roomText(now),
    marks: marked(now.state.marks, now.state.at, SEEN),
  }),
} as const satisfies SciWorldVerb;

/** `look at`, `look in` and `examine` are synonyms; only the offered one has candidates. */
const lookAt = (pattern: string, offered: boolean): SciWorldVerb => ({
  pattern,
  meaning: 'see what is in or on a thing, and how it is',
  candidates: [offered ? visible : () => []],
  refusal: (now, thing) => firstOf(now, there(now, thing)),
  act: (now, thing) => ({
    reply: lookText(now, thing, isMatter(now, thing) ? matterOf(now, thing) : null),
  }),
});

const isMatter = ({ task }: Now, thing: number) => sortOf(task, thing) === 'material';

const plain = (pattern: string, meaning: string, reply: (now: Now) => string): SciWorldVerb => ({
  pattern,
  meaning,
  candidates: [],
  refusal: () => null,
  act: (now) => ({ reply: reply(now) }),
});

export const wait = plain('wait', 'let ten moments pass', () => SAYS.wait);

export const sciworldVerbs: readonly SciWorldVerb[] = [
  ...[openDoor, closeDoor, go, open, close, activate, deactivate],
  ...[move, pickUp, putDown, pour, mix, use, focus, lookAround],
  ...[lookAt('look at {}', true), lookAt('look in {}', false), lookAt('examine {}', false)],
  plain('inventory', 'tell what you carry', inventoryText),
  plain('task', 'read the task again', ({ task }) => task.goal),
  wait,
  plain('wait1', 'let a moment pass', () => SAYS.wait1),
];

/** An action in words. */
export function say({ pattern }: SciWorldVerb, now: Now, ...about: readonly number[]): string {
  return fill(pattern, ...about.map((thing) => nameOf(now, thing)));
}
