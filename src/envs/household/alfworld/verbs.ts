import { contentsOf, HAND, has, marked } from '../core/house.ts';
import { type Effect, fill, type Verb } from '../core/verbs.ts';
import { inventoryText, lookText, NOTHING_HAPPENS, openText, placeText } from './text.ts';
import {
  type AlfworldNow,
  type AlfworldTask,
  CLEAN,
  COOL,
  fits,
  HOT,
  held,
  isOfKind,
  isOpen,
  isPlace,
  OPEN,
  opens,
  SEEN,
  SLICED,
  traits,
  USED,
} from './world.ts';

type AlfworldVerb = Verb<AlfworldTask, null>;
type Now = AlfworldNow;

// Candidates for a verb's arguments.
const places = ({ task }: Now): readonly number[] => [...Array(task.places).keys()];
const here = ({ state }: Now): readonly number[] => (state.at < 0 ? [] : [state.at]);
const inHand = (now: Now): readonly number[] => {
  const thing = held(now);
  return thing === undefined ? [] : [thing];
};
const reachable = (now: Now): readonly number[] =>
  here(now).flatMap((place) => (isOpen(now, place) ? contentsOf(now.state, place) : []));
const inSight = (now: Now): readonly number[] => [...here(now), ...reachable(now), ...inHand(now)];

const isHeld = ({ state }: Now, thing: number) => state.within[thing] === HAND;
const isReachable = (now: Now, thing: number) =>
  now.state.at >= 0 && now.state.within[thing] === now.state.at && isOpen(now, now.state.at);

/** The original has one reply for every impossible action. */
const unless = (possible: boolean): string | null => (possible ? null : NOTHING_HAPPENS);

const nameOf = ({ task }: Now, thing: number): string => task.house.names[thing] ?? '';

/** The marks after the agent has seen a place. */
const seen = ({ state }: Now, place: number): readonly number[] => marked(state.marks, place, SEEN);

export const go = {
  pattern: 'go to {}',
  meaning: 'go to a piece of furniture or an appliance',
  candidates: [places],
  refusal: ({ task, state }, place) => unless(isPlace(task, place) && state.at !== place),
  act(now, place): Effect<null> {
    const reply = placeText(now, place);
    return isOpen(now, place)
      ? { reply, at: place, marks: seen(now, place) }
      : { reply, at: place };
  },
} as const satisfies AlfworldVerb;

export const open = {
  pattern: 'open {}',
  meaning: 'open what you stand at',
  candidates: [here],
  refusal: (now, place) => unless(now.state.at === place && !isOpen(now, place)),
  act({ task, state }, place): Effect<null> {
    return {
      reply: `You open the ${task.house.names[place]}. ${openText(task, state, place)}`,
      marks: marked(state.marks, place, OPEN | SEEN),
    };
  },
} as const satisfies AlfworldVerb;

const close = {
  pattern: 'close {}',
  meaning: 'close what you stand at',
  candidates: [here],
  refusal: ({ task, state }, place) =>
    unless(state.at === place && opens(task, place) && has(state, place, OPEN)),
  act(now, place): Effect<null> {
    return {
      reply: `You close the ${nameOf(now, place)}.`,
      marks: marked(now.state.marks, place, 0, OPEN),
    };
  },
} as const satisfies AlfworldVerb;

export const take = {
  pattern: 'take {} from {}',
  meaning: 'take a thing, with your hand empty',
  candidates: [reachable, here],
  refusal: (now, thing, place) =>
    unless(
      now.state.at === place &&
        isReachable(now, thing) &&
        traits(now.task, thing).shines !== true &&
        held(now) === undefined,
    ),
  act(now, thing, place): Effect<null> {
    return {
      reply: `You pick up the ${nameOf(now, thing)} from the ${nameOf(now, place)}.`,
      within: now.state.within.with(thing, HAND),
    };
  },
} as const satisfies AlfworldVerb;

export const put = {
  pattern: 'put {} in/on {}',
  meaning: 'put the thing in your hand where such a thing belongs',
  candidates: [inHand, here],
  refusal: (now, thing, place) =>
    unless(
      now.state.at === place &&
        isHeld(now, thing) &&
        isOpen(now, place) &&
        fits(now.task, thing, place),
    ),
  act(now, thing, place): Effect<null> {
    return {
      reply: `You put the ${nameOf(now, thing)} in/on the ${nameOf(now, place)}.`,
      within: now.state.within.with(thing, place),
    };
  },
} as const satisfies AlfworldVerb;

