/** The ten types of tasks and their arguments. */

import type { Goal, Rung } from '../core/kit.ts';
import { CLASSES, entryOf, MIXTURES, namesOf } from './catalogue.ts';
import { ROOMS, type Room } from './map.ts';
import type { Matter } from './world.ts';

/** A goal that refers to things and rooms by name, before its house is drawn. */
export type SciWorldGoal = Goal &
  (
    | { readonly kind: 'find'; readonly what: string; readonly box: string; readonly room: Room }
    | {
        readonly kind: 'life span';
        readonly which: 'longest' | 'shortest' | 'both';
        readonly animals: readonly string[];
      }
    | {
        readonly kind: 'change';
        readonly to: Matter;
        readonly material: string;
        readonly container: string;
        readonly room: Room;
      }
    | {
        readonly kind: 'measure';
        readonly material: string;
        readonly room: Room;
        readonly threshold: number;
        readonly boxes: readonly [above: string, below: string];
        readonly boxRoom: Room;
      }
    | {
        readonly kind: 'paint';
        readonly paint: string;
        readonly containers: readonly [string, string];
      }
  );

/** The rooms of the last rung, which have devices. */
export const LABORATORY: readonly Room[] = ['hallway', 'kitchen', 'workshop', 'art studio'];

const boxes = namesOf('box');
const containers = namesOf('container');
const materials = namesOf('material');

const finds: readonly (readonly SciWorldGoal[])[] = Object.keys(CLASSES).map((what) =>
  boxes.flatMap((box) =>
    ROOMS.map(
      (room): SciWorldGoal => ({
        kind: 'find',
        text: `find a(n) ${what} for the ${box} in the ${room}`,
        ...{ what, box, room },
      }),
    ),
  ),
);

/** Every combination of three items. */
function triples<T>(list: readonly T[]): T[][] {
  return list.flatMap((a, i) =>
    list.slice(i + 1).flatMap((b, j) => list.slice(i + j + 2).map((c) => [a, b, c])),
  );
}

const lifeSpans: readonly (readonly SciWorldGoal[])[] = (
  ['longest', 'shortest', 'both'] as const
).map((which) =>
  triples(namesOf('animal')).map(
    (animals): SciWorldGoal => ({
      kind: 'life span',
      text: `${which} life span of ${animals.join(', ')}`,
      ...{ which, animals },
    }),
  ),
);

/** Changes that the laboratory's devices can make to materials at room temperature. */
const CHANGES: Readonly<Record<Matter, (melts: number, boils: number) => boolean>> = {
  gas: (melts, boils) => melts < 20 && boils < 400,
  liquid: (melts) => melts > 25 && melts < 400,
  solid: (melts) => melts < 1 && melts > -50,
};

const changes = (['gas', 'liquid', 'solid'] as const).map((to) =>
  materials
    .filter((name) => {
      const { melts = 0, boils = 0 } = entryOf(name);
      return CHANGES[to](melts, boils);
    })
    .flatMap((material) =>
      containers.flatMap((container) =>
        LABORATORY.map(
          (room): SciWorldGoal => ({
            kind: 'change',
            text: `make ${material} a ${to}, in the ${container} in the ${room}`,
            ...{ to, material, container, room },
          }),
        ),
      ),
    ),
);

const pairs = boxes.flatMap((above) =>
  boxes.filter((below) => below !== above).map((below) => [above, below] as const),
);

/** Materials that are solid at every temperature in a goal. */
const solids = materials.filter((name) => (entryOf(name).melts ?? 0) > 200);

const measures: readonly SciWorldGoal[] = solids.flatMap((material) =>
  LABORATORY.flatMap((room) =>
    [0, 50, 100].flatMap((threshold) =>
      pairs.map((boxes, i): SciWorldGoal => {
        const boxRoom = LABORATORY[i % LABORATORY.length] ?? 'kitchen';
        return {
          kind: 'measure',
          text: `measure ${material} in the ${room}: above ${threshold} ${boxes[0]}, below ${boxes[1]}, in the ${boxRoom}`,
          ...{ material, room, threshold, boxes, boxRoom },
        };
      }),
    ),
  ),
);

const paints: readonly SciWorldGoal[] = Object.keys(MIXTURES).flatMap((paint) =>
  containers.flatMap((a) =>
    containers
      .filter((b) => b !== a)
      .map(
        (b): SciWorldGoal => ({
          kind: 'paint',
          text: `mix ${paint} of the ${a} and the ${b}`,
          paint,
          containers: [a, b],
        }),
      ),
  ),
);

export const SCIWORLD_GOALS: Readonly<Record<Rung, readonly (readonly SciWorldGoal[])[]>> = {
  one: finds,
  two: [...finds, ...lifeSpans],
  three: [...finds, ...lifeSpans],
  four: [...changes, measures, paints],
};
