/**
 * The one way to take an environment through an episode: begin a task, act, play on with a choice,
 * replay what was chosen. Whatever the environment throws on the way names task and action.
 */
import type { Environment } from './types.ts';

/** Where an episode stands. */
export interface Standing {
  readonly task: string;
  readonly state: unknown;
  /** What is read there. */
  readonly observation: string;
  /** The action that led there; null where the task begins. */
  readonly action: string | null;
  /** The task has ended by its own rules. */
  readonly terminated: boolean;
}

/** Where an action led. */
export interface Acted extends Standing {
  readonly action: string;
  readonly reward: number;
  /** Whether the text was an action the environment understands. */
  readonly understood: boolean;
}

/** Anything with an action in it: an expert's demonstration, a recorded turn. */
interface Choosable {
  readonly action: string;
}

/** A turn: where it began, what was chosen there, and where that led. */
export interface PlayedTurn<Choice extends Choosable> {
  readonly before: Standing;
  readonly choice: Choice;
  readonly after: Acted;
}

/** Thrown when an environment fails; an episode never ends with a silent score of 0. */
export class EnvironmentFault extends Error {
  override readonly name = 'EnvironmentFault';
  readonly environment: string;
  readonly task: string;
  /** The action that was being taken, or `null` before the first. */
  readonly action: string | null;
  constructor(environment: string, task: string, action: string | null, cause: unknown) {
    const during = action === null ? 'reset' : `action ${JSON.stringify(action)}`;
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    super(`${environment} failed on task ${task} at ${during}: ${reason}`, { cause });
    this.environment = environment;
    this.task = task;
    this.action = action;
  }
}

/** @throws {EnvironmentFault} */
export function begin(environment: Environment, task: string): Standing {
  const { state, observation } = guard(environment, task, null, () => environment.reset(task));
  return { task, state, observation, action: null, terminated: false };
}

/** @throws {EnvironmentFault} */
export function act(environment: Environment, { task, state }: Standing, action: string): Acted {
  const transition = guard(environment, task, action, () => environment.step(state, action));
  return { ...transition, task, action };
}

/**
 * The success predicate, apart from reward.
 *
 * @throws {EnvironmentFault}
 */
export function solved(environment: Environment, { task, state, action }: Standing): boolean {
  return guard(environment, task, action, () => environment.success(state));
}

/**
 * Plays on from somewhere, turn by turn, to the task's end or for so many turns.
 *
 * @param choose what it throws is taken for the environment's fault: it asks the environment
 * @throws {EnvironmentFault}
 */
export function* play<Choice extends Choosable>(
  environment: Environment,
  from: Standing,
  choose: (at: Standing) => Choice,
  most = environment.turnLimit,
): Generator<PlayedTurn<Choice>, void> {
  let before = from;
  for (let turn = 0; turn < most && !before.terminated; turn++) {
    const at = before;
    const choice = guard(environment, at.task, at.action, () => choose(at));
    const after = act(environment, at, choice.action);
    yield { before, choice, after };
    before = after;
  }
}

/**
 * Takes the same actions again: environments are pure, so they lead to the same places.
 *
 * @throws {EnvironmentFault}
 */
export function* replay<Choice extends Choosable>(
  environment: Environment,
  from: Standing,
  choices: Iterable<Choice>,
): Generator<PlayedTurn<Choice>, void> {
  let before = from;
  for (const choice of choices) {
    const after = act(environment, before, choice.action);
    yield { before, choice, after };
    before = after;
  }
}

/** Chooses as the expert does. */
export function expertOf(environment: Environment) {
  return ({ state }: Standing) => environment.expert(state);
}

function guard<Result>(
  environment: Environment,
  task: string,
  action: string | null,
  run: () => Result,
): Result {
  try {
    return run();
  } catch (cause) {
    throw new EnvironmentFault(environment.id, task, action, cause);
  }
}
