/**
 * Plays episodes of an environment: start a task, act, choose actions until the end, replay recorded actions.
 * Every error of the environment is reported with its task and action.
 */
import type { Environment } from './types.ts';

/** A point of an episode. */
export interface Standing {
  readonly task: string;
  readonly state: unknown;
  /** The observation at this point. */
  readonly observation: string;
  /** The action that led here; null at the start of the task. */
  readonly action: string | null;
  /** The task has ended by its own rules. */
  readonly terminated: boolean;
}

/** The result of an action. */
export interface ActionResult extends Standing {
  readonly action: string;
  readonly reward: number;
  /** Whether the text was an action the environment understands. */
  readonly understood: boolean;
}

/** Anything that contains an action, such as an expert's demonstration or a recorded turn. */
interface WithAction {
  readonly action: string;
}

/** A turn: the point before it, the choice made there, and the point after it. */
export interface PlayedTurn<Choice extends WithAction> {
  readonly before: Standing;
  readonly choice: Choice;
  readonly after: ActionResult;
}

/** Thrown when an environment fails, so that a failure is never scored as 0 silently. */
export class EnvironmentFault extends Error {
  override readonly name = 'EnvironmentFault';
  readonly environment: string;
  readonly task: string;
  /** The action that failed, or `null` if `reset` failed. */
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
export function act(
  environment: Environment,
  { task, state }: Standing,
  action: string,
): ActionResult {
  // Hot path of every turn: no closures, and no spread of an object of unknown shape.
  try {
    const after = environment.step(state, action);
    return {
      task,
      state: after.state,
      observation: after.observation,
      action,
      terminated: after.terminated,
      reward: after.reward,
      understood: after.understood,
    };
  } catch (cause) {
    throw new EnvironmentFault(environment.id, task, action, cause);
  }
}

/**
 * The success predicate, independent of the reward.
 *
 * @throws {EnvironmentFault}
 */
export function solved(environment: Environment, { task, state, action }: Standing): boolean {
  return guard(environment, task, action, () => environment.success(state));
}

/**
 * Plays turn by turn until the task ends or `most` turns have passed.
 * @param choose its errors are reported as errors of the environment, which it queries
 * @throws {EnvironmentFault}
 */
export function* play<Choice extends WithAction>(
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
 * Replays actions. Environments are pure, so the same actions lead to the same states.
 * @throws {EnvironmentFault}
 */
export function* replay<Choice extends WithAction>(
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

/** Chooses the expert's action. */
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
