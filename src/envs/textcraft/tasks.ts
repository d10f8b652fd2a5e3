import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { fnv1a } from '../hash.ts';
import { shuffled } from '../shuffled.ts';
import { TURN_LIMIT } from './options.ts';
import { type Members, turnsFor } from './plan.ts';
import type { Command, World } from './world.ts';

/** Goals that take the expert longer are omitted: half of an episode may be spent on mistakes. */
export const MOST_STEPS = TURN_LIMIT / 2;
/** One goal in this many is held out of training. */
const KEPT_ONE_IN = 4;

/** A task, derived from its number. */
export interface Task {
  /** The n of the task id `textcraft_<n>`. */
  readonly number: number;
  readonly goal: number;
  /** For every tag in the goal's recipes, the item whose recipe is listed. */
  readonly members: Members;
  /** The commands in listed order. */
  readonly commands: readonly Command[];
  /** The commands that lead to the goal; the others are distractors. */
  readonly needed: ReadonlySet<Command>;
}

/** The goals of train and eval tasks, ordered by name. */
export interface Goals {
  readonly train: readonly number[];
  /** All goals of evaluation task numbers, including those that training crafts as intermediate steps. */
  readonly eval: readonly number[];
  /** Goals of `eval` that no training goal needs as a step; all of them if there are no such goals. */
  readonly asked: ReadonlySet<number>;
  /** Whether evaluation asks for intermediate steps of training, because there are no other goals. */
  readonly asksSteps: boolean;
}

/**
 * Splits goals. A hash of the name decides which goals are held out, regardless of the options. A held-out
 * goal is used for evaluation if every word of its name also occurs in a training goal: `birch slab` beside
 * `birch planks` and `oak slab`. Only the combination of words is new, because an agent cannot learn to write
 * a word that never occurs in training. Goals that a training goal may need as a step are excluded, because
 * training crafts them. If there are very few goals, the one with the smallest hash is for evaluation and the
 * others for training.
 * @returns null if there are fewer than two goals
 */
export function splitGoals(
  world: World,
  { least, most }: { readonly least: number; readonly most: number },
): Goals | null {
  const goals = world.names.flatMap((_, item) => {
    const depth = world.depths[item] ?? 0;
    if (depth < Math.max(1, least) || depth > most || world.members[item]?.length !== 0) return [];
    return turnsFor(world, item, new Map(), MOST_STEPS) === null ? [] : [item];
  });
  if (goals.length < 2) return null;
  const hashOf = (goal: number) => fnv1a(world.names[goal] ?? '');
  const wordsOf = (goal: number) => (world.names[goal] ?? '').split(' ');
  const isKept = (goal: number) => hashOf(goal) % KEPT_ONE_IN === 0;
  const train = goals.filter((goal) => !isKept(goal));
  const known = new Set(train.flatMap(wordsOf));
  const evaluated = goals.filter(
    (goal) => isKept(goal) && wordsOf(goal).every((word) => known.has(word)),
  );
  if (train.length > 0 && evaluated.length > 0) return withAsked(world, train, evaluated);
  const only = goals.reduce((a, b) => (hashOf(b) < hashOf(a) ? b : a));
  return withAsked(
    world,
    goals.filter((goal) => goal !== only),
    [only],
  );
}

function withAsked(world: World, train: readonly number[], evaluated: readonly number[]): Goals {
  const steps = stepsOf(world, train);
  const asked = evaluated.filter((goal) => !steps.has(goal));
  const asksSteps = asked.length === 0;
  return { train, eval: evaluated, asked: new Set(asksSteps ? evaluated : asked), asksSteps };
}

/** All items and tags that crafting these goals can involve, for any choice of items for tags. */
function stepsOf(world: World, goals: readonly number[]): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [...goals];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (found.has(item)) continue;
    found.add(item);
    open.push(...(world.members[item] ?? []));
    for (const input of world.commandOf[item]?.inputs ?? []) open.push(input.item);
  }
  return found;
}

/**
 * The task with this number. A generator seeded with the number draws the items for tags, the distractors and
 * the order. Distractors share an ingredient with a needed command, as in the original; if too few do, any
 * other commands fill up the list.
 */
export function makeTask(world: World, number: number, goal: number, distractors: number): Task {
  const random = mersenne(number);
  let { members, needed } = derive(world, goal, random);
  if (turnsFor(world, goal, members, MOST_STEPS) === null) {
    // Only with recipes from users can the item drawn for a tag take too many turns. The first item does not.
    ({ members, needed } = derive(world, goal, null));
  }
  const listed = new Set(needed);
  const near = new Set<Command>();
  for (const { inputs } of needed) {
    for (const { item } of inputs) for (const user of world.usersOf[item] ?? []) near.add(user);
  }
  const total = Math.min(needed.size + distractors, world.commands.length);
  const sorted = [...near].sort((a, b) => a.index - b.index);
  for (const pool of [sorted, world.commands]) {
    const rest = pool.filter((command) => !listed.has(command));
    while (listed.size < total && rest.length > 0) {
      const [drawn] = rest.splice(uniformInt(random, 0, rest.length - 1), 1);
      if (drawn !== undefined) listed.add(drawn);
    }
  }
  return { number, goal, members, commands: shuffled([...listed], random), needed };
}

/**
 * The commands that lead to a goal, and the item for each of their tags: one that is needed anyway, or a
 * random one of least depth (the first one if there is no generator).
 */
function derive(
  world: World,
  goal: number,
  random: RandomGenerator | null,
): { members: Members; needed: ReadonlySet<Command> } {
  const members = new Map<number, number>();
  const needed = new Set<Command>();
  const items = new Set<number>();
  const tags = new Set<number>();
  const add = (item: number): void => {
    if ((world.members[item]?.length ?? 0) > 0) {
      if (!members.has(item)) tags.add(item);
      return;
    }
    items.add(item);
    const command = world.commandOf[item] ?? null;
    if (command === null || needed.has(command)) return;
    needed.add(command);
    for (const input of command.inputs) add(input.item);
  };
  const depth = (item: number) => world.depths[item] ?? 0;
  add(goal);
  while (tags.size > 0) {
    // Deepest first, because its ingredients may serve for the others.
    const [tag] = [...tags].sort((a, b) => depth(b) - depth(a) || a - b);
    if (tag === undefined) break;
    tags.delete(tag);
    const candidates = (world.members[tag] ?? []).filter((item) => depth(item) === depth(tag));
    const known = candidates.find((item) => items.has(item));
    const drawn = random === null ? 0 : uniformInt(random, 0, candidates.length - 1);
    const member = known ?? candidates[drawn] ?? tag;
    members.set(tag, member);
    add(member);
  }
  return { members, needed };
}
