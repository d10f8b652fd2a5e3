import { aspect } from '../holdout.ts';
import {
  type Environment,
  type EnvironmentFamily,
  EpisodeOverError,
  type Holdout,
  type Observed,
  type Transition,
  UnknownTaskError,
} from '../types.ts';
import { textCraftCard } from './card.ts';
import { FAMILY_ID, TURN_LIMIT } from './options.ts';
import { countOf, type Held, memberFor, plan, type Step } from './plan.ts';
import { STACK } from './recipes.ts';
import { type Setting, settingOf } from './setting.ts';
import { makeTask, type Task } from './tasks.ts';
import {
  type Action,
  actionOf,
  commandFor,
  craftText,
  getText,
  holds,
  INVENTORY,
  inventoryText,
  lexiconOf,
  NOT_UNDERSTOOD,
  parseAction,
  THOUGHT_LEXICON,
  textsOf,
  thoughtOf,
} from './text.ts';
import type { Command, Input } from './world.ts';

/** An episode so far. Commands and goal follow from the task's number. */
export interface TextCraftState {
  /** The n of the task id `textcraft_<n>`. */
  readonly task: number;
  /** Turns taken, including those with an action that was not understood. */
  readonly turn: number;
  /** The inventory; items are given by their index. */
  readonly held: Held;
  /** The reply to the last action, for the view; empty at the start. */
  readonly answer: string;
}

const FIRST_EVAL_TASK = 100_000;
/** Tasks with the same goal differ in the items for tags, the distractors and the order of commands. */
const TRAIN_TASKS_PER_GOAL = 8;
const EVAL_TASKS_PER_GOAL = 4;

const INSTRUCTION = `You craft items from recipes, as in a well-known game of blocks. The first observation lists crafting commands and the goal, the item that you have to craft; some of the commands lead to it and some do not. What no command makes can be got from the surroundings. Some commands ask for a kind of item, such as planks; use any item of that kind, by its own name.

You can say:
get <count> <item>
craft <count> <item> using <count> <item>, <count> <item>, …
inventory

For example: get 1 oak logs, or craft 4 oak planks using 1 oak logs. One craft action makes exactly what its command says; repeat it for more. You hold at most ${STACK} of an item, and you have ${TURN_LIMIT} turns.`;

/** The tasks of a setting by number, cached. */
export function rememberTasks({ goals, world, distractors }: Setting): (n: number) => Task {
  const known = new Map<number, Task>();
  return (n) => {
    let task = known.get(n);
    if (task === undefined) {
      const list = n < FIRST_EVAL_TASK ? goals.train : goals.eval;
      const goal = list[(n % FIRST_EVAL_TASK) % list.length] ?? 0;
      task = makeTask(world, n, goal, distractors);
      known.set(n, task);
    }
    return task;
  };
}

/** The id of a task number. */
export const taskId = (n: number) => `textcraft_${n}`;

const numbers = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => first + i);

/** Data of a task that every turn needs. */
interface Desk {
  readonly task: Task;
  readonly intro: string;
  /** Items that can be collected, with the counts that listed commands require. */
  readonly gets: readonly {
    readonly item: number;
    readonly count: number;
    readonly text: string;
  }[];
}