type Trait = 'heats' | 'cools' | 'cleans';

/** An appliance, which may stay closed, adds one mark to the held thing and removes another. */
const treat = (
  word: string,
  appliance: string,
  trait: Trait,
  mark: number,
  taken: number,
): AlfworldVerb => ({
  pattern: `${word} {} with {}`,
  meaning: `${word} the thing in your hand, at a ${appliance}`,
  candidates: [inHand, here],
  refusal: (now, thing, place) =>
    unless(
      now.state.at === place &&
        isOfKind(now.task, place, appliance) &&
        isHeld(now, thing) &&
        traits(now.task, thing)[trait] === true,
    ),
  act: (now, thing, place) => ({
    reply: `You ${word} the ${nameOf(now, thing)} using the ${nameOf(now, place)}.`,
    marks: marked(now.state.marks, thing, mark, taken),
  }),
});

/** The appliance and the verb of each treatment. */
export const treatments = {
  hot: { appliance: 'microwave', verb: treat('heat', 'microwave', 'heats', HOT, COOL) },
  cool: { appliance: 'fridge', verb: treat('cool', 'fridge', 'cools', COOL, HOT) },
  clean: { appliance: 'sinkbasin', verb: treat('clean', 'sinkbasin', 'cleans', CLEAN, 0) },
} as const;

const slice = {
  pattern: 'slice {} with {}',
  meaning: 'slice a thing, with a knife in your hand',
  candidates: [reachable, inHand],
  refusal: (now, thing, tool) =>
    unless(
      isReachable(now, thing) &&
        traits(now.task, thing).slices === true &&
        !has(now.state, thing, SLICED) &&
        isHeld(now, tool) &&
        traits(now.task, tool).cuts === true,
    ),
  act(now, thing, tool): Effect<null> {
    return {
      reply: `You slice the ${nameOf(now, thing)} with the ${nameOf(now, tool)}.`,
      marks: marked(now.state.marks, thing, SLICED),
    };
  },
} as const satisfies AlfworldVerb;

export const use = {
  pattern: 'use {}',
  meaning: 'turn on a lamp',
  candidates: [reachable],
  refusal: (now, thing) =>
    unless(
      !isPlace(now.task, thing) &&
        isReachable(now, thing) &&
        traits(now.task, thing).shines === true &&
        !has(now.state, thing, USED),
    ),
  act(now, thing): Effect<null> {
    return {
      reply: `You turn on the ${nameOf(now, thing)}.`,
      marks: marked(now.state.marks, thing, USED),
    };
  },
} as const satisfies AlfworldVerb;

/** Properties of a thing in the reply to `examine`. */
const ADJECTIVES = [
  [CLEAN, 'clean'],
  [HOT, 'hot'],
  [COOL, 'cool'],
  [SLICED, 'sliced'],
  [USED, 'shining'],
] as const;

function examined(now: Now, thing: number): string {
  const name = nameOf(now, thing);
  if (isPlace(now.task, thing)) return placeText(now, thing);
  const found = ADJECTIVES.flatMap(([mark, word]) => (has(now.state, thing, mark) ? word : []));
  return found.length === 0
    ? `There is nothing special about the ${name}.`
    : `This is a ${found.join(' ')} ${name}.`;
}

const examine = {
  pattern: 'examine {}',
  meaning: 'look at where you stand, or at a thing there or in your hand',
  candidates: [inSight],
  refusal: (now, thing) =>
    unless(now.state.at === thing || isHeld(now, thing) || isReachable(now, thing)),
  act: (now, thing): Effect<null> => ({ reply: examined(now, thing) }),
} as const satisfies AlfworldVerb;

const look = {
  pattern: 'look',
  meaning: 'look around',
  candidates: [],
  refusal: () => null,
  act: (now): Effect<null> => ({ reply: lookText(now) }),
} as const satisfies AlfworldVerb;

const inventory = {
  pattern: 'inventory',
  meaning: 'tell what you carry',
  candidates: [],
  refusal: () => null,
  act: (now): Effect<null> => ({ reply: inventoryText(now) }),
} as const satisfies AlfworldVerb;

export const alfworldVerbs: readonly AlfworldVerb[] = [
  ...[go, open, close, take, put],
  ...[treatments.hot.verb, treatments.cool.verb, treatments.clean.verb],
  ...[slice, use, examine, look, inventory],
];

/** An action in words. */
export function say({ pattern }: AlfworldVerb, now: Now, ...things: readonly number[]): string {
  return fill(pattern, ...things.map((thing) => nameOf(now, thing)));
}
