import { STACK } from './recipes.ts';
import type { Command, Input, World } from './world.ts';

/** What is held: items with their counts, the first that came to hand first, none with count 0. */
export type Held = readonly (readonly [item: number, count: number])[];

/** How many of an item are held. */
export function countOf(held: Held, item: number): number {
  for (const entry of held) if (entry[0] === item) return entry[1];
  return 0;
}

/** Which item of a tag to make or take where none is at hand. */
export type Members = ReadonlyMap<number, number>;

/** What to get, and what it is for. */
export interface GetStep {
  readonly kind: 'get';
  readonly item: number;
  /** All that the plan still lacks. */
  readonly count: number;
  /** The product that is made of it first. */
  readonly into: number;
}

/** What to craft, and what it is for. */
export interface CraftStep {
  readonly kind: 'craft';
  readonly command: Command;
  /** The command's inputs, each tag replaced by an item. */
  readonly inputs: readonly Input[];
  /** How many of the product are lacking before this step. */
  readonly lacking: number;
  /** The product that is made of it; null for the goal. */
  readonly into: number | null;
}

export type Step = GetStep | CraftStep;

/**
 * What is left to do for one of the goal, in an order in which it can be done: everything that is
 * lacking is got at once, just before it is first needed, and crafted no oftener than it takes.
 *
 * The first step followed, the rest of the plan is the plan of the state it leads to.
 *
 * @param held What is held already; it is used first.
 * @param onLack Hears of every item that is lacking, and how many, once for each use of it.
 * @param most Steps after which nobody asks how many more there are: a plan of more than these is not
 *   gone on with. It is one step longer at least.
 */
export function plan(
  world: World,
  goal: number,
  members: Members,
  held: Held,
  onLack?: (item: number, count: number) => void,
  most = Infinity,
): Step[] {
  const pool = new Map(held);
  const steps: Step[] = [];
  const gets = new Map<number, { kind: 'get'; item: number; count: number; into: number }>();

  const need = (item: number, count: number, into: number | null): void => {
    const have = pool.get(item) ?? 0;
    const used = Math.min(have, count);
    if (used > 0) pool.set(item, have - used);
    const lacking = count - used;
    if (lacking === 0) return;
    onLack?.(item, lacking);
    const command = world.commandOf[item] ?? null;
    if (command === null) get(item, lacking, into ?? item);
    else craft(command, lacking, into);
  };
  const get = (item: number, count: number, into: number): void => {
    const step = gets.get(item);
    if (step !== undefined) {
      step.count += count;
      return;
    }
    const first = { kind: 'get' as const, item, count, into };
    gets.set(item, first);
    steps.push(first);
  };
  const craft = (command: Command, count: number, into: number | null): void => {
    let lacking = count;
    while (lacking > 0 && steps.length <= most) {
      const inputs = command.inputs.map((input) => {
        const item = memberFor(world, members, input, (member) => pool.get(member) ?? 0);
        need(item, input.count, command.product);
        return item === input.item ? input : { item, count: input.count };
      });
      steps.push({ kind: 'craft', command, inputs, lacking, into });
      lacking -= command.count;
    }
    pool.set(command.product, (pool.get(command.product) ?? 0) - lacking);
  };

  need(goal, 1, null);
  return steps;
}

/** The item to take for an input: of a tag the preferred one, unless only another is there. */
export function memberFor(
  world: World,
  members: Members,
  { item, count }: Input,
  have: (member: number) => number,
): number {
  const candidates = world.members[item];
  if (candidates === undefined || candidates.length === 0) return item;
  const preferred = members.get(item) ?? candidates[0] ?? item;
  if (have(preferred) >= count) return preferred;
  return candidates.find((member) => have(member) >= count) ?? preferred;
}

/**
 * Turns that a goal takes from nothing; null where that is more than `most`, or needs more than a stack
 * of something, even with leftovers of what was crafted at the wrong time.
 */
export function turnsFor(
  world: World,
  goal: number,
  members: Members,
  most: number,
): number | null {
  const steps = plan(world, goal, members, [], undefined, most);
  if (steps.length > most) return null;
  const made = new Map<number, { total: number; atOnce: number }>();
  for (const step of steps) {
    const [item, count] =
      step.kind === 'get' ? [step.item, step.count] : [step.command.product, step.command.count];
    made.set(item, { total: (made.get(item)?.total ?? 0) + count, atOnce: count });
  }
  for (const [item, { total, atOnce }] of made) {
    const raw = (world.commandOf[item] ?? null) === null;
    // Crafted from any remainder, the last crafting may end this much higher.
    if (total + (raw ? 0 : atOnce - 1) > STACK) return null;
  }
  return steps.length;
}
