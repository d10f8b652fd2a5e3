/** What is known about the levels before a layout is built, following BabyAI (Farama Minigrid 3). */

import type { EnvironmentOption, FamilyCard } from '../types.ts';
import type { Clause } from './world.ts';

/** What a clause of a mission asks for. */
export type ClauseKind = Clause['kind'];

interface LevelTraits {
  readonly id: string;
  readonly title: string;
  readonly explanation: string;
  /** Default of `room_size`, walls included. */
  readonly roomSize: number;
  /** Rooms along a side. */
  readonly rooms: number;
  /** Default of `distractors`. */
  readonly distractors: number;
  /** Maximum number of things that the level itself adds. */
  readonly ownThings: number;
  /** Whether missions describe locations. */
  readonly hasLocations: boolean;
  /** Whether missions name kinds without a color. */
  readonly hasKindsAlone: boolean;
  /** Kinds of clauses in missions, for the lexicon. */
  readonly clauses: readonly ClauseKind[];
  readonly sequences: boolean;
  /** Turn limit with the default options. */
  readonly turnLimit: number;
}

const GOTO = {
  clauses: ['goto'],
  sequences: false,
  hasLocations: false,
  hasKindsAlone: false,
} as const satisfies Partial<LevelTraits>;

const table = [
  {
    ...GOTO,
    id: 'goto-red-ball',
    title: 'BabyAI: go to the red ball',
    explanation:
      'One room with balls, boxes and keys. The mission is always to go to the red ball, so the agent can ignore its text.',
    roomSize: 8,
    rooms: 1,
    distractors: 7,
    ownThings: 1,
    turnLimit: 20,
  },
  {
    ...GOTO,
    id: 'goto-obj',
    title: 'BabyAI: go to an object',
    explanation:
      'One room with a single thing in it. The agent has to find it and stand in front of it.',
    roomSize: 8,
    rooms: 1,
    distractors: 0,
    ownThings: 1,
    turnLimit: 20,
  },
  {
    ...GOTO,
    id: 'goto-local',
    title: 'BabyAI: go to one of several objects',
    explanation:
      'One room with eight things. The mission names one by color and kind, so the agent must read it.',
    roomSize: 8,
    rooms: 1,
    distractors: 7,
    ownThings: 1,
    turnLimit: 20,
  },
  {
    ...GOTO,
    id: 'goto-door',
    title: 'BabyAI: go to a door',
    explanation:
      'A room with a door in each of its four walls. The agent has to go to the door of the color that the mission names, without opening it.',
    roomSize: 7,
    rooms: 3,
    distractors: 0,
    ownThings: 0,
    turnLimit: 25,
  },
  {
    id: 'pickup-loc',
    title: 'BabyAI: pick up an object by its location',
    explanation:
      'One room with eight things. The mission names one by kind, often with its color or its location at the start: on the left, on the right, in front of or behind the agent.',
    roomSize: 8,
    rooms: 1,
    distractors: 7,
    ownThings: 1,
    hasLocations: true,
    hasKindsAlone: true,
    clauses: ['pickup'],
    sequences: false,
    turnLimit: 20,
  },
  {
    id: 'open',
    title: 'BabyAI: open a door',
    explanation:
      'Nine rooms joined by closed doors. The agent has to open a door of the color that the mission names, which may be in another room.',
    roomSize: 8,
    rooms: 3,
    distractors: 18,
    ownThings: 0,
    hasLocations: false,
    hasKindsAlone: false,
    clauses: ['open'],
    sequences: false,
    turnLimit: 60,
  },
  {
    id: 'unlock-local',
    title: 'BabyAI: unlock a door',
    explanation:
      'A room with one locked door and its key. The agent has to pick up the key and open the door.',
    roomSize: 8,
    rooms: 3,
    distractors: 0,
    ownThings: 1,
    hasLocations: false,
    hasKindsAlone: true,
    clauses: ['open'],
    sequences: false,
    turnLimit: 40,
  },
  {
    id: 'put-next-local',
    title: 'BabyAI: put one object next to another',
    explanation:
      'One room with eight different things. The agent has to carry one of them to another and drop it there.',
    roomSize: 8,
    rooms: 1,
    distractors: 6,
    ownThings: 2,
    hasLocations: false,
    hasKindsAlone: false,
    clauses: ['putnext'],
    sequences: false,
    turnLimit: 40,
  },
  {
    ...GOTO,
    id: 'goto',
    title: 'BabyAI: go to an object in nine rooms',
    explanation:
      'Nine rooms joined by closed doors. The agent has to find the thing that the mission names, which may be in another room.',
    roomSize: 8,
    rooms: 3,
    distractors: 17,
    ownThings: 1,
    turnLimit: 60,
  },
  {
    ...GOTO,
    id: 'goto-seq',
    title: 'BabyAI: go to objects in order',
    explanation:
      'Nine rooms joined by closed doors. Missions name up to four things or doors to go to, joined by "and", "then" and "after you".',
    roomSize: 8,
    rooms: 3,
    distractors: 17,
    ownThings: 1,
    sequences: true,
    hasKindsAlone: true,
    turnLimit: 100,
  },
  {
    id: 'synth',
    title: 'BabyAI: one instruction of any kind',
    explanation:
      'Nine rooms; in half of the tasks one of them is locked. The mission is to go to something, pick it up, open a door or put one thing next to another. Things may block the path.',
    roomSize: 8,
    rooms: 3,
    distractors: 17,
    ownThings: 2,
    hasLocations: false,
    hasKindsAlone: true,
    clauses: ['goto', 'pickup', 'open', 'putnext'],
    sequences: false,
    turnLimit: 80,
  },
  {
    id: 'boss-level',
    title: 'BabyAI: boss level',
    explanation:
      'Nine rooms; in half of the tasks one of them is locked. Missions join up to four instructions of any kind, name things by color, kind or location, and may need a key that they do not mention.',
    roomSize: 8,
    rooms: 3,
    distractors: 17,
    ownThings: 2,
    hasLocations: true,
    hasKindsAlone: true,
    clauses: ['goto', 'pickup', 'open', 'putnext'],
    sequences: true,
    turnLimit: 120,
  },
] as const satisfies readonly LevelTraits[];

