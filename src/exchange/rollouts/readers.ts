/**
 * One reader for each tool's episode format. A format is recognized by the keys of a row.
 *
 * Sources: verl `ray_trainer.py` (`_dump_generations`), slime `utils/types.py` (`Sample.to_dict`), TRL
 * `grpo_trainer.py` (`completions/*.parquet`), verifiers `v1/trace.py` and `v1/graph.py`, AgentGym-RL's
 * rollout log, AgentGym's AgentTraj.
 */

import { numberIn, recordOf } from '../logs/loose-json.ts';
import type { RolloutEpisode, RolloutMessage } from './episode.ts';

type Fields = Readonly<Record<string, unknown>>;

const rolloutTools = [
  'verifiers',
  'slime',
  'agentgym_rl',
  'agenttraj',
  'trl',
  'verl',
  'messages',
  'plain',
] as const;
export type RolloutTool = (typeof rolloutTools)[number];

export const rolloutTitles: Readonly<Record<RolloutTool, string>> = {
  verifiers: 'verifiers',
  slime: 'slime',
  agentgym_rl: 'AgentGym-RL',
  agenttraj: 'AgentTraj',
  trl: 'TRL',
  verl: 'verl',
  messages: 'chat messages',
  plain: 'JSON lines',
};

/** Kinds of content that the columns of a plain file can have. */
export const rolloutColumns = [
  'prompt',
  'response',
  'reward',
  'success',
  'step',
  'task',
  'advantage',
] as const;
type RolloutColumn = (typeof rolloutColumns)[number];
export type RolloutMapping = Readonly<Partial<Record<RolloutColumn, string>>>;

