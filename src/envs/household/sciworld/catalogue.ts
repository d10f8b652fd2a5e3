/** The things of SciWorld. Life spans and temperatures are rounded. */

import type { Room } from './map.ts';

export type Sort =
  | 'animal'
  | 'plant'
  | 'object'
  | 'instrument'
  | 'container'
  | 'box'
  | 'device'
  | 'material'
  | 'paint';

export interface Entry {
  readonly sort: Sort;
  /** Life span of an animal. */
  readonly years?: number;
  /** Melting and boiling point of a material, in degrees Celsius. */
  readonly melts?: number;
  readonly boils?: number;
  /** Of a device: its temperature, its room, whether it has a door, whether it is always on. */
  readonly degrees?: number;
  readonly room?: Room;
  readonly opens?: true;
  readonly always?: true;
}

const animal = (years: number): Entry => ({ sort: 'animal', years });
const plant: Entry = { sort: 'plant' };
const object: Entry = { sort: 'object' };
const container: Entry = { sort: 'container' };
const box: Entry = { sort: 'box' };
const paint: Entry = { sort: 'paint' };
const material = (melts: number, boils: number): Entry => ({ sort: 'material', melts, boils });
const device = (
  room: Room,
  degrees: number,
  traits: Pick<Entry, 'opens' | 'always'> = {},
): Entry => ({ sort: 'device', room, degrees, ...traits });

const door = { opens: true } as const;
const cold = { opens: true, always: true } as const;

export const ENTRIES: Readonly<Record<string, Entry>> = {
  ant: animal(1),
  bee: animal(0.2),
  'blue jay': animal(7),
  'brown bear': animal(28),
  butterfly: animal(0.1),
  chameleon: animal(6),
  crocodile: animal(75),
  dove: animal(12),
  elephant: animal(60),
  frog: animal(10),
  'giant tortoise': animal(180),
  hedgehog: animal(4),
  mouse: animal(2),
  parrot: animal(50),
  rabbit: animal(9),
  spider: animal(1.5),
  turtle: animal(40),
  wolf: animal(14),
  'apple tree': plant,
  'avocado tree': plant,
  'banana tree': plant,
  'cherry tree': plant,
  'lemon tree': plant,
  'orange tree': plant,
  'pea plant': plant,
  'peach tree': plant,
  'rose bush': plant,
  sunflower: plant,
  book: object,
  candle: object,
  chair: object,
  lighter: object,
  painting: object,
  pillow: object,
  shovel: object,
  'steel key': object,
  stopwatch: object,
  thermometer: { sort: 'instrument' },
  'ceramic cup': container,
  'glass cup': container,
  'glass jar': container,
  jug: container,
  'metal pot': container,
  'tin cup': container,
  'wood bowl': container,
  'blue box': box,
  'green box': box,
  'orange box': box,
  'purple box': box,
  'red box': box,
  'yellow box': box,
  stove: device('kitchen', 260),
  oven: device('kitchen', 540, door),
  fridge: device('kitchen', 2, cold),
  freezer: device('kitchen', -18, cold),
  'ultra low temperature freezer': device('workshop', -86, cold),
  'fire pit': device('outside', 600),
  'blast furnace': device('foundry', 3000, door),
  'apple juice': material(-1, 101),
  butter: material(35, 250),
  chocolate: material(36, 420),
  copper: material(1085, 2562),
  gallium: material(30, 2400),
  glass: material(1400, 2230),
  gold: material(1064, 2856),
  iron: material(1538, 2862),
  lead: material(327, 1749),
  mercury: material(-39, 357),
  'orange juice': material(-2, 102),
  'sodium chloride': material(801, 1465),
  tin: material(232, 2602),
  water: material(0, 100),
  wax: material(60, 370),
  'blue paint': paint,
  'red paint': paint,
  'yellow paint': paint,
  'green paint': paint,
  'orange paint': paint,
  'violet paint': paint,
};

/** Throws a RangeError for an unknown name. */
export function entryOf(name: string): Entry {
  const entry = ENTRIES[name];
  if (entry === undefined) throw new RangeError(`nothing is called ${name}`);
  return entry;
}

export const namesOf = (sort: Sort): readonly string[] =>
  Object.keys(ENTRIES).filter((name) => entryOf(name).sort === sort);

/** The results of mixing two paints. */
export const MIXTURES: Readonly<Record<string, readonly [string, string]>> = {
  'green paint': ['blue paint', 'yellow paint'],
  'orange paint': ['red paint', 'yellow paint'],
  'violet paint': ['red paint', 'blue paint'],
};
export const PRIMARIES = ['blue paint', 'red paint', 'yellow paint'] as const;

/** Things to find, by their names in tasks. */
export const CLASSES: Readonly<Record<string, readonly Sort[]>> = {
  animal: ['animal'],
  plant: ['plant'],
  'living thing': ['animal', 'plant'],
  'non-living thing': ['object', 'instrument'],
};
