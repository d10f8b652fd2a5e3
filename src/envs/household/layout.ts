/** Positions of everything in the image: furniture in rows, rooms on a floor plan. */

import type { HouseScene, SceneItem, ScenePlace } from './core/scene.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Spot {
  readonly column: number;
  readonly row: number;
}

export interface PlanLayout {
  readonly width: number;
  readonly height: number;
  /** Maximum width in pixels. */
  readonly most: number;
  /** Size of a place. */
  readonly cell: { readonly width: number; readonly height: number };
  /** The upper left corner of a place. */
  placeAt(place: number): Point;
  /** The bottom center of a thing. */
  thingAt(thing: number): Point;
  /** The agent's feet. */
  readonly agentAt: Point;
}

const FURNITURE = { width: 104, height: 96 };
const ROOM = { width: 152, height: 132 };
/** Size of a room in a house with few things: smaller rooms are drawn at a larger scale. */
const SMALL_ROOM = { width: 108, height: 128 };
/** Maximum mean number of things per room for the larger scale. */
const FEW = 3;
/** Height below the furniture, where the agent stands before its first move. */
const MARGIN = 34;
/** Distance between things. */
const APART = 26;
/** Distance from the top of a cell down to the base of its things. */
const FEET: Readonly<Record<ScenePlace['form'], number>> = {
  top: 46,
  case: 52,
  seat: 50,
  basin: 50,
  bin: 47,
  rail: 50,
  room: 64,
};
/** Number of things per row; in a room each gets an equal share of the width. */
const IN_A_ROW = 5;
const WIDTH_OF_ONE = 30;
const ROW = 29;
/** Contents are drawn this far above their container. */
const OVER = 13;

const COLUMNS = { wide: 5, narrow: 3 } as const;
const WIDEST = { wide: 620, narrow: 420 } as const;
/** Maximum pixels per unit. */
const SCALE = 1.7;

/**
 * The number of columns that fills the rows best: four places make two rows of two, eight make two of four.
 */
function columnsFor(count: number, most: number): number {
  if (count <= 4) return Math.min(2, count);
  const rows = Math.ceil(count / most);
  return Math.ceil(count / rows);
}

export function layout(scene: HouseScene, room: keyof typeof COLUMNS): PlanLayout {
  const { places } = scene;
  const isPlan = places.some(({ cell }) => cell !== null);
  const cell = isPlan ? roomFor(scene) : FURNITURE;
  const columns = columnsFor(places.length, COLUMNS[room]);
  const inOneRow = places.every((place) => place.cell?.row === 0);
  const spots = places.map(({ cell: on }, i) => {
    if (on === null) return { column: i % columns, row: Math.floor(i / columns) };
    return room === 'narrow' ? onItsSide(on, inOneRow) : on;
  });
  const corners = new Map(
    places.map(({ thing }, i) => [
      thing,
      {
        x: (spots[i]?.column ?? 0) * cell.width,
        y: (spots[i]?.row ?? 0) * cell.height,
      },
    ]),
  );
  const placeAt = (place: number): Point => corners.get(place) ?? { x: 0, y: 0 };
  const width = (Math.max(...spots.map(({ column }) => column)) + 1) * cell.width;
  const height =
    (Math.max(...spots.map(({ row }) => row)) + 1) * cell.height + (isPlan ? 0 : MARGIN);
  const here = places.find((place) => place.here);
  const agentAt =
    here === undefined
      ? { x: width / 2, y: height - 6 }
      : agentIn(placeAt(here.thing), cell, isPlan);
  const feet = feetOf(scene, cell, placeAt, agentAt);
  return {
    width,
    height,
    most: Math.min(WIDEST[room], width * SCALE),
    cell,
    placeAt,
    thingAt: (thing) => feet.get(thing) ?? agentAt,
    agentAt,
  };
}

/** On a narrow page, a floor plan of one row wraps into two columns; any other is transposed. */
function onItsSide({ column, row }: Spot, inOneRow: boolean): Spot {
  if (!inOneRow) return { column: row, row: column };
  const pair = Math.floor(column / 2);
  return { column: (column + pair) % 2, row: pair };
}

/** One size for the whole episode: things move between rooms, but their number is constant. */
function roomFor({ places, carried }: HouseScene): PlanLayout['cell'] {
  const things = places.reduce((count, { items }) => count + items.length, carried.length);
  return places.length > 1 && things <= FEW * places.length ? SMALL_ROOM : ROOM;
}

const agentIn = ({ x, y }: Point, { height }: PlanLayout['cell'], isPlan: boolean): Point =>
  isPlan ? { x: x + 20, y: y + height - 10 } : { x: x + 16, y: y + 77 };

function feetOf(
  { places, carried }: HouseScene,
  { width }: PlanLayout['cell'],
  placeAt: (place: number) => Point,
  agentAt: Point,
): ReadonlyMap<number, Point> {
  const feet = new Map<number, Point>();
  const nested = (items: readonly SceneItem[]): void => {
    for (const { thing, inside } of items) {
      const around = inside === null ? undefined : feet.get(inside);
      if (around !== undefined) feet.set(thing, { x: around.x + 5, y: around.y - OVER });
    }
  };
  for (const { thing: place, form, items } of places) {
    const { x, y } = placeAt(place);
    const standing = items.filter(({ inside }) => inside === null);
    const most = form === 'room' ? Math.floor(width / WIDTH_OF_ONE) : IN_A_ROW;
    for (const [i, { thing }] of standing.entries()) {
      const row = Math.floor(i / most);
      const inRow = Math.min(most, standing.length - row * most);
      const shift = ((i % most) - (inRow - 1) / 2) * APART;
      feet.set(thing, { x: x + width / 2 + shift, y: y + FEET[form] + row * ROW });
    }
    nested(items);
  }
  const held = carried.filter(({ inside }) => inside === null);
  for (const [i, { thing }] of held.entries()) {
    feet.set(thing, { x: agentAt.x + 18 + i * 22, y: agentAt.y - 2 });
  }
  nested(carried);
  return feet;
}
