/** Where everything stands in the picture, in its units: a cell for each place, in rows or on a plan. */

import type { HouseScene, ScenePlace } from './core/scene.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlanLayout {
  readonly width: number;
  readonly height: number;
  /** Pixels of a unit at most. */
  readonly scale: number;
  /** The upper left corner of a place's cell. */
  placeAt(place: number): Point;
  /** The foot of a thing. */
  thingAt(thing: number): Point;
  /** Where the agent stands, its feet. */
  readonly agentAt: Point;
}

const CELL = { width: 104, height: 96 };
/** Below the places: where the agent stands before it has gone anywhere. */
const MARGIN = 34;
/** Things stand so far apart, their feet so far below a cell's upper edge. */
const APART = 26;
const FEET: Readonly<Record<ScenePlace['form'], number>> = {
  top: 46,
  case: 52,
  seat: 50,
  basin: 50,
  bin: 47,
  rail: 50,
  room: 60,
};

const COLUMNS = { wide: 5, narrow: 3 } as const;

/** The number of columns that fills the rows best: four places are two rows of two, eight are two of four. */
function columnsFor(count: number, most: number): number {
  if (count <= 4) return Math.min(2, count);
  const rows = Math.ceil(count / most);
  return Math.ceil(count / rows);
}

export function layout(scene: HouseScene, room: keyof typeof COLUMNS): PlanLayout {
  const { places, carried } = scene;
  const columns = columnsFor(places.length, COLUMNS[room]);
  const rows = Math.ceil(places.length / columns);
  const corners = new Map(
    places.map(({ thing }, i) => [
      thing,
      { x: (i % columns) * CELL.width, y: Math.floor(i / columns) * CELL.height },
    ]),
  );
  const placeAt = (place: number): Point => corners.get(place) ?? { x: 0, y: 0 };
  const here = places.find((place) => place.here);
  const height = rows * CELL.height + MARGIN;
  const corner = here === undefined ? null : placeAt(here.thing);
  const agentAt =
    corner === null
      ? { x: (columns * CELL.width) / 2, y: height - 6 }
      : { x: corner.x + 16, y: corner.y + 77 };

  const feet = new Map<number, Point>();
  for (const { thing: place, form, items } of places) {
    const { x, y } = placeAt(place);
    for (const [i, { thing }] of items.entries()) {
      const shift = (i - (items.length - 1) / 2) * APART;
      feet.set(thing, { x: x + CELL.width / 2 + shift, y: y + FEET[form] });
    }
  }
  for (const [i, { thing }] of carried.entries()) {
    feet.set(thing, { x: agentAt.x + 15 + i * 12, y: agentAt.y - 2 });
  }
  return {
    width: columns * CELL.width,
    height,
    scale: 1.4,
    placeAt,
    thingAt: (thing) => feet.get(thing) ?? agentAt,
    agentAt,
  };
}
