/** Every reader of external input, with small valid inputs and their mutators. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCode } from '../../agents/check-code.ts';
import { parseCommand } from '../../cli/options.ts';
import { UsageError } from '../../cli/usage.ts';
import { parseConfig } from '../../config/check.ts';
import { ConfigError } from '../../config/error.ts';
import { describeConfig, getConfigValue } from '../../config/fields.ts';
import { methods } from '../../config/methods.ts';
import { optionFields } from '../../config/panel-fields.ts';
import { presetConfig, presets } from '../../config/presets.ts';
import { settleConfig } from '../../config/settle.ts';
import { asText, setConfigValues } from '../../config/text.ts';
import { createEnvironment, environmentFamilies } from '../../envs/registry.ts';
import type { EnvironmentOptions } from '../../envs/types.ts';
import { CodeError, startInterpreter } from '../../envs/written/interpreter.ts';
import {
  exportAgent,
  readAgentFile,
  readAgentFiles,
  zipAgent,
} from '../../exchange/agent-files.ts';
import { AgentFileError } from '../../exchange/errors.ts';
import { readLlamaConfig } from '../../exchange/llama-config.ts';
import { readLlama } from '../../exchange/llama-import.ts';
import { RowLogError, readRowLog } from '../../exchange/logs/rows.ts';
import { exportOnnx } from '../../exchange/onnx.ts';
import { decodeModel } from '../../exchange/onnx-format.ts';
import { readOnnx } from '../../exchange/onnx-import.ts';
import { adaptedModel, openModel } from '../../exchange/pretrained/open-model.ts';
import { openPeft, peftFiles } from '../../exchange/pretrained/peft.ts';
import { SweepFilesError } from '../../exchange/sweeps/error.ts';
import { openSweep } from '../../exchange/sweeps/read-sweep.ts';
import { randomAgent } from '../../exchange/testing/agents.ts';
import { folderOf, testModel, testShape } from '../../exchange/testing/pretrained.ts';
import { readTokenizerJson } from '../../exchange/tokenizer-json.ts';
import { readAgentTraj, writeAgentTraj } from '../../exchange/trajectories/agent-traj.ts';
import { readRolloutLog, writeRolloutLog } from '../../exchange/trajectories/rollout-log.ts';
import { TrajectoryFileError } from '../../exchange/trajectories/trajectory-file.ts';
import {
  importTrajectories,
  readTrajectoryFile,
} from '../../exchange/trajectories/trajectory-import.ts';
import { JsonError, parseJson, readJson } from '../../files/json.ts';
import { jsonLimits } from '../../files/limits.ts';
import { MessageWriter, ProtobufError, visitFields } from '../../files/protobuf.ts';
import { readZip, ZipError } from '../../files/zip.ts';
import { type BpeRules, bpeJson, readBpeRules } from '../../policy/bpe-rules.ts';
import { parameterLayout } from '../../policy/layout.ts';
import { openTokenizer } from '../../policy/open-tokenizer.ts';
import { specialTokens } from '../../policy/tokenizer.ts';
import { TokenizerError } from '../../policy/tokenizer-error.ts';
import { type Adapter, adapterTargets, type WeightTensor } from '../../policy/types.ts';
import type { KeptAgent } from '../../runs/checkpoint.ts';
import {
  AGENT,
  type Checkpoint,
  CheckpointError,
  decodeCheckpoint,
  encodeCheckpoint,
  keptAgent,
} from '../../runs/checkpoint.ts';
import { CritiqueFileError, readCritiques } from '../../runs/critique-file.ts';
import { type CritiqueItem, critiqueLines } from '../../runs/critique-item.ts';
import type { EpisodeRecord, EpisodeTurn } from '../../runs/episode.ts';
import { PackedDataError, packData, unpackData } from '../../runs/packed-data.ts';
import type { KeptRun } from '../../runs/record.ts';
import { decodeRunFile, encodeRunFile, RunFileError } from '../../runs/run-file.ts';
import { decodeSafeTensors, encodeSafeTensors, SafeTensorsError } from '../../runs/safetensors.ts';
import { checkpointOf } from '../../runs/testing/checkpoints.ts';
import { SweepError } from '../../sweep/error.ts';
import { readSweep } from '../../sweep/file.ts';
import { formatRecord, makeRecord } from '../../sweep/record.ts';
import { gridTrial, randomTrial } from '../../sweep/samplers.ts';
import {
  packReinforcement,
  unpackReinforcement,
} from '../../training/recipes/reinforcement/state.ts';
import { unpackTrainerState } from '../../training/state.ts';
import { corridorRun, iterate, quietCorridor } from '../../training/testing/corridor-run.ts';
import { readAddress, writeAddress } from '../../ui/shell/address/address.ts';
import { EditorFileError } from '../../ui/stage/editor-files/error.ts';
import { readMazeFile } from '../../ui/stage/maze-editor/file.ts';
import { mutateBytes } from './bytes.ts';
import { either, lines, packed, protobuf, query, safetensors, text, zip } from './formats.ts';
import { json } from './json.ts';
import { logReaders } from './log-readers.ts';
import type { Reader } from './reader.ts';
import { requestReader } from './request-reader.ts';

const encoder = new TextEncoder();

/** Code of a small environment, which is checked quickly. */
const tinyCode = `export const turns = 2;
export const tasks = 3;
export const words = ['go', 'stay', ...['a', 'b'].map((x: string) => x)];
export function reset(task: number, random) {
  return { state: { at: random.int(2) }, text: 'a' };
}
export const actions = () => ['go', 'stay'];
export function step({ at }, action: string) {
  const done = action === 'go';
  return { state: { at: at + 1 }, text: at > 0 ? 'a' : 'b', reward: done ? 1 : 0, done };
}
export const draw = () => ['@.', '#x'];
`;
const asJson = (value: unknown) => encoder.encode(JSON.stringify(value));
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const size = { layers: 1, width: 8, heads: 1, kv_heads: 1, ffn_width: 8 };
const agents = (): readonly KeptAgent[] => [
  randomAgent({ policy: size }, 1),
  withBpe(randomAgent({ policy: { ...size, tied_embeddings: true } }, 2)),
];

