import { fnv1a } from '../hash.ts';
import { aspect } from '../holdout.ts';
import { EnvironmentOptionError, resolveOptions } from '../options.ts';
import {
  type Demonstration,
  type Environment,
  type EnvironmentOptions,
  EpisodeOverError,
  type Observed,
  type Transition,
  UnknownTaskError,
} from '../types.ts';
import { cardOf, type Language } from './card.ts';
import { type About, aboutOf } from './declared.ts';
import { CodeError, Program } from './interpreter.ts';
import { permission } from './permission.ts';
import { prepareCode } from './prepare.ts';
import { PythonProgram } from './python/program.ts';
import { firstTemplate } from './templates.ts';

export interface WrittenState {
  readonly task: number;
  /** Turns taken. */
  readonly turn: number;
  /** The code's own state, as JSON. */
  readonly data: string;
  /** The last observation that the code returned. */
  readonly text: string;
  readonly actions: readonly string[];
  readonly success: boolean;
  readonly over: boolean;
}

export const isWrittenState = (state: unknown): state is WrittenState =>
  typeof state === 'object' && state !== null && 'data' in state && 'actions' in state;

/** An environment whose state can be drawn. */
export interface WrittenEnvironment extends Environment<WrittenState> {
  readonly title: string | null;
  /** Whether the code has an expert. */
  readonly hasExpert: boolean;
  /**
   * Rows of equal squares, one character each; null if the code has no drawing. Throws `CodeError`.
   */
  draw(state: WrittenState): readonly string[] | null;
  /** Approximate number of operations of all calls so far. */
  operations(): number;
  /** Whether a limit was exceeded; then every call fails. */
  isBroken(): boolean;
  /** Frees the interpreter's memory; nothing can be called afterwards. */
  dispose(): void;
}

const FIRST_EVAL_TASK = 100_000;
/** Number of evaluation tasks: a quarter of the training tasks, at most this many. */
const MOST_EVAL_TASKS = 128;
/** Maximum number of states searched for a solution if the code has no expert. */
const MOST_SEARCHED = 500;

export const NOT_UNDERSTOOD = 'Unknown action.';
const THOUGHT = 'This action helps.';

/** Maximum number of cached programs. The same code is validated and created repeatedly. */
const MOST_MADE = 4;
const made = new Map<string, WrittenEnvironment>();

export const createWritten = (options?: EnvironmentOptions) => create('javascript', options);

export const createPython = (options?: EnvironmentOptions) => create('python', options);

/** @throws {EnvironmentOptionError} naming the line of an error */
function create(language: Language, options?: EnvironmentOptions): WrittenEnvironment {
  const { id, options: declared } = cardOf(language);
  const { code } = resolveOptions(id, declared, options);
  if (code !== '' && !permission.mayRun(code)) return sealed(id);
  const key = `${language} ${code}`;
  const known = made.get(key);
  if (known !== undefined && !known.isBroken()) return known;
  let environment: WrittenEnvironment;
  try {
    environment = compile(code === '' ? firstTemplate(language).code : code, language);
  } catch (error) {
    if (!(error instanceof CodeError)) throw error;
    const problem = `has an error: ${error.message}`;
    throw new EnvironmentOptionError(`${id}: code ${problem}.`, 'code', problem);
  }
  const oldest = made.keys().next().value;
  // Do not dispose: an environment in use keeps its program.
  if (made.size >= MOST_MADE && oldest !== undefined) made.delete(oldest);
  made.set(key, environment);
  return environment;
}

/** @throws {CodeError} */
export function compile(code: string, language: Language = 'javascript'): WrittenEnvironment {
  const program = language === 'python' ? new PythonProgram(code) : new Program(prepareCode(code));
  try {
    const about = aboutOf(program.call('about'), code, language);
    return environmentOf(cardOf(language).id, program, about);
  } catch (error) {
    program.dispose();
    throw error;
  }
}

interface Played {
  readonly state: string;
  readonly text: string;
  readonly actions: readonly string[];
}

interface Stepped extends Played {
  readonly reward: number;
  readonly done: boolean;
  readonly success: boolean;
}

/** Seed of a call's random numbers, distinct for each task and turn. */
const seedOf = (task: number, turn: number) => fnv1a(`${task} ${turn}`);

