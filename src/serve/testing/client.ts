/**
 * Replicas of AgentGym's clients: what each sends, in which order, and what it reads from a reply. They
 * implement the protocol without sharing code with the service, so they test the protocol.
 */

/** Sends a request; resolves with status and parsed body. */
export type Send = (
  method: 'GET' | 'POST',
  target: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export interface StepOutput {
  readonly state: string;
  readonly reward: number;
  readonly done: boolean;
}

type Reply = Readonly<Record<string, unknown>>;

interface Spec {
  /** What `create` sends, if anything. */
  readonly created?: unknown;
  readonly idKey: 'id' | 'env_idx';
  /** Whether `create` replies with the id alone. */
  readonly bareId?: boolean;
  readonly taskKey: string;
  /** Sent with each reset. */
  readonly alsoReset?: Reply;
  /** The first observation in the reply to a reset. */
  readonly first: (reply: unknown) => string;
  /** The action in a message; null if the client replies to the agent itself, without a request. */
  readonly extract: (message: string) => string | null;
  readonly step: (reply: unknown) => StepOutput;
  readonly closes: boolean;
  /** The request sent right after `create`. */
  readonly asks?: string;
}

/** Python's `reply["key"]`: on an error reply, the original clients fail with its KeyError. */
function key(reply: unknown, name: string): unknown {
  const value = reply as Reply;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
    throw new Error(`KeyError: '${name}' in ${JSON.stringify(reply)}`);
  }
  return value[name];
}

function asText(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`not a text: ${JSON.stringify(value)}`);
  return value;
}

function asNumber(value: unknown): number {
  if (typeof value !== 'number') throw new Error(`not a number: ${JSON.stringify(value)}`);
  return value;
}

/** `done` must be a JSON boolean. */
function asBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Error(`not a boolean: ${JSON.stringify(value)}`);
  return value;
}

const observation = (reply: unknown) => asText(key(reply, 'observation'));
const stepBy =
  (rewardKey: string, textKey = 'observation', doneKey = 'done') =>
  (reply: unknown): StepOutput => ({
    state: asText(key(reply, textKey)),
    reward: asNumber(key(reply, rewardKey)),
    done: asBoolean(key(reply, doneKey)),
  });
/** The text of a reply `[text, null]`. */
const pair = (reply: unknown) => {
  if (!Array.isArray(reply) || reply.length !== 2 || reply[1] !== null) {
    throw new Error(`not a pair: ${JSON.stringify(reply)}`);
  }
  return asText(reply[0]);
};

/** The text after the first `Action:`, up to the next one. */
const afterFirst = (message: string) =>
  (message.replace(/<\/s>$/, '').split('Action:')[1] ?? message).trim();
/** The first line after the only `Action:`, reduced to letters, digits, commas and spaces. */
const cleaned = (message: string) => {
  const found = [...message.matchAll(/Action:\s*(.*?)(?=\n|$)/g)];
  return found.length > 1 ? null : (found[0]?.[1] ?? '').replace(/[^A-Za-z0-9, ]+/g, '');
};
const afterLast = (message: string) => message.slice(message.lastIndexOf('Action:') + 7).trim();
const raw = (message: string) => message;

const tool: Spec = {
  created: { id: 0 },
  idKey: 'env_idx',
  bareId: true,
  taskKey: 'id',
  first: asText,
  extract: raw,
  step: stepBy('reward'),
  closes: true,
};

