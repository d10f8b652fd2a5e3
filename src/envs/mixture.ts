import { mixedCriticism } from './mixed-criticism.ts';
import type { Environment, Holdout, Observed, TaskAspect, Transition } from './types.ts';
import { UnknownTaskError } from './types.ts';

/** One environment of a mixture. */
export interface MixturePart {
  readonly environment: Environment;
  /** Relative weight among the parts when the tasks of an iteration are drawn; greater than 0. */
  readonly share: number;
  /** Weight among imitated dialogues, as a multiple of `share`; 1 by default. */
  readonly imitationWeight?: number;
}

/** The part that an episode belongs to, and its state in that part. */
interface MixtureState {
  readonly part: number;
  readonly state: unknown;
}

/** A mixture: an environment whose tasks are those of its parts. */
export interface Mixture extends Environment<MixtureState> {
  readonly parts: readonly MixturePart[];
}

/** Thrown if two parts have the same id. */
export class MixtureError extends Error {
  override readonly name = 'MixtureError';
}

/** Separates the environment's id from the task's id in a mixture's task id. */
const MARK = ':';

/** The id of a part's task in a mixture, e.g. `wordle/wordle-v1:wordle_3`. */
export function mixtureTask(environmentId: string, task: string): string {
  return `${environmentId}${MARK}${task}`;
}

/** Splits a mixture's task id; `environment` is null for an id that belongs to no mixture. */
export function splitTask(task: string): {
  readonly environmentId: string | null;
  readonly task: string;
} {
  const mark = task.indexOf(MARK);
  return mark === -1
    ? { environmentId: null, task }
    : { environmentId: task.slice(0, mark), task: task.slice(mark + 1) };
}

/** The holdout of each part. Parts never share tasks. */
function mixedHoldout(environments: readonly Environment[]): Holdout {
  const part = (name: string): readonly [Environment | undefined, string] => {
    const { environmentId, task } = splitTask(name);
    return [environments.find(({ id }) => id === environmentId), task];
  };
  const whole: TaskAspect = {
    name: 'tasks',
    apart: environments.every(({ holdout }) => !holdout.sameTasks),
    asks(name) {
      const [environment, task] = part(name);
      const asked = environment?.holdout.aspects[0].asks(task);
      return asked === undefined || asked === null
        ? null
        : mixtureTask(environment?.id ?? '', asked);
    },
    shows(name) {
      const [environment, task] = part(name);
      const shown = environment?.holdout.aspects[0].shows(task) ?? [];
      return shown.map((text) => mixtureTask(environment?.id ?? '', text));
    },
  };
  return {
    sentence: environments.map(({ id, holdout }) => `${id}: ${holdout.sentence}`).join(' '),
    sameTasks: environments.some(({ holdout }) => holdout.sameTasks),
    aspects: [whole],
    cluster: {
      name: 'clusters',
      of(name) {
        const [environment, task] = part(name);
        const { cluster } = environment?.holdout ?? {};
        return mixtureTask(environment?.id ?? '', cluster?.of(task) ?? task);
      },
    },
  };
}

/**
 * Several environments as one, for an agent that learns them all. The vocabulary is the union of the parts'
 * vocabularies; tasks are the parts' tasks, renamed by `mixtureTask`.
 * Throws `MixtureError` if two parts have the same id.
 */
export function createMixture(parts: readonly MixturePart[]): Mixture {
  const byId = new Map(parts.map(({ environment }, i) => [environment.id, i]));
  if (byId.size < parts.length) {
    throw new MixtureError('A mixture names each environment once; raise its share instead.');
  }
  const id = 'mixture';
  const environments = parts.map(({ environment }) => environment);
  const part = (i: number): Environment => {
    const found = environments[i];
    if (found === undefined) throw new MixtureError(`This mixture has no part ${i}.`);
    return found;
  };
  const tasks = (of: (environment: Environment) => readonly string[]) =>
    environments.flatMap((environment) =>
      of(environment).map((task) => mixtureTask(environment.id, task)),
    );
  const lexicon = [...new Set(environments.flatMap((environment) => environment.lexicon))];
  const known = new Set(lexicon);
  const find = (name: string) => {
    const { environmentId, task } = splitTask(name);
    const i = byId.get(environmentId ?? '');
    if (i === undefined) throw new UnknownTaskError(id, name);
    return { part: i, task };
  };
  const criticism = mixedCriticism(environments, find);
  const thoughts = new Set(environments.flatMap((environment) => environment.thoughtLexicon));
  return {
    id,
    parts,
    trainTasks: tasks(({ trainTasks }) => trainTasks),
    shownTasks: tasks(({ shownTasks, trainTasks }) => shownTasks ?? trainTasks),
    evalTasks: tasks(({ evalTasks }) => evalTasks),
    holdout: mixedHoldout(environments),
    turnLimit: Math.max(...environments.map(({ turnLimit }) => turnLimit)),
    instruction: environments.map(({ instruction }) => instruction).join('\n\n'),
    lexicon,
    thoughtLexicon: [...thoughts].filter((lexeme) => !known.has(lexeme)),
    ...(criticism === null ? {} : { criticism }),

    reset(name): Observed<MixtureState> {
      const { part: i, task } = find(name);
      const { state, observation } = part(i).reset(task);
      return { state: { part: i, state }, observation };
    },
    step({ part: i, state }, action): Transition<MixtureState> {
      const after = part(i).step(state, action);
      return { ...after, state: { part: i, state: after.state } };
    },
    success: ({ part: i, state }) => part(i).success(state),
    admissibleActions: ({ part: i, state }) => part(i).admissibleActions(state),
    expert: ({ part: i, state }) => part(i).expert(state),
  };
}
