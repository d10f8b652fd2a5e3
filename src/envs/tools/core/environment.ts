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

/** Values that are offered for a parameter of a tool that has several: the newest ones. */
const OFFERED_OF_SEVERAL = 4;

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
  const seen = [...episode.seen];
  const answers = [...kit.answers, ...seen.filter((value) => typeof value !== 'boolean')];
  return [
    ...new Set([
      advice(kit, episode).action,
      ...kit.tools.flatMap((tool) => callsOf(tool, seen)),
      ...answers.map(finishWith),
    ]),
  ];
}

function callsOf<World extends Json>(
  { name, parameters }: Tool<World>,
  seen: readonly Scalar[],
): readonly string[] {
  const entries = Object.entries(parameters);
  const offered = (parameter: Parameter): readonly Scalar[] => {
    const { domain, open } = parameter;
    const values = open ? [...domain] : seen.filter((value) => domain.has(value));
    return entries.length > 1 ? values.slice(-OFFERED_OF_SEVERAL) : values;
  };
  let calls = [callHead({ name, parameters })];
  for (const [i, [key, parameter]] of entries.entries()) {
    const ends = offered(parameter).map((value) =>
      i === 0 ? ` ${print(value)}` : `, "${key}": ${print(value)}`,
    );
    calls = calls.flatMap((call) => ends.map((end) => call + end));
  }
  return entries.length === 0 ? calls : calls.map((call) => `${call}}`);
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