/** The environment of a setting. Crafting the goal gives reward 1, everything else 0. */
function createTextCraft(setting: Setting): Environment<TextCraftState> {
  const { world, goals, naming, lexemes } = setting;
  const texts = textsOf(world, naming);
  const trainNumbers = numbers(0, goals.train.length * TRAIN_TASKS_PER_GOAL);
  const evalNumbers = numbers(FIRST_EVAL_TASK, goals.eval.length * EVAL_TASKS_PER_GOAL);
  const byId = new Map([...trainNumbers, ...evalNumbers].map((n) => [taskId(n), n]));
  const taskOf = rememberTasks(setting);

  const desks = new Map<number, Desk>();
  const deskOf = (n: number): Desk => {
    let desk = desks.get(n);
    if (desk === undefined) {
      desk = makeDesk(taskOf(n));
      desks.set(n, desk);
    }
    return desk;
  };
  const makeDesk = (task: Task): Desk => {
    const gets = new Map<string, Desk['gets'][number]>();
    for (const { inputs } of task.commands) {
      for (const { item, count } of inputs) {
        if (world.commandOf[item] !== null || world.members[item]?.length !== 0) continue;
        const text = getText(world, item, count);
        gets.set(text, { item, count, text });
      }
    }
    return { task, intro: texts.intro(task), gets: [...gets.values()] };
  };

  const success = ({ task, held }: TextCraftState) => countOf(held, deskOf(task).task.goal) > 0;
  const over = (state: TextCraftState) => state.turn >= TURN_LIMIT || success(state);

  const planFor = (state: TextCraftState): readonly Step[] => {
    const { goal, members } = deskOf(state.task).task;
    return plan(world, goal, members, state.held);
  };

  /** The craft action that a listed command allows now, or null. */
  const craftNow = (command: Command, { members }: Task, held: Held): string | null => {
    if (countOf(held, command.product) + command.count > STACK) return null;
    if (!command.tagged) return holds(held, command.inputs) ? command.text : null;
    const inputs = command.inputs.map((input): Input => {
      const item = memberFor(world, members, input, (member) => countOf(held, member));
      return { item, count: input.count };
    });
    return holds(held, inputs) ? craftText(world, command, inputs) : null;
  };

  /** The result of an action. */
  const act = (held: Held, action: Action): { readonly held: Held; readonly answer: string } => {
    if (action.kind === 'inventory') return { held, answer: inventoryText(world, held) };
    if (action.kind === 'get') {
      const { item, count } = action;
      if (world.commandOf[item] !== null || world.members[item]?.length !== 0) {
        return { held, answer: texts.notFound(item) };
      }
      if (countOf(held, item) + count > STACK) return { held, answer: texts.noRoom(item) };
      return { held: changed(held, item, count), answer: texts.got(item, count) };
    }
    // As in the original, first check that the inputs are available, then that they make the product.
    const { product, inputs } = action;
    if (!holds(held, inputs)) return { held, answer: texts.notEnough(product) };
    const command = commandFor(world, product, inputs);
    if (command === undefined) return { held, answer: texts.noRecipe(product) };
    if (countOf(held, product) + command.count > STACK) {
      return { held, answer: texts.noRoom(product) };
    }
    let after = held;
    for (const { item, count } of inputs) after = changed(after, item, -count);
    return { held: changed(after, product, command.count), answer: texts.crafted(command) };
  };

  return {
    id: FAMILY_ID,
    trainTasks: trainNumbers.map(taskId),
    evalTasks: evalNumbers.filter((n) => goals.asked.has(taskOf(n).goal)).map(taskId),
    holdout: holdoutOf(setting, (id) => taskOf(byId.get(id) ?? 0)),
    turnLimit: TURN_LIMIT,
    instruction: INSTRUCTION,
    lexicon: lexiconOf(world, naming, lexemes),
    thoughtLexicon: THOUGHT_LEXICON,

    reset(id): Observed<TextCraftState> {
      const task = byId.get(id);
      if (task === undefined) throw new UnknownTaskError(FAMILY_ID, id);
      return { state: { task, turn: 0, held: [], answer: '' }, observation: deskOf(task).intro };
    },

    step(state, text): Transition<TextCraftState> {
      if (over(state)) throw new EpisodeOverError(FAMILY_ID);
      const action = parseAction(world, text);
      const { held, answer } =
        action === undefined
          ? { held: state.held, answer: NOT_UNDERSTOOD }
          : act(state.held, action);
      const after: TextCraftState = { task: state.task, turn: state.turn + 1, held, answer };
      const solved = success(after);
      const showsInventory =
        setting.inventory === 'asked' || solved || action?.kind === 'inventory';
      return {
        state: after,
        observation: showsInventory ? answer : `${answer} ${inventoryText(world, held)}`,
        reward: solved ? 1 : 0,
        terminated: solved || after.turn >= TURN_LIMIT,
        understood: action !== undefined,
      };
    },

    success,

    admissibleActions(state) {
      if (over(state)) return [];
      const { task, gets } = deskOf(state.task);
      const { held } = state;
      const actions: string[] = [];
      for (const { item, count, text } of gets) {
        if (held.length === 0 || countOf(held, item) + count <= STACK) actions.push(text);
      }
      for (const command of task.commands) {
        const text = craftNow(command, task, held);
        if (text !== null) actions.push(text);
      }
      const [next] = planFor(state);
      if (next !== undefined) {
        const text = actionOf(world, next);
        if (!actions.includes(text)) actions.push(text);
      }
      actions.push(INVENTORY);
      return actions;
    },

    expert(state) {
      const [next] = over(state) ? [] : planFor(state);
      if (next === undefined) throw new EpisodeOverError(FAMILY_ID);
      return { thought: thoughtOf(world, next), action: actionOf(world, next) };
    },
  };
}

/** How evaluation goals differ from training goals and their steps. */
function holdoutOf({ world, goals }: Setting, taskOf: (taskId: string) => Task): Holdout {
  const nameOf = (item: number) => world.names[item] ?? '';
  const goal = (task: string) => nameOf(taskOf(task).goal);
  const products = (commands: Iterable<Command>) =>
    Array.from(commands, ({ product }) => nameOf(product));
  return {
    sentence: goals.asksSteps
      ? 'There are too few goals to exclude intermediate steps: training never asks for the goals of evaluation, but crafts them on the way to others.'
      : 'Training neither asks for the goals of evaluation nor crafts them on the way to others, but their recipes appear in the lists that it reads.',
    sameTasks: false,
    aspects: [
      aspect('tasks', true, (task) => {
        const { commands } = taskOf(task);
        return [goal(task), ...commands.map(({ text }) => text)].join();
      }),
      aspect('goals', true, goal),
      {
        name: 'goals that training crafts as a step',
        apart: !goals.asksSteps,
        asks: goal,
        shows: (task) => products(taskOf(task).needed),
      },
      {
        name: 'goals whose recipe is listed',
        apart: false,
        asks: goal,
        shows: (task) => products(taskOf(task).commands),
      },
    ],
    cluster: { name: 'goals', of: goal },
  };
}

/** The inventory after an item's count changes; items with count 0 are removed. */
function changed(held: Held, item: number, by: number): Held {
  const after: (readonly [number, number])[] = [];
  let found = false;
  for (const entry of held) {
    if (entry[0] !== item) {
      after.push(entry);
      continue;
    }
    found = true;
    if (entry[1] + by > 0) after.push([item, entry[1] + by]);
  }
  if (!found) after.push([item, by]);
  return after;
}

export const textCraft: EnvironmentFamily<TextCraftState> = {
  ...textCraftCard,
  create: (given) => createTextCraft(settingOf(given)),
};