/** A byte-pair vocabulary with its rules, in either of the two formats. */
function bytePairs(kind: 'byte-level' | 'metaspace') {
  const letters = [...'abcde ', 'Ġ', '▁', ...'0123456789'];
  const joins = ['ab', 'cd', 'abcd', 'Ġa', '▁a'];
  const vocabulary = [...specialTokens, ...letters, ...joins, '<0x0A>', '<0x41>'];
  const bytes = kind === 'byte-level';
  const rules = {
    merges: [
      ['a', 'b'],
      ['c', 'd'],
      ['ab', 'cd'],
      ['Ġ', 'a'],
      ['▁', 'a'],
    ],
    added_tokens: specialTokens.map((content, id) => ({ id, content, special: true })),
    normalizer: bytes
      ? [{ type: 'NFC' }, { type: 'Lowercase' }]
      : [
          { type: 'Prepend', prepend: '▁' },
          { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        ],
    pre_tokenizer: bytes
      ? [{ type: 'Digits', individual_digits: true }, { type: 'ByteLevel' }]
      : [{ type: 'Metaspace' }],
    decoder: bytes
      ? [{ type: 'ByteLevel' }]
      : [
          { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
          { type: 'ByteFallback' },
          { type: 'Fuse' },
          { type: 'Strip', content: ' ', start: 1, stop: 0 },
        ],
    unk_token: '<unk>',
    byte_fallback: !bytes,
    special: { pad: 0, unk: 1, obs: 2, act: 3, end: 4 },
  };
  return { vocabulary, rules, read: readBpeRules(rules, vocabulary) };
}

/** The same agent with a byte-pair tokenizer and a vocabulary of equal size. */
function withBpe(agent: KeptAgent): KeptAgent {
  const { vocabulary, read } = bytePairs('metaspace');
  const rest = agent.vocabulary.slice(vocabulary.length).map((_, i) => `rest${i}`);
  if (rest.length + vocabulary.length !== agent.vocabulary.length) {
    throw new RangeError('the agent has too few tokens for byte pairs');
  }
  return { ...agent, vocabulary: [...vocabulary, ...rest], bpe: read };
}

/** Vocabulary size of the agents' networks. */
const rows = once(() => agents()[0]?.vocabulary.length ?? 0);
const exported = (agent: KeptAgent) => exportAgent(agent, { report: null, license: 'MIT' });
const file = (agent: KeptAgent, name: string) => exported(agent).get(name) ?? new Uint8Array();

const optionNames = environmentFamilies.flatMap(({ id }) =>
  optionFields(id, 'env').map(({ path }) => path.slice('env.options.'.length)),
);
const choices = describeConfig().flatMap((field) => field.choices ?? []);
const configWords = [
  ...describeConfig().flatMap(({ path }) => path.split('.')),
  ...choices,
  ...environmentFamilies.map(({ id }) => id),
  ...environmentFamilies.flatMap(({ id }) =>
    optionFields(id, 'env').flatMap((field) => field.choices ?? []),
  ),
  ...optionNames,
];
const config = json(configWords);
const tokenizer = json([
  ...['ByteLevel', 'Metaspace', 'Digits', 'Split', 'Prepend', 'NFKD', 'Strip', 'ByteFallback'],
  ...['<pad>', '<unk>', 'ab', '▁', 'Ġ', 'merges', 'added_tokens', 'pattern', 'Regex', 'String'],
]);

/** An episode played by the expert. */
function played(id: string, options: EnvironmentOptions, turns: number): EpisodeRecord {
  const environment = createEnvironment(id, options);
  const taskId = environment.trainTasks[0] ?? '';
  let { state, observation } = environment.reset(taskId);
  const all: EpisodeTurn[] = [];
  let terminated = false;
  while (!terminated && all.length < turns) {
    const { thought, action } = environment.expert(state);
    const next = environment.step(state, action);
    const { understood, reward } = next;
    all.push({ observation, thought, tokens: [], action, understood, reward });
    ({ state, observation, terminated } = next);
  }
  return {
    ...{ environment: { id, options }, taskId, turns: all, finalObservation: observation },
    ...{ success: environment.success(state), truncated: !terminated },
    score: all.reduce((sum, { reward }) => sum + reward, 0),
  };
}

const episodes = () => [
  played('maze/double-t-v1', {}, 3),
  played('wordle/wordle-v1', {}, 2),
  played('textcraft/textcraft-v1', {}, 2),
];
const agentTraj = () => encoder.encode([...writeAgentTraj(episodes())].join(''));
const rolloutLog = () => encoder.encode([...writeRolloutLog(episodes())].join(''));
const dialogue = json([
  ...['from', 'human', 'gpt', 'role', 'user', 'assistant', 'item_id', 'reward', 'conversations'],
  ...['Thought:\n', '\n\nAction:\n', '</s>', 'maze_7', 'lmrlgym_maze_1', 'wordle_0', 'move up'],
]);

const critiqueItem = json([
  ...[
    'task',
    'level',
    'question',
    'answer',
    'right',
    'step',
    'fault',
    'source',
    'from',
    'critique',
  ],
  ...['true', 'filter', 'of', 'sampled', 'hot', 'inserted', 'result', 'chain_1', 's1 4 * 2 = 8'],
]);

/** Two critiques of an environment's answers. */
function critiqueFile(): Uint8Array {
  const { trainTasks, reset, expert, criticism } = createEnvironment('reasoning/chain-v1');
  const items = trainTasks.slice(0, 2).flatMap((task): CritiqueItem[] => {
    const { state, observation: question } = reset(task);
    const answer = expert(state).action;
    const critique = criticism?.critique(task, answer, { advice: 'value' });
    if (critique === undefined) return [];
    return [
      {
        ...{ task, level: 1, question, answer, right: true, step: null, fault: null },
        ...{ source: 'sampled', from: null, critique, true: true, filter: { right: 1, of: 2 } },
      },
    ];
  });
  return encoder.encode([...critiqueLines(items)].join(''));
}

const rowLogLine = json([
  ...['iteration', 'final', 'config', 'rollout/success_rate', 'policy/approx_kl', 'seed', 'env'],
  ...['stopped', 'environments', 'maze/double-t-v1', 'NaN', 'algorithm', 'gamma'],
]);

/** Two iterations and the end of a run, as printed by the trainer. */
function rowLog(): Uint8Array {
  const rows: object[] = [1, 2].map((iteration) => ({
    iteration,
    'rollout/success_rate': 0.5,
    'policy/approx_kl': 0.01,
  }));
  const config = presetConfig('maze');
  rows.push({ final: true, stopped: 'iterations', iteration: 2, 'eval/success_rate': 1, config });
  return encoder.encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** A checkpoint of a run with a replay buffer and paused episodes. */
async function interrupted(): Promise<Checkpoint> {
  const { run } = await corridorRun({
    rollout: { tasks_per_iteration: 2, group_size: 2, partial_turns: 3 },
    replay: { share: 0.5, capacity: 2, max_age: 1000 },
  });
  await iterate(run, 2);
  return run.checkpoint();
}

/** The same run with the weights and vocabulary of another agent. */
async function interruptedAs(agent: KeptAgent): Promise<Checkpoint> {
  const { students, trainer } = await interrupted();
  return checkpointOf(agent, students.get(AGENT)?.training ?? null, trainer);
}

/** A run file of a small agent with rows. */
async function runFile(): Promise<Uint8Array> {
  const agent = agents()[0] as KeptAgent;
  const checkpoint = await interruptedAs(agent);
  const zones: [number, number, number] = [0, 1, 0];
  const rows = [1, 2, 3].map((iteration) => ({
    ...{ iteration, metrics: { iteration, 'rollout/success_rate': 0.1 }, milliseconds: 7 },
    details: {
      updates: [
        {
          ...{ update: iteration, loss: 0.5, entropy: 1, clipLow: 0.8, clipHigh: 1.2 },
          ...{ positiveShare: Number.NaN, clippedLow: 0, clippedHigh: 0, gradNorm: 1 },
          ...{ skipped: false, positiveCounts: zones, negativeCounts: zones },
          ...{ positivePull: zones, negativePull: zones },
        },
      ],
      staleness: [[0, 12]] as [number, number][],
    },
    evaluation: { metrics: { 'eval/score': 1 } },
  }));
  const run: KeptRun = {
    entry: {
      ...{ id: 'a', name: 'A maze', preset: 'maze', config: agent.config, created: 5, updated: 6 },
      ...{ status: 'paused', adapter: 'by hand', iterations: 3, success: 0.3, pinned: true },
      ...{ tags: ['x'], notes: 'y' },
    },
    rows,
    shown: { latest: null, success: null, failure: null, evaluation: null },
  };
  return encodeRunFile(run, encodeCheckpoint(checkpoint));
}

const sweepWords = [
  ...['palestra_sweep_run', 'palestra_sweep', 'values', 'value', 'rows', 'columns', 'evaluation'],
  ...[
    'rollout/score',
    'eval/score',
    'trial',
    'seed',
    'finished',
    'failed',
    'optimizer.learning_rate',
  ],
];

/** Records of runs with and without iterations. */
function sweepRecords(): Uint8Array[] {
  const run = {
    ...{ run: 'trial-0001-seed-1', trial: 1, seed: 1, config: presetConfig('maze'), device: 'x' },
    values: { preset: 'maze', 'optimizer.learning_rate': 0.1, 'env.options.list': [1, 'a'] },
  };
  const rows = [1, 2].map((iteration) => ({ iteration, 'rollout/score': iteration }));
  const end = { outcome: 'finished', reason: 'iterations', value: 2 } as const;
  return [
    makeRecord(run, { rows, rungs: [1] }, { ...end, evaluation: null }),
    makeRecord(run, { rows: [], rungs: [] }, { ...end, evaluation: { 'eval/score': 2 } }),
  ].map((record) => encoder.encode(formatRecord(record)));
}

const sweepFileWords = [
  ...[
    'method',
    'metric',
    'name',
    'goal',
    'parameters',
    'run_cap',
    'early_terminate',
    'distribution',
  ],
  ...['min', 'max', 'q', 'mu', 'sigma', 'value', 'values', 'probabilities', 'min_iter', 'eta'],
  ...['grid', 'random', 'bayes', 'constant', 'categorical', 'int_uniform', 'uniform', 'q_uniform'],
  ...['log_uniform_values', 'q_log_uniform_values', 'inv_log_uniform_values', 'normal', 'q_normal'],
  ...['log_normal', 'q_log_normal', 'hyperband', 'seed', 'optimizer.learning_rate', 'maze'],
];

/** Sweep files of every sampler, written as JSON, a subset of YAML. */
function sweepFiles(): Uint8Array[] {
  const metric = { name: 'rollout/score', goal: 'maximize' };
  const spans = {
    'optimizer.learning_rate': { distribution: 'log_uniform_values', min: 0.0001, max: 0.01 },
    'algorithm.entropy_coef': { distribution: 'q_uniform', min: 0, max: 0.1, q: 0.01 },
    'rollout.group_size': { distribution: 'int_uniform', min: 2, max: 8 },
    'algorithm.gamma': { distribution: 'q_normal', mu: 0.9, sigma: 0.01, q: 0.01 },
  };
  const fixed = { preset: { value: 'maze' }, seed: { values: [1, 2] } };
  const { 'algorithm.entropy_coef': entropy, 'rollout.group_size': group } = spans;
  return [
    {
      ...{ method: 'grid', metric, run_cap: 40 },
      parameters: { ...fixed, 'algorithm.entropy_coef': entropy, 'rollout.group_size': group },
    },
    { method: 'random', metric, run_cap: 8, parameters: { ...fixed, ...spans } },
    {
      ...{ method: 'bayes', metric, run_cap: 8, parameters: { ...fixed, ...spans } },
      early_terminate: { type: 'hyperband', min_iter: 3, eta: 2 },
    },
  ].map((file) => encoder.encode(JSON.stringify(file, null, 1)));
}

const wholePacked = packed(json());
const checkpointFile = safetensors(config, wholePacked);
const onnxFile = protobuf(either(mutateBytes, tokenizer));
const folder = zip({
  'config.json': config,
  '.json': tokenizer,
  '.safetensors': safetensors(json()),
  '.onnx': onnxFile,
});

/** The files that a reader needs from an exported agent, as a zip. */
function importable(agent: KeptAgent): Uint8Array {
  const wanted = ['model.safetensors', 'config.json', 'tokenizer.json', 'tokenizer_config.json'];
  return zipAgent(new Map([...exported(agent)].filter(([name]) => wanted.includes(name))));
}

const smallAdapter: Adapter = { rank: 4, alpha: 8, targets: adapterTargets, base: 'f32' };
const adaptedShape = () => ({ ...testShape('llama'), adapter: smallAdapter });

function adapterWeights(): Map<string, WeightTensor> {
  return new Map(
    [...parameterLayout(adaptedShape()).slots.values()].map(({ name, shape, length }) => [
      name,
      { shape, values: new Float32Array(length).fill(0.5) },
    ]),
  );
}

/** The files of a zip made by the fuzzer; an unreadable one is left to the zip reader. */
const opened = (bytes: Uint8Array) => readZip(bytes, () => 2 ** 28, 2 ** 28);

/** Environment configs with the options of every family, and with user-supplied texts. */
function environmentConfigs(): Uint8Array[] {
  const recipe = (result: string, ...from: readonly string[]) => ({
    ...{ type: 'minecraft:crafting_shapeless', result: { item: result, count: 1 } },
    ingredients: from.map((item) => ({ item })),
  });
  const shaped = {
    ...{ type: 'minecraft:crafting_shaped', pattern: ['P P', 'PSP'], result: { item: 'thing' } },
    key: { S: { item: 'stick' }, P: { tag: 'minecraft:planks' } },
  };
  const recipes = JSON.stringify([
    ...[recipe('a', 'b'), recipe('b', 'c', 'd'), recipe('d', 'e'), recipe('f', 'a', 'c'), shaped],
  ]);
  const own = [
    {
      id: 'wordle/wordle-v1',
      options: { words: 'shire hairy crane fairy dairy night light fight' },
    },
    { id: 'textcraft/textcraft-v1', options: { recipes } },
  ];
  const all = environmentFamilies.map(({ id }) => ({
    id,
    options: Object.fromEntries(
      optionFields(id, 'env').map((field) => [
        field.path.slice('env.options.'.length),
        field.default,
      ]),
    ),
  }));
  const mixture = all.slice(0, 2).map((part) => ({ ...part, share: 1 }));
  return [...own.map((env) => ({ env })), ...all.map((env) => ({ env })), { env: { mixture } }].map(
    asJson,
  );
}

const inConfig = (bytes: Uint8Array) => readJson(bytes, jsonLimits.config);
const wholeConfigs = () =>
  ['maze', ...presets.slice(1, 4).map(({ name }) => name)].map((name) =>
    asJson(presetConfig(name)),
  );

/** Addresses of runs: one per preset and method, and one with every field. */
function addresses(): Uint8Array[] {
  const everything = new URLSearchParams(
    describeConfig()
      .filter(({ type }) => type !== 'options' && type !== 'mixture')
      .map(({ path }) => [path, asText(getConfigValue(parseConfig({}), path))]),
  );
  return [
    ...presets.map(({ name }) => `?preset=${name}`),
    ...methods.map(({ name }) => `?method=${name}&settings=published`),
    writeAddress({
      preset: 'maze',
      config: setConfigValues(presetConfig('maze'), [
        ['rollout.group_size', '4'],
        ['seed', '7'],
      ]),
    }),
    '?env.id=textcraft/textcraft-v1&env.options.depth=2&env.options.goals=exact-depth',
    `?${everything}`,
  ].map((address) => encoder.encode(address));
}

const addressKeys = [
  ...['preset', 'method', 'settings', 'env.options', 'env.mixture'],
  ...describeConfig().map(({ path }) => path),
  ...optionNames.map((name) => `env.options.${name}`),
];
const addressValues = [
  ...presets.map(({ name }) => name),
  ...methods.map(({ name }) => name),
  ...configWords,
];

/** Reads a message with every kind of field, including nested messages. */
function readMessage(bytes: Uint8Array, depth = 0): unknown[] {
  const found: unknown[] = [];
  visitFields(bytes, {
    1: (field) => found.push(field.int()),
    2: (field) => found.push(field.float()),
    3: (field) => found.push(field.text(1000)),
    4: (field) => found.push(depth < 50 ? readMessage(field.bytes(), depth + 1) : null),
    5: (field) => {
      for (const n of field.ints()) if (found.length < 1000) found.push(n);
    },
  });
  return found;
}

/**
 * Returns the value if it is a list of strings. Otherwise throws an error that counts as a
 * rejection, because callers check this before they create a tokenizer.
 */
function textList(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new TokenizerError('its vocabulary is not a list of texts');
}

/** The fields of an object; empty for anything else. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const tokenizers = () =>
  (['byte-level', 'metaspace'] as const).map((kind) => {
    const { vocabulary, rules } = bytePairs(kind);
    return asJson({ vocabulary, rules, text: 'abcd 12 A\n中 e\u0301 <end>' });
  });

/** The state passed to `unpackReinforcement`. */
const destination = {
  config: parseConfig({ replay: { share: 0.5, capacity: 2, max_age: 1000 } }),
  environment: quietCorridor,
};
let configPlace: string | null = null;

const agentErrors = [AgentFileError, CheckpointError];

export const readers: readonly Reader[] = [
  ...logReaders,
  requestReader,
  {
    name: 'protobuf',
    refusals: [ProtobufError],
    seeds: () => {
      const inner = new MessageWriter().int(1, -2).float(2, 0.5).text(3, 'añ');
      const message = new MessageWriter().message(4, inner).ints(5, [3, 270, 86_942]).int(1, 7);
      return [message.finish(), new MessageWriter().message(4, message).text(9, 'b').finish()];
    },
    mutate: protobuf(),
    read: (bytes) => readMessage(bytes),
  },
  {
    name: 'zip',
    refusals: [ZipError],
    seeds: () => agents().slice(0, 1).map(importable),
    mutate: folder,
    read: (bytes) => readZip(bytes, () => 2 ** 26, 2 ** 28),
  },
  {
    name: 'json',
    refusals: [JsonError],
    seeds: () => [asJson({ a: [1, 2.5, null], b: { c: 'd\\"' } }), ...wholeConfigs().slice(0, 1)],
    mutate: config,
    read: (bytes) => [inConfig(bytes), parseJson(textOf(bytes), jsonLimits.config)],
  },
  {
    name: 'onnx-format',
    refusals: [ProtobufError],
    seeds: () => agents().map((agent) => exportOnnx(agent, { cache: false })),
    mutate: onnxFile,
    read: (bytes) => decodeModel(bytes, () => {}),
  },
  {
    name: 'onnx',
    refusals: [AgentFileError],
    seeds: () => agents().map((agent, i) => exportOnnx(agent, { cache: i === 1 })),
    mutate: protobuf(either(config, tokenizer)),
    read: readOnnx,
  },
  {
    name: 'agent-file',
    refusals: agentErrors,
    seeds: () => [
      ...agents().map(importable),
      zipAgent(new Map([['model.onnx', file(agents()[0] as KeptAgent, 'model.onnx')]])),
    ],
    mutate: folder,
    read: (bytes) => readAgentFile(bytes),
  },
  {
    name: 'agent-checkpoint',
    refusals: agentErrors,
    seeds: () => agents().map((agent) => encodeCheckpoint(checkpointOf(agent))),
    mutate: safetensors(config),
    read: readAgentFile,
  },
  {
    name: 'agent-folder',
    refusals: [...agentErrors, ZipError],
    seeds: () => agents().map(importable),
    mutate: folder,
    read: (bytes) => readAgentFiles(opened(bytes)),
  },
  {
    name: 'llama',
    refusals: [AgentFileError, ZipError],
    seeds: () => agents().map(importable),
    mutate: folder,
    read: (bytes) => {
      const files = opened(bytes);
      const none = new Uint8Array();
      return readLlama({
        config: files.get('config.json') ?? none,
        tokenizer: files.get('tokenizer.json') ?? none,
        weights: files.get('model.safetensors') ?? none,
        tokenizerConfig: files.get('tokenizer_config.json'),
      });
    },
  },
  {
    name: 'pretrained-model',
    refusals: [AgentFileError, ZipError],
    seeds: () => (['qwen2', 'gemma3_text'] as const).map((type) => zipAgent(testModel(type))),
    mutate: folder,
    read: async (bytes) => {
      const model = await openModel(folderOf(opened(bytes)));
      const { shape, tokenizerFor } = adaptedModel(model, 'fuzzed', smallAdapter);
      return [shape, tokenizerFor({ instruction: 'Move.' }, 'react').frame];
    },
  },
  {
    name: 'peft-adapter',
    refusals: [AgentFileError, ZipError],
    seeds: () => [zipAgent(peftFiles(adaptedShape(), adapterWeights(), 'fuzzed'))],
    mutate: folder,
    read: async (bytes) => {
      const peft = await openPeft(folderOf(opened(bytes)));
      return peft.read({ ...adaptedShape(), adapter: { ...smallAdapter, ...peft.form } });
    },
  },
  {
    name: 'llama-config',
    refusals: [AgentFileError],
    seeds: () => agents().map((agent) => file(agent, 'config.json')),
    mutate: json(['rope_scaling', 'rope_parameters', 'head_dim', 'attention_bias', 'gelu']),
    read: (bytes) => readLlamaConfig(bytes, bytes.length % 2 === 0),
  },
  {
    name: 'tokenizer-json',
    refusals: [AgentFileError],
    seeds: () => [
      ...agents().map((agent) => file(agent, 'tokenizer.json')),
      asJson(bpeJson(bytePairs('byte-level').vocabulary, bytePairs('byte-level').read)),
    ],
    mutate: tokenizer,
    read: (bytes) =>
      readTokenizerJson(bytes, rows(), {
        names: { end: '<end>', pad: 'a' },
        ids: { end: 3 },
      }),
  },
  {
    name: 'bpe-rules',
    refusals: [TokenizerError, JsonError],
    seeds: tokenizers,
    mutate: tokenizer,
    read: (bytes): BpeRules => {
      const { vocabulary, rules } = fieldsOf(readJson(bytes, jsonLimits.tokenizer));
      return readBpeRules(rules, textList(vocabulary));
    },
  },
  {
    name: 'tokenizer',
    refusals: [TokenizerError, JsonError],
    seeds: () => [
      ...tokenizers(),
      asJson({
        vocabulary: [...specialTokens, 'move up', 'a', ','],
        rules: null,
        text: 'a, move up',
      }),
    ],
    mutate: tokenizer,
    read: async (bytes) => {
      const asked = fieldsOf(readJson(bytes, jsonLimits.tokenizer));
      const vocabulary = textList(asked.vocabulary);
      const opened = await openTokenizer(vocabulary, asked.rules ?? null);
      const ids = opened.encode(typeof asked.text === 'string' ? asked.text : '');
      return [ids, opened.decode(ids), vocabulary.slice(0, 50).map((_, id) => opened.label(id))];
    },
  },
  {
    name: 'safetensors',
    refusals: [SafeTensorsError],
    seeds: () => [
      encodeSafeTensors({
        tensors: new Map([
          ['a', { shape: [2, 3], values: new Float32Array(6).fill(0.5) }],
          ['b', { shape: [], values: Float32Array.of(1) }],
          ['c', { shape: [0, 4], values: new Float32Array() }],
        ]),
        bytes: new Map([['d', Uint8Array.of(1, 2, 3, 4)]]),
        metadata: new Map([['format', 'pt']]),
      }),
    ],
    mutate: safetensors(json(['F32', 'F16', 'BF16', 'U8', 'data_offsets', 'shape', 'dtype'])),
    read: decodeSafeTensors,
  },
  {
    name: 'checkpoint',
    refusals: [CheckpointError],
    seeds: async () => [
      ...agents().map((agent) => encodeCheckpoint(checkpointOf(agent))),
      encodeCheckpoint(await interruptedAs(agents()[0] as KeptAgent)),
    ],
    mutate: either(safetensors(config), safetensors(config), checkpointFile),
    read: decodeCheckpoint,
  },
  {
    name: 'packed-data',
    refusals: [PackedDataError],
    seeds: () => [
      packData({
        a: [1, 2, 3, 4, 5, 6, 7, 8, 9],
        b: [0.1, Number.NaN, -0, 1, 2, 3, 4, 5],
        c: ['d'],
      }),
      packData([[...new Array(40).keys()], { e: Number.NaN, f: [300, 1, 2, 3, 4, 5, 6, 7] }]),
    ],
    mutate: packed(json(['$', 'u8', 'u16', 'u32', 'f32', 'f64', 'NaN', '-0'])),
    read: unpackData,
  },
  {
    name: 'trainer-state',
    refusals: [CheckpointError, PackedDataError],
    seeds: async () => [packData((await interrupted()).trainer)],
    mutate: packed(json(['$', 'replay', 'paused', 'turns', 'sequences', 'gradient'])),
    read: (() => {
      // The agent that the seed input comes from, so that the input is accepted.
      const authorOf = once(async () => {
        const { vocabulary } = keptAgent(await interrupted());
        const policy = { version: 1_000_000 };
        return { tokenizer: await openTokenizer(vocabulary, null), policy };
      });
      return async (bytes: Uint8Array) => {
        const { recipe } = unpackTrainerState(unpackData(bytes));
        const { config, environment } = destination;
        return packReinforcement(
          unpackReinforcement(recipe, config, environment, await authorOf()),
        );
      };
    })(),
  },
  {
    name: 'run-file',
    refusals: [RunFileError, CheckpointError],
    seeds: async () => [await runFile()],
    mutate: zip({ '.json': json(), '.bin': wholePacked, '.safetensors': checkpointFile }),
    read: decodeRunFile,
  },
  {
    name: 'sweep',
    refusals: [SweepFilesError],
    seeds: sweepRecords,
    mutate: json(sweepWords),
    read: (bytes) => openSweep([{ path: 'record.json', file: new Blob([Uint8Array.from(bytes)]) }]),
  },
  {
    name: 'sweep-file',
    refusals: [SweepError],
    seeds: sweepFiles,
    mutate: either(json(sweepFileWords), mutateBytes),
    read: (bytes) => {
      const { sweep } = readSweep(textOf(bytes), 'fuzz');
      const { parameters, sampler, trials } = sweep;
      const propose = sampler === 'grid' ? gridTrial : randomTrial;
      return [1, trials].map((number) => propose(parameters, number));
    },
  },
  {
    name: 'trajectories',
    refusals: [TrajectoryFileError],
    seeds: () => [agentTraj(), rolloutLog()],
    mutate: dialogue,
    read: (bytes) => readTrajectoryFile(textOf(bytes)),
  },
  {
    name: 'critiques',
    refusals: [CritiqueFileError],
    seeds: () => [critiqueFile()],
    mutate: lines(critiqueItem),
    read: (bytes) => {
      const { items, environment } = readCritiques(textOf(bytes), []);
      return [items.length, environment];
    },
  },
  {
    name: 'row-log',
    refusals: [RowLogError],
    seeds: () => [rowLog()],
    mutate: lines(rowLogLine),
    read: (bytes) => {
      const { rows, evaluations, notes } = readRowLog(textOf(bytes));
      return [rows.length, evaluations.length, notes.length];
    },
  },
  {
    name: 'agent-traj',
    refusals: [TrajectoryFileError],
    seeds: () => [agentTraj()],
    mutate: dialogue,
    read: (bytes) => readAgentTraj(textOf(bytes)),
  },
  {
    name: 'rollout-log',
    refusals: [TrajectoryFileError],
    seeds: () => [rolloutLog()],
    mutate: dialogue,
    read: (bytes) => readRolloutLog(textOf(bytes)),
  },
  {
    name: 'trajectory-import',
    refusals: [TrajectoryFileError],
    seeds: () => {
      // Create every environment with every option in advance, so that this cost is not charged to a case.
      // Task 0 exists in every environment and none reproduces this observation, so the import tries all.
      const strange = episodes().map((played) => ({ ...played, finalObservation: 'Elsewhere' }));
      const anywhere = [...writeRolloutLog(strange)]
        .join('')
        .replaceAll(/"item_id":"\w+"/g, '"item_id":0');
      importTrajectories(anywhere, []);
      return [agentTraj(), rolloutLog()];
    },
    mutate: dialogue,
    read: (bytes) =>
      importTrajectories(textOf(bytes), [{ id: 'maze/double-t-v1', options: {} }]).map(
        ({ itemId, record, replay }) => [itemId, record.taskId, replay.kind],
      ),
  },
  {
    name: 'config',
    refusals: [ConfigError, JsonError],
    seeds: wholeConfigs,
    mutate: config,
    read: (bytes) => parseConfig(inConfig(bytes)),
  },
  {
    // `settleConfig` never rejects a config: it replaces unusable values.
    name: 'settled-config',
    refusals: [JsonError],
    seeds: wholeConfigs,
    mutate: config,
    read: (bytes) => settleConfig(inConfig(bytes), 'in this input'),
  },
  {
    name: 'environment-options',
    refusals: [ConfigError, JsonError],
    seeds: environmentConfigs,
    mutate: config,
    read: (bytes) => parseConfig(inConfig(bytes)),
  },
  {
    name: 'address',
    refusals: [],
    seeds: addresses,
    mutate: query(addressKeys, addressValues),
    // It must be possible to write an address from settings that were read from one.
    read: (bytes) => writeAddress(readAddress(textOf(bytes))),
  },
  {
    name: 'maze-file',
    refusals: [EditorFileError],
    seeds: () => [
      encoder.encode('name: Hall\nS....\n.###.\n....G\n'),
      encoder.encode('S*.\n.!.\n..G\n'),
    ],
    mutate: text(),
    read: (bytes) => readMazeFile(textOf(bytes)),
  },
  {
    name: 'written-code',
    refusals: [CodeError],
    seeds: () => [encoder.encode(tinyCode)],
    mutate: text(),
    read: async (bytes) => {
      await startInterpreter();
      const check = checkCode(textOf(bytes));
      const [first] = check.findings;
      if (check.facts === null && first !== undefined)
        throw new CodeError(first.problem, first.line);
      return check;
    },
  },
  {
    name: 'config-flag',
    refusals: [UsageError, ConfigError],
    seeds: wholeConfigs,
    mutate: either(config, config, text()),
    read: (bytes) => {
      if (configPlace === null) {
        const place = mkdtempSync(join(tmpdir(), 'palestra-fuzz-'));
        process.on('exit', () => rmSync(place, { recursive: true, force: true }));
        configPlace = join(place, 'config.json');
      }
      writeFileSync(configPlace, bytes);
      return parseCommand(['--config', configPlace]);
    },
  },
];

/** A lazily created value. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