function environmentOf(
  id: string,
  program: Program | PythonProgram,
  about: About,
): WrittenEnvironment {
  const { turns: turnLimit, tasks } = about;
  const from = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => `task_${first + i}`);
  const trainTasks = from(0, tasks);
  const evalTasks = from(
    FIRST_EVAL_TASK,
    Math.min(MOST_EVAL_TASKS, Math.max(1, Math.floor(tasks / 4))),
  );
  const known = new Set([...trainTasks, ...evalTasks]);
  const lexicon = [...new Set([...about.words, NOT_UNDERSTOOD])];
  // The prelude has checked the types of what the code returns.
  const call = <Value>(name: string, ...given: readonly unknown[]) =>
    program.call(name, ...given) as Value;

  const reset = (taskId: string): Observed<WrittenState> => {
    if (!known.has(taskId)) throw new UnknownTaskError(id, taskId);
    const task = Number(taskId.slice('task_'.length));
    const { state: data, text, actions } = call<Played>('reset', task, seedOf(task, -1));
    const state = { task, turn: 0, data, text, actions, success: false, over: false };
    return { state, observation: text };
  };

  const step = (before: WrittenState, action: string): Transition<WrittenState> => {
    if (before.over) throw new EpisodeOverError(id);
    const turn = before.turn + 1;
    const late = turn >= turnLimit;
    const ended = { actions: [], over: true } as const;
    if (!before.actions.includes(action)) {
      return {
        state: { ...before, turn, ...(late ? ended : {}) },
        observation: `${NOT_UNDERSTOOD} ${before.text}`,
        ...{ reward: 0, terminated: late, understood: false },
      };
    }
    const after = call<Stepped>('step', before.data, action, seedOf(before.task, before.turn));
    const over = after.done || late;
    const state: WrittenState = {
      ...{ task: before.task, turn, data: after.state, text: after.text, over },
      actions: over ? [] : after.actions,
      success: after.done && after.success,
    };
    return {
      state,
      observation: after.text,
      ...{ reward: after.reward, terminated: over, understood: true },
    };
  };

  const expert = (state: WrittenState): Demonstration => {
    if (state.over) throw new EpisodeOverError(id);
    if (!about.hasExpert) return { action: searched(state, step), thought: THOUGHT };
    const choice = call<{ action: string; thought: string | null }>('expert', state.data);
    return { action: choice.action, thought: choice.thought ?? THOUGHT };
  };

  return {
    id,
    title: about.name,
    hasExpert: about.hasExpert,
    trainTasks,
    evalTasks,
    holdout: {
      sentence:
        'Evaluation plays other task numbers than training; how much the tasks differ depends on the code.',
      sameTasks: false,
      aspects: [aspect('task numbers', true, (task) => task)],
    },
    turnLimit,
    instruction: about.about,
    lexicon,
    thoughtLexicon: lexicon.includes(THOUGHT) ? [] : [THOUGHT],
    ...{ reset, step, expert },
    success: ({ success }) => success,
    admissibleActions: ({ actions }) => actions,
    draw: (state) => (about.draws ? call<readonly string[]>('draw', state.data) : null),
    operations: () => program.operations,
    isBroken: () => program.isBroken,
    dispose: () => program.dispose(),
  };
}

/** The first action of a shortest solution, or any action if the search finds none. */
function searched(
  from: WrittenState,
  step: (state: WrittenState, action: string) => Transition<WrittenState>,
): string {
  const [otherwise = ''] = from.actions;
  const queue = from.actions.map((action) => ({ state: from, action, first: action }));
  for (let i = 0; i < Math.min(queue.length, MOST_SEARCHED); i++) {
    const at = queue[i];
    if (at === undefined) break;
    const { state } = step(at.state, at.action);
    if (state.success) return at.first;
    for (const action of state.actions) queue.push({ state, action, first: at.first });
  }
  return otherwise;
}

const SEALED = 'The code of this environment has not been allowed to run.';

/** A placeholder for an environment whose code is not allowed to run: its only observation says so. */
function sealed(id: string): WrittenEnvironment {
  const refuse = (): never => {
    throw new EpisodeOverError(id);
  };
  const state: WrittenState = {
    ...{ task: 0, turn: 0, data: 'null', text: SEALED, actions: [], success: false, over: true },
  };
  return {
    ...{ id, title: null, hasExpert: false, turnLimit: 1, instruction: SEALED },
    trainTasks: ['task_0'],
    evalTasks: [`task_${FIRST_EVAL_TASK}`],
    holdout: {
      sentence: SEALED,
      sameTasks: false,
      aspects: [aspect('tasks', true, (task) => task)],
    },
    lexicon: [SEALED],
    thoughtLexicon: [],
    reset: () => ({ state, observation: SEALED }),
    ...{ step: refuse, expert: refuse, success: () => false, admissibleActions: () => [] },
    draw: () => null,
    operations: () => 0,
    isBroken: () => false,
    dispose: () => {},
  };
}
