/** The six kinds of goals of ALFWorld. */

import type { Rung } from '../core/kit.ts';
import { goodKinds, goodOf, ROOMS, receptacleKinds, receptacleOf } from './catalogue.ts';
import { startsOf } from './furnish.ts';
import type { AlfworldGoal, Treatment } from './world.ts';

/** Every goal of a type that some room supports. */
function goalsOf(treatment: Treatment | null, count: 1 | 2): readonly AlfworldGoal[] {
  const words = count === 2 ? 'put two' : treatment === null ? 'put a' : `put a ${treatment}`;
  return goodKinds.flatMap((thing) => {
    const good = goodOf(thing);
    if (good.shines === true) return [];
    if (treatment !== null && good[TRAITS[treatment]] !== true) return [];
    return good.places.flatMap((target): AlfworldGoal[] => {
      const goal = { text: `${words} ${thing} in ${target}`, thing, target, treatment, count };
      const possible = ROOMS.some(
        (room) => receptacleOf(target).rooms.includes(room) && startsOf(goal, room).length > 0,
      );
      return possible ? [goal] : [];
    });
  });
}

const TRAITS = { clean: 'cleans', hot: 'heats', cool: 'cools' } as const;

/** Goals to hold a thing next to a lit lamp. */
const looks: readonly AlfworldGoal[] = goodKinds.flatMap((thing) =>
  goodOf(thing).looked === true
    ? {
        text: `look at a ${thing} under the desklamp`,
        thing,
        target: null,
        treatment: null,
        count: 1 as const,
      }
    : [],
);

/** Receptacles with a door or lid; first-rung rooms have none. */
const opening = new Set<string>(
  receptacleKinds.filter((kind) => receptacleOf(kind).opens === true),
);

const puts = goalsOf(null, 1);

export const ALFWORLD_GOALS: Readonly<Record<Rung, readonly (readonly AlfworldGoal[])[]>> = {
  one: [
    puts.filter(
      (goal) =>
        ROOMS.some((room) => startsOf(goal, room).some((start) => !opening.has(start))) &&
        goal.target !== null &&
        !opening.has(goal.target),
    ),
  ],
  two: [puts],
  three: [goalsOf('clean', 1), goalsOf('hot', 1), goalsOf('cool', 1)],
  four: [goalsOf(null, 2), looks],
};