/** Name of a level. */
export type LevelId = (typeof table)[number]['id'];

/** What is known about a level before a layout is built. */
export interface Level extends LevelTraits {
  readonly id: LevelId;
}

export const levels: readonly Level[] = table;

export const familyId = (level: Level) => `babyai/${level.id}-v1`;

/** The options of a level. */
export function optionsOf(level: Level) {
  return {
    room_size: {
      type: 'number',
      description:
        'Cells along each side of a room, including walls. The agent sees seven cells ahead and three to each side.',
      default: level.roomSize,
      min: 5,
      max: 9,
      step: 1,
    },
    distractors: {
      type: 'number',
      description:
        'Things in the rooms in addition to those that the level needs. At most a quarter of a room’s floor holds things, so small rooms hold fewer.',
      default: level.distractors,
      min: 0,
      max: level.rooms === 1 ? 12 : 24,
      step: 1,
    },
    goal: {
      type: 'choice',
      description:
        'When the mission is stated: in the first observation, as in the original, or in every one.',
      default: 'first',
      choices: ['first', 'always'],
    },
    actions: {
      type: 'choice',
      description:
        'Whether every observation lists the available actions, as in the original. Without them, observations are less than half as long.',
      default: 'listed',
      choices: ['listed', 'hidden'],
    },
  } as const satisfies Record<string, EnvironmentOption>;
}

/** The registry's card of a level. */
export function cardOf(level: Level): FamilyCard {
  const { title, explanation } = level;
  return { id: familyId(level), title, explanation, options: optionsOf(level) };
}

/** Highest number used to distinguish things, or doors, of one name. */
export function mostOfOneName(level: Level, distractors: number): number {
  return Math.max(level.ownThings + distractors, 2 * level.rooms * (level.rooms - 1));
}
