/**
 * Checks an environment on a server before training: whether it answers, whether it is
 * deterministic, and the measurements that a run's settings depend on.
 */

import { EnvironmentOptionError } from '../envs/options.ts';
import { openEnvCard, openEnvOptions } from '../envs/remote/card.ts';
import { connectOpenEnv } from '../envs/remote/index.ts';
import { RemoteFault, RemoteRefusal } from '../envs/remote/sockets.ts';
import type { Environment, EnvironmentOptions, RemotePlay } from '../envs/types.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';

export interface ServerFacts {
  /** The server's instruction for the agent. */
  readonly instruction: string;
  readonly tasks: number;
  readonly turns: number;
  /**
   * Number of words and phrases in the vocabulary; 0 if neither the server nor the user gives one.
   */
  readonly words: number;
  /** The first observation of the first task. */
  readonly observation: string;
  /** Actions at the start of its tasks; empty if the server does not list them. */
  readonly actions: readonly string[];
  /** Whether repeating a task and an action gave the same responses. */
  readonly repeats: boolean;
  /** Mean response time in milliseconds. */
  readonly answerMs: number;
  /** Number of episodes that the server plays concurrently, up to the default of `sessions`. */
  readonly sessions: number;
  /** Some words of the first observations that are not in the vocabulary. */
  readonly unknown: readonly string[];
  /** Tokens to allow for an observation and an action. */
  readonly observationTokens: number;
  readonly actionTokens: number;
}

export type ServerCheck =
  | { readonly kind: 'facts'; readonly facts: ServerFacts }
  /** The address does not serve an environment, or the server does not respond. */
  | { readonly kind: 'failed'; readonly problem: string };

/** Retry time in seconds, shorter than in training. */
const PATIENCE = 2;
/** Numbers of tasks and turns played to measure text lengths. */
const MEASURED_TASKS = 6;
const MEASURED_TURNS = 4;
/** Observations of other tasks may be longer than the measured ones. */
const SLACK = 1.5;
/** Tokens of an action if the server lists none. */
const ASSUMED_ACTION = 8;
const MOST_UNKNOWN = 5;
/** Placeholder for an unknown vocabulary, so that the other results can be shown. */
const NO_WORDS = 'unknown';

/** @param words the user's vocabulary, one word or phrase per line; empty to use the server's */
export async function checkServer(url: string, words: string): Promise<ServerCheck> {
  const options = { url, words, patience: PATIENCE };
  try {
    return { kind: 'facts', facts: await factsOf(await connectOpenEnv(options), true) };
  } catch (error) {
    if (!(error instanceof EnvironmentOptionError) || error.option !== 'words' || words !== '') {
      return failed(error);
    }
  }
  try {
    const environment = await connectOpenEnv({ ...options, words: NO_WORDS });
    return { kind: 'facts', facts: await factsOf(environment, false) };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): ServerCheck {
  if (error instanceof EnvironmentOptionError) {
    return {
      kind: 'failed',
      problem: `The ${error.option === 'url' ? 'address' : error.option} ${error.problem}.`,
    };
  }
  if (error instanceof RemoteFault || error instanceof RemoteRefusal) {
    return { kind: 'failed', problem: `The check failed: ${error.message}.` };
  }
  throw error;
}

async function factsOf(environment: Environment, hasWords: boolean): Promise<ServerFacts> {
  const { remote, trainTasks, instruction, turnLimit, lexicon } = environment;
  if (remote === undefined) throw new Error('the environment is not on a server');
  const first = trainTasks[0] ?? '';
  const { actions } = remote;
  const script = actions.slice(0, 1);
  const [once, again] = [
    await transcript(remote, first, script),
    await transcript(remote, first, script),
  ];
  const answerMs = remote.takeReport().answerMs ?? 0;
  const texts = [...once];
  for (const task of trainTasks.slice(1, MEASURED_TASKS)) {
    const played = Array.from({ length: MEASURED_TURNS }, (_, i) => actions[i % actions.length]);
    texts.push(
      ...(await transcript(
        remote,
        task,
        played.filter((action) => action !== undefined),
      )),
    );
  }
  const tokenizer = new WordTokenizer(lexicon);
  const lengths = (of: readonly string[]) => of.map((text) => tokenizer.encode(text).length);
  const unknown = new Set(
    texts
      .flatMap((text) => text.split(' '))
      .filter(
        (word) =>
          tokenizer.encode(word).includes(tokenizer.unk) &&
          !lexicon.some((lexeme) => lexeme.includes(word)),
      ),
  );
  return {
    ...{ instruction, tasks: trainTasks.length, turns: turnLimit, actions, answerMs },
    words: hasWords ? lexicon.length : 0,
    observation: once[0] ?? '',
    repeats: JSON.stringify(once) === JSON.stringify(again),
    sessions: await sessionsOf(remote, first),
    unknown: hasWords ? [...unknown].slice(0, MOST_UNKNOWN) : [],
    observationTokens: Math.ceil(SLACK * Math.max(...lengths(texts))),
    actionTokens: actions.length === 0 ? ASSUMED_ACTION : Math.max(...lengths(actions)),
  };
}

/** Plays these actions in an episode and returns its observations. */
async function transcript(
  remote: RemotePlay,
  task: string,
  actions: readonly string[],
): Promise<readonly string[]> {
  const begun = await remote.begin(task);
  const texts = [begun.observation];
  let { state } = begun;
  for (const action of actions) {
    const after = await remote.act(state, action);
    texts.push(after.observation);
    ({ state } = after);
    if (after.terminated) return texts;
  }
  remote.release(state);
  return texts;
}

/** Number of episodes that the server runs concurrently. */
async function sessionsOf(remote: RemotePlay, task: string): Promise<number> {
  const begun = await Promise.allSettled(
    Array.from({ length: remote.sessions }, () => remote.begin(task)),
  );
  const playing = begun.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  for (const { state } of playing) remote.release(state);
  return Math.max(1, playing.length);
}

/** Retry time in seconds for runs in the page, which the user can stop at any time. */
const RUN_PATIENCE = openEnvOptions.patience.max;

/** The environment that a run trains on after its check. */
export function checkedEnvironment(
  url: string,
  words: string,
  { sessions }: ServerFacts,
): { readonly id: string; readonly options: EnvironmentOptions } {
  const own = words.trim() === '' ? {} : { words };
  return { id: openEnvCard.id, options: { url, sessions, patience: RUN_PATIENCE, ...own } };
}
