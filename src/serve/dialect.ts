/** How one of AgentGym's servers speaks: what its requests and replies look like, and what its texts do. */

import { act, type Standing } from '../envs/episode.ts';
import type { Environment, EnvironmentOptions } from '../envs/types.ts';
import type { Json } from './protocol.ts';
import type { NumberedTasks, Numbering } from './tasks.ts';

/** What a client is told of a turn. */
export interface Told {
  readonly observation: string;
  readonly reward: number;
  readonly done: boolean;
}

/** An episode of an open environment. */
export interface Episode {
  readonly environment: Environment;
  /** The task's number as the client gave it. */
  readonly task: number;
  readonly at: Standing;
  readonly told: Told;
  /** Turns so far. */
  readonly turns: number;
  /** Sum of the rewards so far. */
  readonly score: number;
}

/** What comes of a turn. */
export type Turn = Pick<Episode, 'at' | 'told'>;

/** How an episode is told: in this project's own texts and by its own rules, or in those of the original. */
export interface Manner {
  begins(environment: Environment, at: Standing): string;
  acts(episode: Episode, action: string): Turn;
}

/** What a path serves. */
export interface Served {
  readonly dialect: Dialect;
  /** Ids of its environments: one, or several that deal their tasks in turn. */
  readonly ids: readonly string[];
  readonly options: EnvironmentOptions;
  readonly manner: Manner;
  /** Tasks by number. They and their environments are made when they are first asked for. */
  readonly tasks: () => NumberedTasks;
}

export interface Dialect extends Numbering {
  /** The part of the address that is this environment's. */
  readonly path: string;
  /** Environments that it can play, by their ids. */
  readonly choices: readonly string[];
  /** What it plays where nothing else is wished; several deal their tasks in turn. */
  readonly environments: readonly string[];
  /** Options that come closest to the original. */
  readonly options: EnvironmentOptions;
  /** Names an open environment in requests. */
  readonly idKey: 'id' | 'env_idx';
  /** Names the task in the body of a reset. */
  readonly taskKey: string;
  /** Whether an environment begins with its first task as soon as it is created. */
  readonly beginsAtOnce?: boolean;
  /** Whether a step after the end is answered as the last one was; else it is an error. */
  readonly goesOn?: boolean;
  /** The action in what a client sends. */
  readonly hears: (sent: string) => string;
  readonly original: Manner;
  readonly created: (id: number, episode: Episode | null) => Json;
  readonly began: (id: number, episode: Episode) => Json;
  readonly stepped: (episode: Episode) => Json;
  /** Further requests with GET, each about an open environment. */
  readonly asks?: Readonly<Record<string, (served: Served) => Json>>;
}

/** A turn by the environment's own rules. */
export function plainTurn(
  { environment, at }: Pick<Episode, 'environment' | 'at'>,
  action: string,
): Turn & { readonly understood: boolean } {
  const { understood, reward, ...after } = act(environment, at, action);
  const { observation, terminated: done } = after;
  return { at: after, told: { observation, reward, done }, understood };
}

/** This project's own texts and rules. */
export const own: Manner = {
  begins: (_environment, { observation }) => observation,
  acts: plainTurn,
};

/** The environment's own rules, told in other words. */
export function retold(
  begins: (observation: string) => string,
  goesOn: (observation: string) => string,
): Manner {
  return {
    begins: (_environment, { observation }) => begins(observation),
    acts: (episode, action) => {
      const { at, told } = plainTurn(episode, action);
      return { at, told: { ...told, observation: goesOn(told.observation) } };
    },
  };
}

/**
 * The same place as the first turn. A state is plain data that counts its turns in `turn`, so an environment never comes
 * to its own limit this way; its original has none, or another one.
 */
export function atFirstTurn(at: Standing, forgotten: object = {}): Standing {
  return { ...at, state: { ...(at.state as object), ...forgotten, turn: 0 } };
}

const MARK = 'Action:';

/** What follows the last `Action:` of a message, or all of it. */
export function afterMark(sent: string): string {
  const at = sent.lastIndexOf(MARK);
  return (at === -1 ? sent : sent.slice(at + MARK.length)).trim();
}

/** Replies in which an environment's id is a field, and those of a step. */
export const fieldReplies = {
  idKey: 'id',
  created: (id: number): Json => ({ id }),
  began: (id: number, { told }: Episode): Json => ({ id, ...told }),
  stepped: ({ told }: Episode): Json => ({ ...told }),
} as const;

/** Bare replies: a number for a new environment, a text for a reset. */
export const bareReplies = {
  idKey: 'env_idx',
  created: (id: number): Json => id,
  began: (_id: number, { told }: Episode): Json => told.observation,
  stepped: ({ told }: Episode): Json => ({ ...told }),
} as const;

/** As the web shop and BIRD reply: a pair for a reset, and `state` for the text of a step. */
export const pairReplies = {
  idKey: 'env_idx',
  created: (id: number): Json => id,
  began: (_id: number, { told }: Episode): Json => [told.observation, null],
  stepped: ({ told: { observation, reward, done } }: Episode): Json => ({
    state: observation,
    ...{ reward, done, info: null },
  }),
} as const;
