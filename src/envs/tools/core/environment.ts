import { aspect } from '../../holdout.ts';
import { numberedIds } from '../../numbered-tasks.ts';
import {
  type Demonstration,
  type Environment,
  EpisodeOverError,
  type Holdout,
  type Observed,
  type Transition,
} from '../../types.ts';
import { callHead } from './call.ts';
import { type Desk, type Episode, openDesk, type ToolsState } from './episode.ts';
import { type Json, print, type Scalar } from './json.ts';
import type { Kit, Rung } from './kit.ts';
import { isAlike, type Task } from './tasks.ts';
import {
  ending,
  FINISH,
  firstObservation,
  instructionOf,
  lexiconOf,
  observation,
  thoughtLexiconOf,
} from './text.ts';
import { callText, type Parameter, type Parameters, type PlannedCall } from './tool.ts';

/** Number of recent values offered per parameter, for tools with two parameters and for tools with more. */
const OFFERED_OF_TWO = 4;
const OFFERED_OF_MORE = 2;

const finishWith = (answer: Json | null): string =>
  callText({ tool: FINISH, args: answer === null ? {} : { answer } });

/** Creates the environment that a kit defines, with goals from the given rungs. */
export function createTools<World extends Json>(
  kit: Kit<World>,
  rungs: readonly Rung[],
): Environment<ToolsState> {
  const desk = openDesk(kit, rungs);
  const { read } = desk;
  const { trainTasks, evalTasks, numberOf } = numberedIds(kit.id, kit.name, rungs);

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
      return advice(desk, episode);
    },
  };
}

/** The expert's action: the next call of the plan, one that repairs a stray call's effect, or `finish`. */
function advice<World extends Json>(desk: Desk<World>, episode: Episode<World>): Demonstration {
  const call = nextCall(desk, episode);
  return call === null
    ? { thought: episode.task.thought, action: finishWith(episode.task.answer) }
    : { thought: call.thought, action: call.text };
}

/** The expert's next call; null if everything is done. */
function nextCall<World extends Json>(
  { kit, isAsWanted }: Desk<World>,
  episode: Episode<World>,
): PlannedCall | null {
  const { task, world } = episode;
  // A goal without a question depends on the database only, not on the replies to calls.
  if (task.answer === null && isAsWanted(task, world)) return null;
  const due = task.calls.find((planned, i) =>
    isDue(kit, episode, planned, task.calls.slice(i + 1)),
  );
  return due ?? kit.repair?.(world, task.wanted) ?? null;
}

/**
 * Whether a call of the plan has to be made, or repeated because another call undid its effect or something
 * that later calls need.
 * @param later the calls after it in the plan
 */
function isDue<World extends Json>(
  kit: Kit<World>,
  { made, world }: Episode<World>,
  planned: PlannedCall,
  later: readonly PlannedCall[],
): boolean {
  const changed = made.get(planned.text);
  if (changed === undefined) return true;
  const tool = kit.tools.find(({ name }) => name === planned.tool);
  if (!changed || tool?.moves) return false;
  const result = tool?.run(world, planned.args);
  if (result === undefined || 'error' in result || result.world === undefined) return false;
  return !isAlike(kit, world, result.world) || later.some(({ text }) => !made.has(text));
}

/**
 * Calls of every tool with values from the goal and the replies, and `finish` with such values as the answer.
 * These are not all possible calls, but always include the expert's.
 */
function offers<World extends Json>(desk: Desk<World>, episode: Episode<World>): readonly string[] {
  const { kit } = desk;
  // Parameters can share a domain, so the text of its known values is cached.
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
  // Tools can share their parameters, so the rest of their calls is cached, too.
  const inputs = new Map<Parameters, readonly string[]>();
  const calls = kit.tools.flatMap((tool) => {
    const needed = Object.entries(tool.parameters).filter(([, { optional }]) => !optional);
    const ends = inputs.get(tool.parameters) ?? inputsOf(needed, valuesFor);
    inputs.set(tool.parameters, ends);
    const head = callHead(tool, needed[0]?.[0]);
    return ends.map((end) => head + end);
  });
  calls.push(...endings(kit, episode));
  const { action } = advice(desk, episode);
  return calls.includes(action) ? calls : [action, ...calls];
}

/** Calls that end the task: with every known value, and with answers that are always possible. */
function endings<World extends Json>(
  { answers }: Kit<World>,
  { seen }: Episode<World>,
): readonly string[] {
  if (answers === null) return [finishWith(null)];
  const known = [...seen].filter((value) => typeof value !== 'boolean');
  const others = answers.filter((answer) => typeof answer === 'object' || !seen.has(answer));
  return [...known, ...others].map(finishWith);
}

/**
 * The rest of a call, from its first value on: one text for each combination of recent values of the required
 * parameters.
 */
function inputsOf(
  needed: readonly (readonly [string, Parameter])[],
  valuesFor: (parameter: Parameter) => readonly string[],
): readonly string[] {
  const count = needed.length;
  if (count === 0) return [''];
  const most =
    count === 1 ? Number.POSITIVE_INFINITY : count === 2 ? OFFERED_OF_TWO : OFFERED_OF_MORE;
  let begun = [''];
  for (const [i, [key, parameter]] of needed.entries()) {
    const before = `${i === 0 ? ' ' : `, "${key}": `}${'['.repeat(parameter.depth)}`;
    const after = `${']'.repeat(parameter.depth)}${i === count - 1 ? '}' : ''}`;
    const values = valuesFor(parameter).slice(-most);
    begun = begun.flatMap((input) => values.map((value) => input + before + value + after));
  }
  return begun;
}

/** Goals are held out by their text, so no evaluation goal occurs in training. */
function holdoutOf<World extends Json>(taskOf: (id: string) => Task<World>): Holdout {
  const goal = (id: string) => taskOf(id).goal;
  return {
    sentence:
      'Evaluation goals and their databases do not occur in training. Names, ids, dates and numbers are known, but not in this goal. The kinds of goals are the same as in training.',
    sameTasks: false,
    aspects: [
      aspect('goals with their databases', true, (id) => `${goal(id)}\n${worldText(taskOf(id))}`),
      aspect('goals', true, goal),
      aspect('databases', true, (id) => worldText(taskOf(id))),
    ],
    cluster: { name: 'goals', of: goal },
  };
}

const worldText = <World extends Json>({ world }: Task<World>): string => print(world);
