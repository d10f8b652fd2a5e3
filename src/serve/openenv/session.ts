/** An OpenEnv session: one environment instance with at most one episode. */

import { act, begin, type Standing, solved } from '../../envs/episode.ts';
import type { Environment } from '../../envs/types.ts';
import type { Served } from '../dialect.ts';
import type { Json } from '../protocol.ts';
import { MOST_EPISODE_ID } from './limits.ts';

export type JsonObject = { readonly [key: string]: Json };

/** Codes of OpenEnv's error messages. */
type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'SESSION_ERROR';

/** Thrown for a request that cannot be served. */
export class OpenEnvError extends Error {
  override readonly name = 'OpenEnvError';
  readonly code: ErrorCode;
  readonly details: JsonObject;
  constructor(code: ErrorCode, message: string, details: JsonObject = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** A field of the wrong type, in the format of a pydantic error. */
export const validationError = (field: string, message: string): OpenEnvError =>
  new OpenEnvError('VALIDATION_ERROR', `Invalid message: ${field}: ${message}`, {
    errors: [{ type: 'value_error', loc: field.split('.'), msg: message }],
  });

interface Episode {
  readonly environment: Environment;
  /** The task as `/tasks` lists it. */
  readonly taskId: string;
  readonly at: Standing;
  readonly maxTurns: number;
  readonly turn: number;
  readonly score: number;
  readonly reward: number | null;
  readonly understood: boolean;
}

export const SPLITS = ['train', 'eval'] as const;

/**
 * Task numbers of a split.
 *
 * @throws {OpenEnvError}
 */
export function splitOf({ tasks }: Served, split: unknown): readonly number[] {
  if (split === 'train') return tasks().train;
  if (split === 'eval') return tasks().evaluation;
  throw validationError('data.split', `Input should be one of ${SPLITS.join(', ')}`);
}

export class Session {
  readonly served: Served;
  #episode: Episode | null = null;
  #episodeId: string | null = null;

  constructor(served: Served) {
    this.served = served;
  }

  /** Whether an episode has been started; it may have ended since. */
  get started(): boolean {
    return this.#episode !== null;
  }

  /**
   * Starts an episode. `task_id`, `data_idx`, or `index` in `split` selects the task; otherwise
   * `seed` chooses one of `split`, and a reset without a seed draws one at random. Unknown keywords
   * are ignored, as OpenEnv does.
   *
   * @throws {OpenEnvError}
   */
  reset(keywords: JsonObject): JsonObject {
    const episodeId = optionalText(keywords, 'episode_id');
    if (episodeId !== undefined && episodeId.length > MOST_EPISODE_ID) {
      throw validationError('data.episode_id', `at most ${MOST_EPISODE_ID} characters`);
    }
    const maxTurns = optionalWhole(keywords, 'max_turns', 1);
    const number = this.#taskNumber(keywords);
    const { dialect, tasks } = this.served;
    const found = tasks().find(number);
    if (found === undefined) {
      throw new OpenEnvError('EXECUTION_ERROR', `there is no task ${number} in ${dialect.path}`);
    }
    const { environment, task } = found;
    this.#episodeId = episodeId ?? globalThis.crypto.randomUUID();
    this.#episode = {
      ...{ environment, taskId: `${dialect.path}_${number}` },
      at: begin(environment, task),
      maxTurns: Math.min(maxTurns ?? environment.turnLimit, environment.turnLimit),
      ...{ turn: 0, score: 0, reward: null, understood: true },
    };
    return this.observation();
  }

  /** @throws {OpenEnvError} */
  step(action: JsonObject): JsonObject {
    const { message, metadata, ...others } = action;
    if (message === undefined) throw validationError('message', 'Field required');
    if (typeof message !== 'string') throw validationError('message', 'Input should be a string');
    if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null)) {
      throw validationError('metadata', 'Input should be an object');
    }
    const [extra] = Object.keys(others);
    if (extra !== undefined) throw validationError(extra, 'Extra inputs are not permitted');
    const episode = this.#episode;
    if (episode === null) {
      throw new OpenEnvError('EXECUTION_ERROR', 'there is no episode yet: send reset first');
    }
    if (isDone(episode)) {
      throw new OpenEnvError('EXECUTION_ERROR', 'the episode is over: send reset first');
    }
    const { dialect } = this.served;
    const after = act(episode.environment, episode.at, dialect.parseAction(message));
    const { reward, understood, ...at } = after;
    const [turn, score] = [episode.turn + 1, episode.score + reward];
    this.#episode = { ...episode, at, turn, score, reward, understood };
    return this.observation();
  }

  /** The last observation, with reward and done as separate fields, as on the wire. */
  observation(): JsonObject {
    const episode = this.#episode;
    if (episode === null) throw new OpenEnvError('EXECUTION_ERROR', 'there is no episode yet');
    const { environment, at, turn, score, reward, understood, taskId } = episode;
    const done = isDone(episode);
    return {
      observation: {
        prompt: environment.instruction,
        observation: at.observation,
        turn,
        truncated: done && !at.terminated,
        understood,
        score,
        success: solved(environment, at),
        task_id: taskId,
      },
      reward,
      done,
    };
  }

  state(): JsonObject {
    return {
      episode_id: this.#episodeId,
      step_count: this.#episode?.turn ?? 0,
      task_id: this.#episode?.taskId ?? null,
      env: this.#episode?.environment.id ?? this.served.ids[0] ?? null,
    };
  }

  #taskNumber(keywords: JsonObject): number {
    const { dialect } = this.served;
    const id = optionalText(keywords, 'task_id');
    const index = optionalWhole(keywords, 'data_idx', 0);
    const seed = optionalWhole(keywords, 'seed', 0);
    const place = optionalWhole(keywords, 'index', 0);
    const numbers = splitOf(this.served, optionalText(keywords, 'split') ?? 'train');
    if (id !== undefined) {
      const digits = /_(\d{1,15})$/.exec(id)?.[1];
      if (digits === undefined || id !== `${dialect.path}_${digits}`) {
        throw new OpenEnvError('EXECUTION_ERROR', `there is no task ${JSON.stringify(id)}`);
      }
      return Number(digits);
    }
    if (index !== undefined) return index;
    const number = place === undefined ? undefined : numbers[place];
    if (place !== undefined) {
      if (number !== undefined) return number;
      throw new OpenEnvError('EXECUTION_ERROR', `there is no task at index ${place} of the split`);
    }
    const drawn = seed ?? Math.floor(Math.random() * numbers.length);
    return numbers[drawn % numbers.length] ?? 0;
  }
}

const isDone = ({ at, turn, maxTurns }: Episode): boolean => at.terminated || turn >= maxTurns;

function optionalText(keywords: JsonObject, name: string): string | undefined {
  const value = keywords[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw validationError(`data.${name}`, 'Input should be a string');
}

function optionalWhole(keywords: JsonObject, name: string, least: number): number | undefined {
  const value = keywords[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw validationError(`data.${name}`, `Input should be an integer of at least ${least}`);
}
