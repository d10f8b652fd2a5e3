/** An OpenEnv server as an environment: asynchronous, without access to earlier states. */

import { aspect } from '../holdout.ts';
import { EnvironmentOptionError, resolveOptions } from '../options.ts';
import type {
  Environment,
  EnvironmentOptions,
  Observed,
  RemotePlay,
  RemoteReport,
  Transition,
} from '../types.ts';
import { openEnvCard } from './card.ts';
import { Channel, type Fields, isFields } from './channel.ts';
import { onDisconnect, RemoteFault, RemoteRefusal, sockets } from './sockets.ts';

const { id } = openEnvCard;

/** An episode on the server. */
interface RemoteState {
  /** The connection that plays the episode. */
  readonly session: number;
  readonly score: number;
  readonly success: boolean;
}

interface Description {
  readonly instruction: string;
  readonly turnLimit: number;
  readonly lexicon: readonly string[];
  readonly train: readonly string[];
  readonly eval: readonly string[];
  readonly actions: readonly string[];
  /** The field of an action that contains its text. */
  readonly field: string;
}

const FIRST_EVAL_SEED = 100_000;
/** Delay before the first retry, and the maximum delay, in milliseconds. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 3000;

/** Waits; closing the connections ends the wait early. */
const pause = (ms: number) =>
  new Promise<void>((done) => {
    const over = () => {
      clearTimeout(timer);
      forget();
      done();
    };
    const timer = setTimeout(over, ms);
    const forget = onDisconnect(over);
  });

/**
 * Connects to a server and reads the description of its environment.
 *
 * @throws {EnvironmentOptionError} if the address or the vocabulary is missing
 * @throws {RemoteFault} if the server cannot be reached
 */
export async function connectOpenEnv(given: EnvironmentOptions): Promise<Environment<RemoteState>> {
  const options = resolveOptions(id, openEnvCard.options, given);
  if (options.url === '') {
    const problem = 'must be set to the address of a server';
    throw new EnvironmentOptionError(`${id}: url ${problem}.`, 'url', problem);
  }
  const url = withPath(options.url);
  const channels = new Channels(url, options.sessions, options.patience * 1000);
  const description = await channels.use((channel) => describe(channel, options));
  const remote = new Remote(channels, options.sessions, description);
  const trained = new Set(description.train);
  const sameTasks = description.eval.some((task) => trained.has(task));
  const noWay = (what: string) => (): never => {
    throw new Error(`a remote environment ${what}`);
  };
  return {
    id,
    trainTasks: description.train,
    evalTasks: description.eval,
    holdout: {
      sentence:
        'Evaluation plays the tasks that the server reserves for it or, without such a list, other seeds.',
      sameTasks,
      aspects: [aspect('tasks', !sameTasks, (task) => task)],
    },
    turnLimit: description.turnLimit,
    instruction: description.instruction,
    lexicon: description.lexicon,
    thoughtLexicon: [],
    reset: noWay('is started over its connection'),
    step: noWay('is played over its connection'),
    success: ({ success }) => success,
    admissibleActions: () => [],
    expert: noWay('has no expert; choose a recipe without imitation'),
    remote,
  };
}

