/** Tasks of a kit by number, each drawn from a seed of its own, the same ones everywhere. */

import { mersenne } from 'pure-rand/generator/mersenne';
import { fnv1a } from '../../hash.ts';
import { placeOf } from '../../numbered-tasks.ts';
import { isEqual, type Json } from './json.ts';
import { type Kit, type Plan, RUNGS, type Rung } from './kit.ts';
import { fill } from './pattern.ts';
import type { Tool } from './tool.ts';

export interface Task<World extends Json> extends Plan {
  readonly goal: string;
  readonly world: World;
  /** The world once the goal has been reached. */
  readonly wanted: World;
}

/** Of so many goals one is kept for evaluation. */
const HELD_OUT = 5;
/** Worlds that are drawn for a goal at most; a template that needs more is at fault. */
const MOST_DRAWS = 10_000;

/** Whether training never has a goal: its words decide, whatever the world. */
const isHeldOut = (goal: string): boolean => fnv1a(goal) % HELD_OUT === 0;

/**
 * The task with this number. Rungs take turns, and the templates of each.
 *
 * Throws an Error where a template hardly ever finds a goal.
 */
export function drawTask<World extends Json>(
  kit: Kit<World>,
  rungs: readonly Rung[],
  n: number,
): Task<World> {
  const { split, index } = placeOf(n);
  const rung = rungs[index % rungs.length];
  const templates = kit.templates.filter((template) => template.rung === rung);
  const round = Math.floor(index / rungs.length);
  const template = templates[round % templates.length];
  if (template === undefined) throw new Error(`${kit.id} has no goals of rung ${rung}`);
  const random = mersenne(
    fnv1a(`${kit.name} ${RUNGS.indexOf(template.rung) + 1} ${split} ${round}`),
  );
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const world = kit.draw(random);
    const plan = template.plan(world, random);
    if (plan === null) continue;
    const goal = fill(template.goal, plan.fillings);
    if (isHeldOut(goal) !== (split === 'eval')) continue;
    const wanted = worldAfter(kit.tools, world, plan);
    // Where nothing is to be told, something must be to do.
    if (plan.answer === null && isAlike(kit, world, wanted)) continue;
    return { ...plan, goal, world, wanted };
  }
  throw new Error(`${kit.id} finds no goal “${template.goal}”`);
}

/** Whether what counts of two worlds is the same. */
export function isAlike<World extends Json>(
  { compared = (world: World): Json => world }: Kit<World>,
  one: World,
  other: World,
): boolean {
  return one === other || isEqual(compared(one), compared(other));
}

function worldAfter<World extends Json>(
  tools: readonly Tool<World>[],
  start: World,
  { calls }: Plan,
): World {
  let world = start;
  for (const { tool, args } of calls) {
    const result = tools.find(({ name }) => name === tool)?.run(world, args);
    if (result === undefined || 'error' in result) throw new Error(`the plan's ${tool} fails`);
    world = result.world ?? world;
  }
  return world;
}
