/** The texts of observations and actions, following AgentGym's version of BabyAI. */
import { type Place, VIEW } from './sight.ts';
import { COLORS, DOOR_STATES, type EntityKind, KINDS } from './world.ts';

export const TURN_LEFT = 'turn left';
export const TURN_RIGHT = 'turn right';
export const MOVE_FORWARD = 'move forward';
export const TOGGLE = 'toggle';
export const DROP = 'drop';

/** Actions on something in view: `go to red ball 1`. */
export const VERBS = ['go to', 'pick up', 'go through', 'toggle and go through'] as const;
export type Verb = (typeof VERBS)[number];

/** Names of visible things; a door's name includes its state: `red closed door`. */
export const THING_NAMES: readonly string[] = KINDS.flatMap((kind) =>
  COLORS.map((color) => `${color} ${kind}`),
);
export const DOOR_NAMES: readonly string[] = DOOR_STATES.flatMap((state) =>
  COLORS.map((color) => `${color} ${state} door`),
);

/** How a mission or a thought names something: `red door`, or `door` of any color. */
export const missionName = (color: string | null, kind: EntityKind) =>
  color === null ? kind : `${color} ${kind}`;

export const LOCATIONS = ['left', 'right', 'front', 'behind'] as const;
export type Location = (typeof LOCATIONS)[number];

/** Location relative to the agent at the start. */
export const LOCATION_WORDS: Readonly<Record<Location, string>> = {
  left: 'on your left',
  right: 'on your right',
  front: 'in front of you',
  behind: 'behind you',
};

export const GOAL = 'Your goal:';
export const YOU_SEE = 'In front of you in this room, you can see several objects:';
export const NOTHING_SEEN = 'You cannot see any objects within sight.';
export const WALLS_AROUND = 'The room has walls around you.';
const FACING = { wall: 'You are facing a wall', box: 'You are facing a box' } as const;
const CARRYING = 'You are carrying a';
export const EMPTY_HANDED = 'You are not carrying anything.';
export const AVAILABLE = 'Available actions:';
export const UNKNOWN_ACTION = 'Unknown action.';
export const NOT_NOW = 'You cannot do that now.';
export const COMPLETED = 'The task is completed.';
export const OUT_OF_TURNS = 'You have no turns left.';

const THERE_IS = 'There is a';
const RIGHT_AHEAD = 'right in front of you';
const away = (steps: number) => `${steps} steps away`;
const ahead = (steps: number) => `${steps} steps in front of you`;
const aside = (right: number) =>
  right > 0 ? `${right} steps to your right` : `${-right} steps to your left`;

/** `You are facing a wall 2 steps away.` */
export const facing = (kind: 'wall' | 'box', steps: number) => `${FACING[kind]} ${away(steps)}.`;

/** `You are carrying a red ball.` */
export const carrying = (name: string) => `${CARRYING} ${name}.`;

// Position phrases are built once; a turn only joins them.
const placeWords = new Map<number, string>();

/** ` 2 steps in front of you and 1 steps to your left.`, as it follows a name and a number. */
export function placeText(place: Place): string {
  const key = place.ahead * VIEW * 2 + place.right;
  let words = placeWords.get(key);
  if (words === undefined) {
    words =
      place.right === 0
        ? ` ${RIGHT_AHEAD} ${away(place.ahead)}.`
        : ` ${ahead(place.ahead)} and ${aside(place.right)}.`;
    placeWords.set(key, words);
  }
  return words;
}

/** The action on a visible thing, and its sentence up to the position. */
export interface Named {
  /** `There is a red ball 1`, preceded by a space. */
  readonly there: string;
  readonly actions: Readonly<Record<Verb, string>>;
}

const named = new Map<string, Named[]>();

/** Texts for the n-th thing of a name, counted from 1. */
export function namedTexts(name: string, n: number): Named {
  let texts = named.get(name);
  if (texts === undefined) {
    texts = [];
    named.set(name, texts);
  }
  let text = texts[n];
  if (text === undefined) {
    const action = (verb: Verb) => `${verb} ${name} ${n}`;
    text = {
      there: ` ${THERE_IS} ${name} ${n}`,
      actions: {
        'go to': action('go to'),
        'pick up': action('pick up'),
        'go through': action('go through'),
        'toggle and go through': action('toggle and go through'),
      },
    };
    texts[n] = text;
  }
  return text;
}

/** Length of the longest action; longer texts are not parsed. */
const LONGEST = 60;
const ACTION =
  /^(?:turn left|turn right|move forward|toggle|drop|(?:go to|pick up|go through|toggle and go through) (?:red|green|blue|purple|yellow|grey) (?:key|ball|box|(?:open|closed|locked) door) [1-9]\d?)$/;

/** Whether a text is an action of this environment, possible now or not. */
export function isAction(text: string): boolean {
  return text.length <= LONGEST && ACTION.test(text);
}

/** The lexemes of an environment's observations and actions. */
export function lexicon(world: {
  readonly hasDoors: boolean;
  readonly hasLocations: boolean;
  /** Words of its missions other than names and positions. */
  readonly missionWords: readonly string[];
  /** Maximum number of things, or doors, with one name. */
  readonly mostOfOneName: number;
  readonly listsActions: boolean;
}): string[] {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, k) => from + k);
  const steps = range(1, VIEW - 1);
  const aheads = range(0, VIEW - 1);
  const asides = range(1, (VIEW - 1) / 2);
  const doors = world.hasDoors;
  return [
    ...new Set([
      TURN_LEFT,
      TURN_RIGHT,
      MOVE_FORWARD,
      'go to',
      'pick up',
      DROP,
      ...(doors ? [TOGGLE, 'go through', 'toggle and go through'] : []),
      ...THING_NAMES,
      ...(doors ? [...DOOR_NAMES, ...COLORS.map((color) => `${color} door`)] : []),
      ...range(1, world.mostOfOneName).map(String),
      GOAL,
      ...world.missionWords,
      'the',
      'a',
      ...(world.hasLocations ? Object.values(LOCATION_WORDS) : []),
      YOU_SEE,
      NOTHING_SEEN,
      THERE_IS,
      RIGHT_AHEAD,
      ...steps.map(away),
      ...aheads.map(ahead),
      'and',
      ...asides.flatMap((right) => [aside(-right), aside(right)]),
      WALLS_AROUND,
      FACING.wall,
      FACING.box,
      CARRYING,
      EMPTY_HANDED,
      ...(world.listsActions ? [AVAILABLE, '[', ']'] : []),
      ',',
      '.',
      UNKNOWN_ACTION,
      NOT_NOW,
      COMPLETED,
      OUT_OF_TURNS,
    ]),
  ];
}