function withPath(address: string): string {
  const url = new URL(address);
  if (!/\/ws\/?$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, '')}/ws`;
  return url.href;
}

/** A pool of connections, each of which plays one episode at a time. */
class Channels {
  readonly #url: string;
  readonly #most: number;
  readonly #patienceMs: number;
  #isOver = false;
  readonly #free: Channel[] = [];
  #open = 0;
  readonly #queue: (() => void)[] = [];

  constructor(url: string, most: number, patienceMs: number) {
    this.#url = url;
    this.#most = most;
    this.#patienceMs = patienceMs;
    onDisconnect(() => {
      this.#isOver = true;
    });
  }

  /** Waits for a free connection, or opens one with retries. */
  async take(): Promise<Channel> {
    while (this.#free.length === 0 && this.#open >= this.#most) {
      await new Promise<void>((free) => this.#queue.push(free));
    }
    for (let channel = this.#free.pop(); channel !== undefined; channel = this.#free.pop()) {
      if (!channel.isLost) return channel;
      this.#open--;
    }
    this.#open++;
    try {
      return await this.retry(() => Channel.open(this.#url));
    } catch (error) {
      this.#open--;
      throw error;
    }
  }

  give(channel: Channel): void {
    if (channel.isLost) this.#open--;
    else this.#free.push(channel);
    this.#queue.shift()?.();
  }

  /** Sends one request over any connection. */
  async use<Value>(ask: (channel: Channel) => Promise<Value>): Promise<Value> {
    return this.retry(async () => {
      const channel = await this.take();
      try {
        return await ask(channel);
      } finally {
        this.give(channel);
      }
    });
  }

  /** Retries after a fault with exponential backoff. */
  async retry<Value>(attempt: () => Promise<Value>): Promise<Value> {
    const until = Date.now() + this.#patienceMs;
    let waited = false;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (this.#isOver) throw new RemoteRefusal('the connection was given up');
      try {
        const value = await attempt();
        if (waited) sockets.onWaiting(null);
        return value;
      } catch (error) {
        const isLast = this.#isOver || Date.now() + wait > until;
        if (!(error instanceof RemoteFault) || isLast) throw error;
        sockets.onWaiting(error.message);
        waited = true;
        await pause(wait);
      }
    }
  }
}

class Remote implements RemotePlay<RemoteState> {
  readonly #channels: Channels;
  readonly #playing = new Map<number, Channel>();
  readonly sessions: number;
  readonly actions: readonly string[];
  readonly #field: string;
  /** Episodes started so far. */
  #begun = 0;
  #faults = 0;
  #answers = 0;
  #waitedMs = 0;

  constructor(
    channels: Channels,
    sessions: number,
    { actions, field }: Pick<Description, 'actions' | 'field'>,
  ) {
    this.#channels = channels;
    this.sessions = sessions;
    this.actions = actions;
    this.#field = field;
  }

  async begin(task: string): Promise<Observed<RemoteState>> {
    return this.#channels.retry(async () => {
      const channel = await this.#channels.take();
      try {
        const data = await this.#ask(channel, { type: 'reset', data: keywordsOf(task) });
        this.#begun++;
        this.#playing.set(this.#begun, channel);
        const state = { session: this.#begun, score: 0, success: false };
        return { state, observation: textOf(data.observation) };
      } catch (error) {
        this.#fail(channel, error);
        throw error;
      }
    });
  }

  async act(state: RemoteState, action: string): Promise<Transition<RemoteState>> {
    const channel = this.#playing.get(state.session);
    if (channel === undefined) throw new RemoteFault('the episode is over');
    try {
      const data = await this.#ask(channel, { type: 'step', data: { [this.#field]: action } });
      const { observation, done } = data;
      const reward = rewardOf(data.reward);
      const fields = isFields(observation) ? observation : {};
      const score = state.score + reward;
      const terminated = done === true && fields.truncated !== true;
      const success =
        typeof fields.success === 'boolean' ? fields.success : terminated && score > 0;
      const after = { session: state.session, score, success };
      if (done === true) this.release(after);
      return {
        state: after,
        observation: textOf(observation),
        ...{ reward, terminated: done === true },
        understood: fields.understood !== false,
      };
    } catch (error) {
      this.#playing.delete(state.session);
      this.#fail(channel, error);
      throw error;
    }
  }

  release({ session }: RemoteState): void {
    const channel = this.#playing.get(session);
    if (channel === undefined) return;
    this.#playing.delete(session);
    this.#channels.give(channel);
  }

  isFault(error: unknown): boolean {
    return error instanceof RemoteFault;
  }

  takeReport(): RemoteReport {
    const report = {
      faults: this.#faults,
      answerMs: this.#answers === 0 ? null : this.#waitedMs / this.#answers,
    };
    this.#faults = this.#answers = this.#waitedMs = 0;
    return report;
  }

  async #ask(channel: Channel, message: Fields): Promise<Fields> {
    const sent = performance.now();
    const data = await channel.ask(message, 'observation');
    this.#waitedMs += performance.now() - sent;
    this.#answers++;
    return data;
  }

  #fail(channel: Channel, error: unknown): void {
    if (error instanceof RemoteFault) this.#faults++;
    if (error instanceof RemoteRefusal) channel.close();
    this.#channels.give(channel);
  }
}

/** @throws {RemoteFault} for a reward that is not a number, a boolean or null, instead of counting it as 0 */
function rewardOf(reward: unknown): number {
  if (typeof reward === 'boolean') return Number(reward);
  if (reward === null || reward === undefined) return 0;
  if (typeof reward === 'number' && Number.isFinite(reward)) return reward;
  throw new RemoteFault(`the server sent the reward ${JSON.stringify(reward)}`);
}

const seedTask = /^seed_(\d{1,9})$/;

function keywordsOf(task: string): Fields {
  const seed = seedTask.exec(task)?.[1];
  return seed === undefined ? { task_id: task } : { seed: Number(seed) };
}

/** The text for the agent: the first known text field, or all fields as JSON if there is none. */
function textOf(observation: unknown): string {
  if (typeof observation === 'string') return observation;
  const fields = isFields(observation) ? observation : {};
  for (const name of ['observation', 'text', 'message', 'prompt']) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return JSON.stringify(observation ?? {});
}

/** Default field of an action. */
const MESSAGE = 'message';

/** The field that the server reports as missing in an empty action, if it is the only one. */
async function actionField(channel: Channel): Promise<string> {
  try {
    await channel.ask({ type: 'step', data: {} }, 'observation');
  } catch (error) {
    const errors =
      error instanceof RemoteRefusal && Array.isArray(error.errors) ? error.errors : [];
    const [missing, ...others] = errors.flatMap((one: unknown): readonly unknown[] =>
      isFields(one) && Array.isArray(one.loc) ? [one.loc[0]] : [],
    );
    if (typeof missing === 'string' && others.length === 0) return missing;
  }
  return MESSAGE;
}

const { min: FEWEST_TURNS, max: MOST_TURNS } = openEnvCard.options.turns;

const isTurnLimit = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= FEWEST_TURNS && Number(value) <= MOST_TURNS;

interface Assumed {
  readonly words: string;
  readonly tasks: number;
  readonly turns: number;
}

async function describe(channel: Channel, assumed: Assumed): Promise<Description> {
  const rpc = { jsonrpc: '2.0', id: 1, method: 'palestra/describe' };
  let fields: Fields = {};
  try {
    const { result } = await channel.ask({ type: 'mcp', data: rpc }, 'mcp');
    if (isFields(result)) fields = result;
  } catch (error) {
    if (!(error instanceof RemoteRefusal)) throw error;
  }
  const texts = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
  const own = assumed.words
    .split('\n')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const lexicon = own.length > 0 ? own : texts(fields.lexicon);
  if (lexicon.length === 0) {
    const problem = 'must be set, as the server does not send a vocabulary';
    throw new EnvironmentOptionError(`${id}: words ${problem}.`, 'words', problem);
  }
  const seeds = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => `seed_${first + i}`);
  const [train, evaluation] = [texts(fields.train), texts(fields.eval)];
  return {
    instruction:
      typeof fields.instruction === 'string' ? fields.instruction : 'Act in the environment.',
    turnLimit: isTurnLimit(fields.turn_limit) ? fields.turn_limit : assumed.turns,
    lexicon: [...new Set(lexicon)],
    train: train.length > 0 ? train : seeds(0, assumed.tasks),
    eval: evaluation.length > 0 ? evaluation : seeds(FIRST_EVAL_SEED, assumed.tasks / 4),
    actions: texts(fields.actions),
    field: fields.lexicon === undefined ? await actionField(channel) : MESSAGE,
  };
}