interface RolloutReader {
  readonly tool: RolloutTool;
  readonly is: (fields: Fields) => boolean;
  readonly read: (fields: Fields) => RolloutEpisode;
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const recordsIn = (value: unknown): readonly Fields[] =>
  listIn(value).flatMap((one) => {
    const fields = recordOf(one);
    return fields === null ? [] : [fields];
  });
const finite = (value: unknown): number | null => {
  const isWhole = typeof value === 'boolean' || typeof value === 'bigint';
  const number = isWhole ? Number(value) : numberIn(value);
  return number === undefined || !Number.isFinite(number) ? null : number;
};
const truth = (value: unknown): boolean | null => {
  if (typeof value === 'boolean') return value;
  const number = finite(value);
  return number === 0 || number === 1 ? number === 1 : null;
};
const idOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? String(value)
    : null;
/** 64-bit integers of Parquet files are bigints, which JSON lacks. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? Number(one) : one));

function meanIn(value: unknown): number | undefined {
  const numbers = listIn(value).flatMap((one) => finite(one) ?? []);
  if (numbers.length === 0) return undefined;
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** Content of a chat message: a text, or a list of parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listIn(content)
    .flatMap((part) => {
      const fields = recordOf(part);
      if (fields === null) return [];
      const text = textIn(fields.text);
      return text ?? (typeof fields.type === 'string' ? `[${fields.type}]` : []);
    })
    .join('');
}

/** Text of a chat message, including reasoning and tool calls. */
function messageText(message: Fields): string {
  const reasoning = textIn(message.reasoning_content);
  const calls = listIn(message.tool_calls).flatMap((call) => {
    const fields = recordOf(call);
    const of = recordOf(fields?.function) ?? fields;
    if (of === null || of === undefined) return [];
    const given = of.arguments;
    return [
      `<tool_call>${textIn(of.name) ?? ''} ${typeof given === 'string' ? given : jsonOf(given ?? {})}</tool_call>`,
    ];
  });
  const parts = [
    ...(reasoning === null || reasoning === '' ? [] : [`<think>${reasoning}</think>`]),
    contentText(message.content),
    ...calls,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

const roles = {
  system: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  gpt: 'assistant',
  tool: 'tool',
  environment: 'user',
  observation: 'user',
} as const;
const roleOf = (value: unknown): RolloutMessage['role'] =>
  typeof value === 'string' && Object.hasOwn(roles, value)
    ? roles[value as keyof typeof roles]
    : 'user';

/** Messages of a chat; an assistant's were sampled. */
const chat = (list: unknown, sampled = true): readonly RolloutMessage[] =>
  listIn(list).flatMap((one): RolloutMessage[] => {
    const fields = recordOf(one);
    if (fields === null) return [];
    const role = roleOf(fields.role ?? fields.from);
    const text = textIn(fields.value) ?? messageText(fields);
    return [{ role, text, sampled: sampled && role === 'assistant' }];
  });

/** A prompt or a response, as a text or as a chat. */
function side(value: unknown, role: 'user' | 'assistant'): readonly RolloutMessage[] {
  if (Array.isArray(value)) return chat(value, role === 'assistant');
  const text = textIn(value);
  return text === null ? [] : [{ role, text, sampled: role === 'assistant' }];
}

const NUMBERS_MOST = 40;

function numbersOf(fields: Fields, without: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  let count = 0;
  for (const [key, value] of Object.entries(fields)) {
    const number = without.includes(key) ? null : finite(value);
    if (number === null || count++ >= NUMBERS_MOST) continue;
    found[key.slice(0, 100)] = number;
  }
  return found;
}

/** A success predicate beside the reward, under common grader names. */
const successIn = (fields: Fields): boolean | null =>
  truth(fields.success) ??
  truth(fields.solved) ??
  truth(fields.is_correct) ??
  truth(fields.correct) ??
  truth(fields.acc) ??
  truth(fields.won);

const blank: RolloutEpisode = {
  ...{ step: null, task: null, messages: [], reward: null, success: null, advantage: null },
  ...{ truncated: null, tokens: null, error: null, numbers: {} },
};

/** The longest path from a root of a message graph, which is the conversation. */
function pathOf(nodes: readonly Fields[]): readonly Fields[] {
  const depths: number[] = [];
  let deepest = -1;
  nodes.forEach((node, i) => {
    const parent = node.parent;
    // Parents precede their children.
    const above =
      typeof parent === 'number' && parent >= 0 && parent < i ? (depths[parent] ?? 0) : 0;
    depths.push(above + 1);
    if (above + 1 >= (depths[deepest] ?? 0)) deepest = i;
  });
  const path: Fields[] = [];
  for (let at = deepest; at >= 0 && path.length <= nodes.length; ) {
    const node = nodes[at];
    if (node === undefined) break;
    path.unshift(node);
    const { parent } = node;
    at = typeof parent === 'number' && parent < at ? parent : -1;
  }
  return path;
}

const verifiers: RolloutReader = {
  tool: 'verifiers',
  is: (fields) => Array.isArray(fields.nodes) && recordOf(fields.task) !== null,
  read: (fields) => {
    const task = recordOf(fields.task);
    const nodes = recordsIn(fields.nodes);
    const path = pathOf(nodes);
    const rewards = Object.entries(recordOf(fields.rewards) ?? {}).flatMap(([name, value]) => {
      const reward = recordOf(value);
      const score = finite(reward === null ? value : reward.score);
      return score === null ? [] : [{ name, score, weight: finite(reward?.weight) ?? 1 }];
    });
    const metrics = recordOf(fields.metrics) ?? {};
    const [failed] = recordsIn(fields.errors);
    const last = path.findLast((node) => node.sampled === true);
    const stop = textIn(fields.stop_condition);
    return {
      ...blank,
      step: finite(recordOf(fields.info)?.step) ?? finite(fields.step),
      task: idOf(task?.key) ?? idOf(task?.hash),
      messages: path.map((node): RolloutMessage => {
        const message = recordOf(node.message) ?? {};
        const [logProbability, advantage] = [meanIn(node.logprobs), meanIn(node.advantages)];
        const [trainer, entropy] = [meanIn(node.trainer_logprobs), meanIn(node.entropies)];
        return {
          ...{
            role: roleOf(message.role),
            text: messageText(message),
            sampled: node.sampled === true,
          },
          ...(logProbability === undefined ? {} : { logProbability }),
          ...(advantage === undefined ? {} : { advantage }),
          ...(entropy === undefined ? {} : { entropy }),
          ...(trainer === undefined || logProbability === undefined
            ? {}
            : { mismatch: Math.abs(trainer - logProbability) }),
        };
      }),
      reward:
        rewards.length === 0
          ? finite(fields.reward)
          : rewards.reduce((sum, { score, weight }) => sum + score * weight, 0),
      success: successIn(metrics) ?? successIn(fields),
      advantage: meanIn(path.flatMap((node) => listIn(node.advantages))) ?? null,
      truncated:
        last?.finish_reason === 'length' ||
        /max_(tokens|turns|total)|length|truncat/.test(stop ?? ''),
      tokens: path.reduce((sum, node) => sum + listIn(node.mask).filter(Boolean).length, 0) || null,
      error: failed === undefined ? null : (textIn(failed.message) ?? textIn(failed.type) ?? ''),
      numbers: {
        ...Object.fromEntries(rewards.map(({ name, score }) => [`rewards/${name}`, score])),
        ...numbersOf(metrics, []),
      },
    };
  },
};

const slime: RolloutReader = {
  tool: 'slime',
  is: (fields) =>
    'response' in fields &&
    'prompt' in fields &&
    ('group_index' in fields || 'response_length' in fields),
  read: (fields) => {
    const reward = recordOf(fields.reward);
    const status = textIn(fields.status);
    const [ours, theirs] = [meanIn(fields.rollout_log_probs), meanIn(fields.train_log_probs)];
    return {
      ...blank,
      step: finite(fields.rollout_id) ?? finite(fields.step),
      task: idOf(fields.group_index) ?? idOf(fields.label),
      messages: [
        ...side(fields.prompt, 'user'),
        ...side(fields.response, 'assistant').map((message) => ({
          ...message,
          ...(ours === undefined ? {} : { logProbability: ours }),
          ...(ours === undefined || theirs === undefined
            ? {}
            : { mismatch: Math.abs(ours - theirs) }),
        })),
      ],
      reward:
        reward === null
          ? finite(fields.reward)
          : (finite(reward.score) ?? finite(Object.values(reward)[0])),
      success:
        successIn(recordOf(fields.metadata) ?? {}) ?? (reward === null ? null : successIn(reward)),
      advantage: finite(fields.advantage) ?? meanIn(fields.advantages) ?? null,
      truncated: status === null ? null : status === 'truncated',
      tokens: finite(fields.response_length),
      error: status === 'aborted' || status === 'failed' ? status : null,
      numbers: reward === null ? {} : numbersOf(reward, []),
    };
  },
};

const agentgymRl: RolloutReader = {
  tool: 'agentgym_rl',
  is: (fields) =>
    Array.isArray(fields.conversations) &&
    'item_id' in fields &&
    recordOf(fields.conversations[0])?.role !== undefined,
  read: (fields) => ({
    ...blank,
    task: idOf(fields.item_id),
    messages: withoutAssent(chat(fields.conversations)),
    reward: finite(fields.reward),
    success: successIn(fields),
  }),
};

const agentTraj: RolloutReader = {
  tool: 'agenttraj',
  is: (fields) => Array.isArray(fields.conversations),
  read: (fields) => ({
    ...blank,
    task: idOf(fields.item_id) ?? idOf(fields.id),
    messages: listIn(fields.conversations).flatMap((one): RolloutMessage[] => {
      const [message] = chat([one]);
      const loss = recordOf(one)?.loss;
      return message === undefined
        ? []
        : [{ ...message, sampled: message.sampled && loss !== false }];
    }),
    reward: finite(fields.reward),
    success: successIn(fields),
  }),
};

/** The agent's first answer confirms the rules; it is given, not sampled. */
function withoutAssent(messages: readonly RolloutMessage[]): readonly RolloutMessage[] {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  return messages.map((message, i) =>
    i === first && /^OK\b/i.test(message.text) && messages.length > 3
      ? { ...message, sampled: false }
      : message,
  );
}

const TRL_OWN = ['step', 'advantage', 'prompt', 'completion'];

const trl: RolloutReader = {
  tool: 'trl',
  is: (fields) => 'completion' in fields && 'prompt' in fields && 'advantage' in fields,
  read: (fields) => {
    const rewards = numbersOf(fields, TRL_OWN);
    const parts = Object.entries(rewards).filter(
      ([key]) => !/advantage|length|^index$/.test(key) && typeof fields[key] !== 'boolean',
    );
    const sum = parts.length === 0 ? null : parts.reduce((total, [, value]) => total + value, 0);
    return {
      ...blank,
      step: finite(fields.step),
      task: textIn(fields.prompt)?.slice(0, 2000) ?? jsonOf(fields.prompt ?? null).slice(0, 2000),
      messages: [...side(fields.prompt, 'user'), ...side(fields.completion, 'assistant')],
      // One column per reward function; their weights are not in the file, so the sum is unweighted.
      reward: finite(fields.reward) ?? sum,
      success: successIn(fields),
      advantage: finite(fields.advantage),
      numbers: rewards,
    };
  },
};

const verl: RolloutReader = {
  tool: 'verl',
  is: (fields) => typeof fields.input === 'string' && typeof fields.output === 'string',
  read: (fields) => ({
    ...blank,
    step: finite(fields.step),
    task: textIn(fields.input)?.slice(0, 2000) ?? null,
    messages: [...side(fields.input, 'user'), ...side(fields.output, 'assistant')],
    reward: finite(fields.score) ?? finite(fields.reward),
    success: successIn(fields),
    advantage: finite(fields.advantage),
    tokens: finite(fields.response_length),
    numbers: numbersOf(fields, ['step', 'score']),
  }),
};

const messages: RolloutReader = {
  tool: 'messages',
  is: (fields) => Array.isArray(fields.messages) || Array.isArray(fields.trajectory),
  read: (fields) => ({
    ...blank,
    step: finite(fields.step) ?? finite(fields.iteration) ?? finite(fields.global_step),
    task: idOf(fields.task_id) ?? idOf(fields.task) ?? idOf(fields.id),
    messages: chat(fields.messages ?? fields.trajectory),
    reward: finite(fields.reward) ?? finite(fields.score) ?? finite(fields.total_reward),
    success: successIn(fields),
    advantage: finite(fields.advantage),
    truncated: truth(fields.truncated),
    numbers: numbersOf(fields, ['step', 'reward', 'score']),
  }),
};

/** Most specific first. */
const readers: readonly RolloutReader[] = [
  ...[verifiers, slime, agentgymRl, agentTraj, trl, verl, messages],
];

/** Common names in plain files, best first. */
const plainNames: Readonly<Record<RolloutColumn, readonly string[]>> = {
  prompt: ['prompt', 'question', 'input', 'query', 'instruction', 'observation'],
  response: [
    'response',
    'completion',
    'output',
    'answer',
    'generation',
    'generated_text',
    'text',
    'action',
  ],
  reward: ['reward', 'score', 'rewards', 'total_reward', 'return'],
  success: ['success', 'solved', 'is_correct', 'correct', 'acc'],
  step: ['step', 'global_step', 'iteration', 'epoch', 'rollout_id'],
  task: ['task_id', 'task', 'item_id', 'id', 'uid', 'index'],
  advantage: ['advantage', 'advantages', 'adv'],
};

/** A reader of plain rows, with the given columns or the common names. */
function plainReader(mapping: RolloutMapping): RolloutReader {
  const value = (fields: Fields, column: RolloutColumn) => {
    const given = mapping[column];
    if (given !== undefined) return fields[given];
    const name = plainNames[column].find((one) => one in fields);
    return name === undefined ? undefined : fields[name];
  };
  return {
    tool: 'plain',
    is: (fields) => side(value(fields, 'response'), 'assistant').length > 0,
    read: (fields) => ({
      ...blank,
      step: finite(value(fields, 'step')),
      task: idOf(value(fields, 'task')) ?? textIn(value(fields, 'prompt'))?.slice(0, 2000) ?? null,
      messages: [
        ...side(value(fields, 'prompt'), 'user'),
        ...side(value(fields, 'response'), 'assistant'),
      ],
      reward: finite(value(fields, 'reward')),
      success: truth(value(fields, 'success')),
      advantage: finite(value(fields, 'advantage')),
      truncated: truth(fields.truncated),
      numbers: numbersOf(fields, []),
    }),
  };
}

/**
 * The reader for a row; null if the row contains no episode. With a mapping, it is always the plain one.
 */
export function readerOf(fields: Fields, mapping: RolloutMapping): RolloutReader | null {
  const plain = plainReader(mapping);
  if (Object.keys(mapping).length > 0) return plain.is(fields) ? plain : null;
  const found = readers.find(({ is }) => is(fields));
  if (found !== undefined) return found;
  // An answer alone could be any logged text; with a prompt or a reward it is an episode.
  const others =
    plainNames.prompt.some((name) => name in fields) ||
    plainNames.reward.some((name) => name in fields);
  return others && plain.is(fields) ? plain : null;
}
