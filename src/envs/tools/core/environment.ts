import { aspect } from '../../holdout.ts';
import {
  type Demonstration,
  type Environment,
  EpisodeOverError,
  type Holdout,
  type Observed,
  type Transition,
  UnknownTaskError,
} from '../../types.ts';
import { callHead } from './call.ts';
import { type Desk, type Episode, openDesk, type ToolsState } from './episode.ts';
import { type Json, print, type Scalar } from './json.ts';
import type { Kit, Rung } from './kit.ts';
import { EVAL_TASKS, FIRST_EVAL_TASK, type Task, TRAIN_TASKS } from './tasks.ts';
import {
  ending,
  FINISH,
  firstObservation,
  instructionOf,
  lexiconOf,
  observation,
  thoughtLexiconOf,
} from './text.ts';
import { callText, type Parameter, type PlannedCall, type Tool } from './tool.ts';

/** Values, the newest ones, that are offered for each parameter of a tool that has two, and that has more. */
const OFFERED_OF_TWO = 4;
const OFFERED_OF_MORE = 2;

const idsFrom = (name: string, first: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${name}_${first + i}`);

const finishWith = (answer: Json): string => callText({ tool: FINISH, args: { answer } });

/** An environment of a kit, with goals of some rungs. */
export function createTools<World extends Json>(
  kit: Kit<World>,
  rungs: readonly Rung[],
): Environment<ToolsState> {
  const desk = openDesk(kit, rungs);
  const { read } = desk;
  const trainTasks = idsFrom(kit.name, 0, TRAIN_TASKS);
  const evalTasks = idsFrom(kit.name, FIRST_EVAL_TASK, EVAL_TASKS);
  const known = new Set([...trainTasks, ...evalTasks]);
  const numberOf = (id: string): number => {
    if (!known.has(id)) throw new UnknownTaskError(kit.id, id);
    return Number(id.slice(kit.name.length + 1));
  };

  return {
    id: kit.id,
    trainTasks,
    evalTasks,
    holdout: holdoutOf((id) => desk.taskOf(numberOf(id))),
    turnLimit: kit.turnLimit,
    instruction: instructionOf(kit),
    lexicon: lexiconOf(kit),
    thoughtLexicon: thoughtLexiconOf(kit),

    reset(taskId): Observed<ToolsState> {
      const task = numberOf(taskId);
      return {
        state: { task, said: [] },
        observation: firstObservation(desk.taskOf(task).goal),
      };
    },

    step(state, text): Transition<ToolsState> {
      if (read(state).end !== null) throw new EpisodeOverError(kit.id);
      const after = desk.said(state, text);
      const { turns, end } = read(after);
      const turn = turns.at(-1);
      const finished = end === 'reached' || end === 'missed';
      return {
        state: after,
        observation: finished
          ? ending(end === 'reached')
          : observation(turn?.reply ?? '', end === null),
        reward: end === 'reached' ? 1 : 0,
        terminated: end !== null,
        understood: turn !== undefined && turn.call !== null,
      };
    },

    success: (state) => read(state).end === 'reached',

    admissibleActions(state): readonly string[] {
      const episode = read(state);
      return episode.end === null ? offers(desk, episode) : [];
    },

    expert(state): Demonstration {
      const episode = read(state);
      if (episode.end !== null) throw new EpisodeOverError(kit.id);
      return advice(kit, episode);
    },
  };
}

/** The next call of the plan, one that mends what a stray call changed, or the answer. */
function advice<World extends Json>(kit: Kit<World>, episode: Episode<World>): Demonstration {
  const { task, world } = episode;
  const call =
    task.calls.find((planned) => isDue(kit, episode, planned)) ?? kit.repair?.(world, task.wanted);
  return call === undefined || call === null
    ? { thought: task.thought, action: finishWith(task.answer) }
    : { thought: call.thought, action: call.text };
}

/** Whether a call of the plan has to be made, or made again because another call undid it. */
function isDue<World extends Json>(
  { tools }: Kit<World>,
  { made, world }: Episode<World>,
  planned: PlannedCall,
): boolean {
  const changed = made.get(planned.text);
  if (changed === undefined) return true;
  if (!changed) return false;
  const result = tools.find(({ name }) => name === planned.tool)?.run(world, planned.args);
  return result !== undefined && 'world' in result;
}

/**
 * Calls of every tool with values that the goal and the replies have shown, and answers of them: not
 * all that could be made, but what the expert advises is always among them.
 */
function offers<World extends Json>(
  { kit }: Desk<World>,
  episode: Episode<World>,
): readonly string[] {
  // Many parameters share a domain: what of it was seen is looked up once, and written once.
  const written = new Map<ReadonlySet<Scalar>, readonly string[]>();
  const valuesFor = ({ domain, open }: Parameter): readonly string[] => {
    let values = written.get(domain);
    if (values === undefined) {
      const seen = open ? [...domain] : [...episode.seen].filter((value) => domain.has(value));
      values = seen.map(print);
      written.set(domain, values);
    }
    return values;
  };
  const calls = kit.tools.flatMap((tool) => callsOf(tool, valuesFor));
  for (const value of episode.seen) if (typeof value !== 'boolean') calls.push(finishWith(value));
  for (const answer of kit.answers) {
    if (typeof answer === 'object' || !episode.seen.has(answer)) calls.push(finishWith(answer));
  }
  const { action } = advice(kit, episode);
  return calls.includes(action) ? calls : [action, ...calls];
}

/** The calls of a tool with every choice of the newest values of its parameters. */
function callsOf<World extends Json>(
  tool: Tool<World>,
  valuesFor: (parameter: Parameter) => readonly string[],
): readonly string[] {
  const parameters = Object.entries(tool.parameters);
  const count = parameters.length;
  const most =
    count < 2 ? Number.POSITIVE_INFINITY : count === 2 ? OFFERED_OF_TWO : OFFERED_OF_MORE;
  let begun = [callHead(tool)];
  for (const [i, [key, parameter]] of parameters.entries()) {
    const before = i === 0 ? ' ' : `, "${key}": `;
    const values = valuesFor(parameter).slice(-most);
    begun = begun.flatMap((call) => values.map((value) => call + before + value));
  }
  return count === 0 ? begun : begun.map((call) => `${call}}`);
}

/** Goals are kept apart by their words, so training has none of those that evaluation has. */
function holdoutOf<World extends Json>(taskOf: (id: string) => Task<World>): Holdout {
  const goal = (id: string) => taskOf(id).goal;
  return {
    sentence:
      'Evaluation asks for goals that training never has, in worlds that it never has: names, ids, dates and numbers are known, but not in this goal. The kinds of goals are those of training.',
    sameTasks: false,
    aspects: [
      aspect('goals with their worlds', true, (id) => `${goal(id)}\n${worldText(taskOf(id))}`),
      aspect('goals', true, goal),
      aspect('worlds', true, (id) => worldText(taskOf(id))),
    ],
    cluster: { name: 'goals', of: goal },
  };
}

const worldText = <World extends Json>({ world }: Task<World>): string => print(world);
