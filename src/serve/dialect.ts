/** The protocol of one of AgentGym's servers: its requests, replies and texts. */

import { act, type Standing } from '../envs/episode.ts';
import type { Environment, EnvironmentOptions } from '../envs/types.ts';
import type { Json } from './protocol.ts';
import type { NumberedTasks, Numbering } from './tasks.ts';

/** The texts and numbers of a turn that a client receives. */
interface TurnResult {
  readonly observation: string;
  readonly reward: number;
  readonly done: boolean;
}

/** An episode of an open environment. */
export interface Episode {
  readonly environment: Environment;
  /** The task's number as given by the client. */
  readonly task: number;
  readonly at: Standing;
  readonly result: TurnResult;
  /** Turns so far. */
  readonly turns: number;
  /** Sum of the rewards so far. */
  readonly score: number;
}

/** The result of a turn. */
export type Turn = Pick<Episode, 'at' | 'result'>;

/** How an episode is presented: with this project's own texts and rules, or with the original's. */
export interface Presentation {
  begins(environment: Environment, at: Standing): string;
  acts(episode: Episode, action: string): Turn;
}

/** What a path serves. */
export interface Served {
  readonly dialect: Dialect;
  /** Ids of its environments; several take turns in providing tasks. */
  readonly ids: readonly string[];
  readonly options: EnvironmentOptions;
  readonly manner: Presentation;
  /** Tasks by number. They and their environments are created on first use. */
  readonly tasks: () => NumberedTasks;
}

export interface Dialect extends Numbering {
  /** The path segment of this environment. */
  readonly path: string;
  /** Ids of the environments it can serve. */
  readonly choices: readonly string[];
  /** The environments served by default; several take turns in providing tasks. */
  readonly environments: readonly string[];
  /** Options closest to the original. */
  readonly options: EnvironmentOptions;
  /** Creates the environment to use with the original's texts, if it is not the registered one. */
  readonly create?: (id: string, options: EnvironmentOptions) => Environment;
  /** Key of an open environment's id in requests. */
  readonly idKey: 'id' | 'env_idx';
  /** Key of the task's number in the body of a reset request. */
  readonly taskKey: string;
  /** Whether creating an environment also starts its first task. */
  readonly beginsAtOnce?: boolean;
  /** Whether a step after the end repeats the last reply; otherwise it is an error. */
  readonly repeatsLastReply?: boolean;
  /** Extracts the action from a client's message. */
  readonly parseAction: (sent: string) => string;
  readonly original: Presentation;
  readonly created: (id: number, episode: Episode | null) => Json;
  readonly began: (id: number, episode: Episode) => Json;
  readonly stepped: (episode: Episode) => Json;
  /** Additional GET requests, each about an open environment. */
  readonly asks?: Readonly<Record<string, (served: Served) => Json>>;
}

/** A turn by the environment's own rules. */
export function plainTurn(
  { environment, at }: Pick<Episode, 'environment' | 'at'>,
  action: string,
): Turn & { readonly understood: boolean } {
  const { understood, reward, ...after } = act(environment, at, action);
  const { observation, terminated: done } = after;
  return { at: after, result: { observation, reward, done }, understood };
}

/** This project's own texts and rules. */
export const own: Presentation = {
  begins: (_environment, { observation }) => observation,
  acts: plainTurn,
};

/** The environment's own rules with other texts. */
export function withTexts(
  begins: (observation: string) => string,
  goesOn: (observation: string) => string,
): Presentation {
  return {
    begins: (_environment, { observation }) => begins(observation),
    acts: (episode, action) => {
      const { at, result } = plainTurn(episode, action);
      return { at, result: { ...result, observation: goesOn(result.observation) } };
    },
  };
}

/**
 * The same state with its turn count reset, so that the environment never reaches its own limit; the original
 * has no limit or a different one. A state is plain data that counts its turns in `turn`.
 */
export function atFirstTurn(at: Standing, forgotten: object = {}): Standing {
  return { ...at, state: { ...(at.state as object), ...forgotten, turn: 0 } };
}

const MARK = 'Action:';

/** The text after the last `Action:` of a message, or all of it. */
export function afterMark(sent: string): string {
  const at = sent.lastIndexOf(MARK);
  return (at === -1 ? sent : sent.slice(at + MARK.length)).trim();
}

/** Replies in which the environment's id is a field; a step replies without the id. */
export const fieldReplies = {
  idKey: 'id',
  created: (id: number): Json => ({ id }),
  began: (id: number, { result }: Episode): Json => ({ id, ...result }),
  stepped: ({ result }: Episode): Json => ({ ...result }),
} as const;

/** Bare replies: a number for a new environment, a text for a reset. */
export const bareReplies = {
  idKey: 'env_idx',
  created: (id: number): Json => id,
  began: (_id: number, { result }: Episode): Json => result.observation,
  stepped: ({ result }: Episode): Json => ({ ...result }),
} as const;

/** Replies of the web shop and BIRD: a pair for a reset, and `state` for the text of a step. */
export const pairReplies = {
  idKey: 'env_idx',
  created: (id: number): Json => id,
  began: (_id: number, { result }: Episode): Json => [result.observation, null],
  stepped: ({ result: { observation, reward, done } }: Episode): Json => ({
    state: observation,
    ...{ reward, done, info: null },
  }),
} as const;
