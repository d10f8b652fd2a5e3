/** Tasks of a kit by number, each drawn from its own seed, the same on every machine. */

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
  /** The database after the goal is reached. */
  readonly wanted: World;
}

/** One goal in this many is held out for evaluation. */
const HELD_OUT = 5;
/** Maximum number of databases drawn for a goal; a template that needs more is broken. */
const MOST_DRAWS = 10_000;

/** Whether a goal is held out. This depends on its text only, not on the database. */
const isHeldOut = (goal: string): boolean => fnv1a(goal) % HELD_OUT === 0;

/**
 * The task with this number. Rungs alternate, and so do the templates of each.
 * Throws an Error if a template yields no goal within `MOST_DRAWS` draws.
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
    // A goal without a question must require a change.
    if (plan.answer === null && isAlike(kit, world, wanted)) continue;
    return { ...plan, goal, world, wanted };
  }
  throw new Error(`${kit.id} finds no goal “${template.goal}”`);
}

/** Whether the relevant parts of two databases are equal. */
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