const specs = {
  maze: {
    idKey: 'id',
    taskKey: 'game',
    first: observation,
    extract: afterFirst,
    step: stepBy('reward'),
    closes: false,
  },
  wordle: {
    idKey: 'id',
    taskKey: 'seed',
    asks: 'filtered_vocab',
    first: observation,
    extract: afterFirst,
    step: stepBy('reward'),
    closes: false,
  },
  babyai: {
    idKey: 'id',
    taskKey: 'data_idx',
    first(reply) {
      for (const name of ['reward', 'score', 'deleted', 'done']) key(reply, name);
      return observation(reply);
    },
    extract: cleaned,
    step: stepBy('score'),
    closes: true,
  },
  textcraft: {
    created: { minecraft_dir: 'agentenv_textcraft/', commands: null, goal: null },
    idKey: 'id',
    taskKey: 'data_idx',
    first: observation,
    extract: cleaned,
    step: stepBy('reward'),
    closes: true,
  },
  searchqa: {
    ...tool,
    step(reply) {
      if (key(reply, 'info') !== null) throw new Error('info is not null');
      return stepBy('reward')(reply);
    },
  },
  alfworld: {
    idKey: 'id',
    taskKey: 'game',
    alsoReset: { world_type: 'Text' },
    first: (reply) =>
      `${observation(reply)}\nAVAILABLE ACTIONS: ${(key(reply, 'available_actions') as string[]).join(',')}`,
    extract: afterLast,
    step: stepBy('reward'),
    closes: true,
  },
  sciworld: {
    idKey: 'id',
    taskKey: 'data_idx',
    first: (reply) => `${asText(key(reply, 'task_description'))}\n${observation(reply)}`,
    extract: afterLast,
    step: stepBy('score'),
    closes: true,
  },
  webshop: {
    idKey: 'env_idx',
    bareId: true,
    taskKey: 'session_id',
    first: pair,
    extract: afterLast,
    step: stepBy('reward', 'state'),
    closes: true,
  },
  webarena: {
    idKey: 'env_idx',
    taskKey: 'idx',
    alsoReset: { seed: 0 },
    first: observation,
    extract: raw,
    step: stepBy('reward', 'observation', 'terminated'),
    closes: true,
  },
  weather: tool,
  movie: tool,
  academia: tool,
  sheet: tool,
  todo: tool,
  bird: {
    idKey: 'env_idx',
    bareId: true,
    taskKey: 'item_id',
    first: pair,
    extract: raw,
    step: stepBy('reward', 'state'),
    closes: true,
  },
} as const satisfies Readonly<Record<string, Spec>>;

export type ClientName = keyof typeof specs;
export const clientNames = Object.keys(specs) as readonly ClientName[];

/** Messages of an agent that thinks and then acts, in the format of each environment's prompt. */
export function messageOf(name: ClientName, action: string): string {
  if (name === 'searchqa') return `<think>I look it up. Action</think>\n${action}`;
  if (name === 'webarena') return `Let me think. The next action is \`\`\`${action}\`\`\``;
  if (name === 'bird') return `Thought: one table.\n\nAction: \`\`\`sql\n${action};\n\`\`\``;
  const text = name === 'babyai' ? action.replace(/^pick up /, 'pickup ') : action;
  return `Thought: I go on.\n\nAction: ${text}`;
}

/** A client with its environment. `base` is the server's address with the environment's path. */
export class Client {
  readonly name: ClientName;
  id = -1;
  observed = '';
  readonly #send: Send;
  readonly #base: string;
  readonly #spec: Spec;

  constructor(name: ClientName, send: Send, base = `/${name}`) {
    this.name = name;
    this.#send = send;
    this.#base = base;
    this.#spec = specs[name];
  }

  async create(): Promise<void> {
    const { bareId, created, idKey, asks } = this.#spec;
    const reply = await this.#post('create', created);
    this.id = asNumber(bareId === true ? reply : key(reply, idKey));
    if (this.name === 'textcraft') observation(reply);
    if (asks !== undefined) await this.#get(asks);
  }

  async reset(index: number): Promise<void> {
    const { taskKey, idKey, alsoReset, first } = this.#spec;
    const reply = await this.#post('reset', { [taskKey]: index, [idKey]: this.id, ...alsoReset });
    this.observed = first(reply);
  }

  async step(message: string): Promise<StepOutput> {
    const action = this.#spec.extract(message);
    if (action === null) return { state: 'Error: one action only', reward: 0, done: false };
    const reply = await this.#post('step', { action, [this.#spec.idKey]: this.id });
    const output = this.#spec.step(reply);
    this.observed = output.state;
    return output;
  }

  /** Most clients answer this from their last reply; SearchQA's sends a request. */
  async observe(): Promise<string> {
    return this.name === 'searchqa' ? asText(await this.#get('observation')) : this.observed;
  }

  async close(): Promise<void> {
    if (!this.#spec.closes) return;
    const reply = await this.#post('close', { [this.#spec.idKey]: this.id });
    if (reply !== true) throw new Error(`not closed: ${JSON.stringify(reply)}`);
  }

  async #get(verb: string): Promise<unknown> {
    const target = `${this.#base}/${verb}?${this.#spec.idKey}=${this.id}`;
    return good(await this.#send('GET', target));
  }

  async #post(verb: string, body?: unknown): Promise<unknown> {
    return good(await this.#send('POST', `${this.#base}/${verb}`, body));
  }
}

/** Python's `assert response.status_code == 200`. */
function good({ status, body }: Awaited<ReturnType<Send>>): unknown {
  if (status !== 200) throw new Error(`AssertionError: ${status} ${JSON.stringify(body)}`);
  return body;
}
