/** The levels, after BabyAI's (Farama Minigrid 3), as far as they are known before a world is built. */

import type { EnvironmentOption, FamilyCard } from '../types.ts';
import type { Clause } from './world.ts';

/** What a clause of a mission asks for. */
export type ClauseKind = Clause['kind'];

interface LevelTraits {
  readonly id: string;
  readonly title: string;
  readonly explanation: string;
  /** Default of the option, walls included. */
  readonly roomSize: number;
  /** Rooms along a side. */
  readonly rooms: number;
  /** Default of the option. */
  readonly distractors: number;
  /** Most things that the level itself brings. */
  readonly ownThings: number;
  /** Whether missions say where something stood. */
  readonly hasLocations: boolean;
  /** Whether missions name kinds without a color. */
  readonly hasKindsAlone: boolean;
  /** What missions are about, for the lexicon. */
  readonly clauses: readonly ClauseKind[];
  readonly sequences: boolean;
  /** Turns, for the default options. */
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
      'One room with balls, boxes and keys. The mission is always to go to the red ball, so the words of the mission need not be read.',
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
      'One room with a single thing in it. The agent is to find it and to stand in front of it.',
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
      'One room with eight things. The mission names one by its colour and kind, so the agent must read it.',
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
      'A room with a door in each of its four walls. The agent is to go to the door of the colour that the mission names; it need not open it.',
    roomSize: 7,
    rooms: 3,
    distractors: 0,
    ownThings: 0,
    turnLimit: 25,
  },
  {
    id: 'pickup-loc',
    title: 'BabyAI: pick up an object by its place',
    explanation:
      'One room with eight things. The mission names one by its kind, and often by its colour or by where it stood at the start: on the left, on the right, in front of or behind the agent.',
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
      'Nine rooms joined by closed doors. The agent is to open a door of the colour that the mission names, which may be in another room.',
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
      'A room with one locked door and the key to it. The agent is to pick up the key and to open the door.',
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
      'One room with eight different things. The agent is to carry one of them to another and to drop it beside that.',
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
      'Nine rooms joined by closed doors. The agent is to find the thing that the mission names, which may be in another room.',
    roomSize: 8,
    rooms: 3,
    distractors: 17,
    ownThings: 1,
    turnLimit: 60,
  },
  {
    ...GOTO,
    id: 'goto-seq',
    title: 'BabyAI: go to objects in an order',
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
      'Nine rooms, in half of the tasks one of them locked. The mission is to go to something, to pick it up, to open a door or to put one thing next to another; things may stand in the way.',
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
      'Nine rooms, in half of the tasks one of them locked. Missions join up to four instructions of any kind, name things by colour, kind or place, and may need a key that they do not speak of.',
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

/** A level as it is known before a world is built. */
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
        'Cells along a side of a room, its walls included. The agent sees seven cells ahead and three to each side.',
      default: level.roomSize,
      min: 5,
      max: 9,
      step: 1,
    },
    distractors: {
      type: 'number',
      description:
        'Things in the rooms beside those that the level needs. A room takes things on a quarter of its floor at most, so small rooms hold fewer.',
      default: level.distractors,
      min: 0,
      max: level.rooms === 1 ? 12 : 24,
      step: 1,
    },
    goal: {
      type: 'choice',
      description:
        'When the mission is told: in the first observation, as in the original, or in every one.',
      default: 'first',
      choices: ['first', 'always'],
    },
    actions: {
      type: 'choice',
      description:
        'Whether every observation lists the available actions, as in the original, or hides them, which makes it less than half as long.',
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

/** The highest number that tells apart things, or doors, of one name. */
export function mostOfOneName(level: Level, distractors: number): number {
  return Math.max(level.ownThings + distractors, 2 * level.rooms * (level.rooms - 1));
}
