import { STACK } from './recipes.ts';
import type { Command, Input, World } from './world.ts';

/** The inventory: items with their counts in the order of acquisition, none with count 0. */
export type Held = readonly (readonly [item: number, count: number])[];

/** The count of an item. */
export function countOf(held: Held, item: number): number {
  for (const entry of held) if (entry[0] === item) return entry[1];
  return 0;
}

/** The item to make or take for each tag if none is available. */
export type Members = ReadonlyMap<number, number>;

/** Raw materials to get, and their purpose. */
export interface GetStep {
  readonly kind: 'get';
  readonly item: number;
  /** The number that the whole plan still needs. */
  readonly count: number;
  /** The first product made of it. */
  readonly into: number;
}

/** An item to craft, and its purpose. */
interface CraftStep {
  readonly kind: 'craft';
  readonly command: Command;
  /** The command's inputs, with each tag replaced by an item. */
  readonly inputs: readonly Input[];
  /** The number of products missing before this step. */
  readonly lacking: number;
  /** The product made of it; null for the goal. */
  readonly into: number | null;
}

export type Step = GetStep | CraftStep;

/**
 * The remaining steps for one unit of the goal, in a valid order. Missing raw materials are acquired all at
 * once, just before they are first needed, and nothing is crafted more often than necessary. Planning again
 * after the first step gives the rest of this plan.
 * @param held the inventory; its items are used first
 * @param onLack called each time an item is missing, with the missing count
 * @param most the search stops beyond this length; the plan returned is then at least one step longer
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

/** The item to use for an input: for a tag the preferred one, unless only another is available. */
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
 * Turns that a goal takes from an empty inventory; null if that exceeds `most`, or if the goal can take more
 * than a stack of some item, including the surplus of the last craft.
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
    // Depending on leftovers, the last craft can make up to this many more than needed.
    if (total + (raw ? 0 : atOnce - 1) > STACK) return null;
  }
  return steps.length;
}
