import { aspect } from '../../holdout.ts';
import { numberedIds } from '../../numbered-tasks.ts';
import {
  type Environment,
  EpisodeOverError,
  type Holdout,
  type Observed,
  type Transition,
} from '../../types.ts';
import type { HouseState } from './house.ts';
import type { Goal, HouseTask, Kit, Rung } from './kit.ts';
import { tasksOf } from './tasks.ts';
import { Grammar, MAX_ACTION_LENGTH, type Now } from './verbs.ts';

/** The transitions of a household: how a text changes the state. */
export interface Turns<Task, Own> {
  /** Throws a RangeError for a number without a task. */
  taskOf(n: number): Task;
  begin(n: number): Now<Task, Own>;
  /** The state after a text, and whether the text was an action. */
  after(now: Now<Task, Own>, text: string): { now: Now<Task, Own>; understood: boolean };
  isOver(now: Now<Task, Own>): boolean;
  possible(now: Now<Task, Own>): readonly string[];
}

export function turnsOf<G extends Goal, Task extends HouseTask<Own>, Own>(
  kit: Kit<G, Task, Own>,
  rungs: readonly Rung[],
): Turns<Task, Own> {
  const grammar = new Grammar(kit.verbs);

  const startOf = (task: Task, n: number): Now<Task, Own> => ({
    task,
    state: { task: n, turn: 0, ...task.start, said: '', answer: '' },
  });

  const after: Turns<Task, Own>['after'] = (now, text) => {
    const { task, state } = now;
    const action = grammar.read(task.house, text);
    const refusal = action?.verb.refusal(now, ...action.things) ?? null;
    const { reply: answer, ...change } =
      action === undefined
        ? { reply: kit.notUnderstood }
        : refusal !== null
          ? { reply: refusal }
          : action.verb.act(now, ...action.things);
    const said = text.slice(0, MAX_ACTION_LENGTH);
    const acted = { task, state: { ...state, ...change, turn: state.turn + 1, said, answer } };
    if (action === undefined) return { now: acted, understood: false };
    const settled = { task, state: { ...acted.state, ...kit.settle(now, acted) } };
    return { now: settled, understood: true };
  };

  const isOver = (now: Now<Task, Own>) =>
    now.state.turn >= kit.turnLimit || kit.success(now) || kit.lost(now);

  /** Whether the expert solves the task; false if it is already solved at the start. */
  const plays = (task: Task): boolean => {
    let now = startOf(task, 0);
    if (isOver(now)) return false;
    while (now.state.turn < kit.mostTurns && !isOver(now)) {
      ({ now } = after(now, kit.expert(now).action));
    }
    return kit.success(now);
  };

  const taskOf = tasksOf(kit, rungs, plays);
  return {
    taskOf,
    begin: (n) => startOf(taskOf(n), n),
    after,
    isOver,
    possible: (now) => grammar.possible(now),
  };
}

/** Creates the environment that a kit defines, with goals from the given rungs. */
export function createHousehold<G extends Goal, Task extends HouseTask<Own>, Own>(
  kit: Kit<G, Task, Own>,
  rungs: readonly Rung[],
): Environment<HouseState<Own>> {
  const turns = turnsOf(kit, rungs);
  const { trainTasks, evalTasks, numberOf } = numberedIds(kit.id, kit.name, rungs);
  const nowOf = (state: HouseState<Own>): Now<Task, Own> => ({
    task: turns.taskOf(state.task),
    state,
  });
  const lexicon = lexiconOf(kit);

  return {
    id: kit.id,
    trainTasks,
    evalTasks,
    holdout: holdoutOf(kit, (id) => turns.taskOf(numberOf(id))),
    turnLimit: kit.turnLimit,
    instruction: instructionOf(kit),
    lexicon,
    thoughtLexicon: [...new Set(kit.thoughts)].filter((phrase) => !lexicon.includes(phrase)),

    reset(taskId): Observed<HouseState<Own>> {
      const now = turns.begin(numberOf(taskId));
      return { state: now.state, observation: kit.firstObservation(now) };
    },

    step(state, text): Transition<HouseState<Own>> {
      const before = nowOf(state);
      if (turns.isOver(before)) throw new EpisodeOverError(kit.id);
      const { now, understood } = turns.after(before, text);
      const terminated = turns.isOver(now);
      const { answer } = now.state;
      return {
        state: now.state,
        observation: terminated ? kit.ending(now, answer) : kit.observation(now, answer),
        reward: kit.score(now) - kit.score(before),
        terminated,
        understood,
      };
    },

    success: (state) => kit.success(nowOf(state)),

    admissibleActions(state) {
      const now = nowOf(state);
      return turns.isOver(now) ? [] : turns.possible(now);
    },

    expert(state) {
      const now = nowOf(state);
      if (turns.isOver(now)) throw new EpisodeOverError(kit.id);
      return kit.expert(now);
    },
  };
}

/** The words of all verbs, and the other lexemes of observations. */
function lexiconOf<G extends Goal, Task extends HouseTask<Own>, Own>({
  verbs,
  lexicon,
}: Kit<G, Task, Own>): readonly string[] {
  return [...new Set([...new Grammar(verbs).lexicon, ...lexicon])];
}

function instructionOf<G extends Goal, Task extends HouseTask<Own>, Own>({
  role,
  verbs,
  remarks,
  turnLimit,
}: Kit<G, Task, Own>): string {
  const actions = verbs.map(({ pattern, meaning }) => {
    const [first = '', second = ''] = pattern.split('{}').length > 2 ? ['A', 'B'] : ['A'];
    return `${pattern.replace('{}', first).replace('{}', second)}: ${meaning}`;
  });
  return `${role}

You can say, with names in the places of A and B:
${actions.join('\n')}

${remarks} You have ${turnLimit} turns.`;
}

/** Goals are held out by their words, so no evaluation goal occurs in training. */
function holdoutOf<Task extends HouseTask<unknown>>(
  { known }: { readonly known: string },
  taskOf: (id: string) => Task,
): Holdout {
  const goal = (id: string) => taskOf(id).key;
  const house = (id: string) => {
    const { house, start } = taskOf(id);
    return JSON.stringify([house.names, start]);
  };
  return {
    sentence: `Evaluation goals and their houses do not occur in training: ${known}`,
    sameTasks: false,
    aspects: [
      aspect('goals with their houses', true, (id) => `${goal(id)}\n${house(id)}`),
      aspect('goals', true, goal),
      aspect('houses', true, house),
    ],
    cluster: { name: 'goals', of: goal },
  };
}
