/** The readers of logs, with small logs of every format. */

import { parquetWriteBuffer } from 'hyparquet-writer';
import { crc32, maskedCrc } from '../../exchange/logs/crc.ts';
import { LogError } from '../../exchange/logs/error.ts';
import { readGroup, recognizeAll } from '../../exchange/logs/read-logs.ts';
import type { FileKind } from '../../exchange/logs/readers.ts';
import { type LogFile, memoryFile } from '../../exchange/logs/source.ts';
import {
  eventFile,
  hparamsEvent,
  type Scalar,
  textEvent,
  verlLine,
  wandbFile,
  wandbHistory,
} from '../../exchange/logs/testing/files.ts';
import { PickleError, plainOf, readPickle } from '../../exchange/rollouts/pickle.ts';
import { readRollouts, stepsOf } from '../../exchange/rollouts/read-rollouts.ts';
import {
  agentgymFiles,
  agentTrajFiles,
  pickled,
  slimeFiles,
  verifiersFiles,
  verlFiles,
} from '../../exchange/rollouts/testing/files.ts';
import { joined, type Mutator, mutateBytes, oneIn } from './bytes.ts';
import { either, lines, protobuf, text } from './formats.ts';
import { json } from './json.ts';
import type { Reader } from './reader.ts';

const encoder = new TextEncoder();
const jsonLines = (...values: readonly object[]) =>
  encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

const words = [
  ...[
    'step',
    '_step',
    'data',
    'config',
    'training_iteration',
    'log_history',
    'time/total_timesteps',
  ],
  ...[
    'train/global_step',
    'actor/entropy',
    'critic/score/mean',
    'rollout/ep_rew_mean',
    'NaN',
    '-inf',
  ],
  ...['np.float64(1.5)', 'step:3 - ', ' - ', '__MIN', '"', ';', '\t', '#{"t_start": 1}', 'r,l,t'],
  ...["{'loss': 1}", '1e400', '-0', '9007199254740993', '(((((', '\u001b[36m'],
];
const cells = lines(text(words));

const scalars: readonly Scalar[] = [1, 2, 3].flatMap((step) => [
  { tag: 'actor/entropy', step, value: 0.5 },
  { tag: 'critic/score/mean', step, value: 1, as: 'content' as const },
  { tag: 'charts/episodic_return', step, value: 2, as: 'packed' as const },
]);

const events = () => [
  eventFile(scalars),
  Uint8Array.from([
    ...eventFile([]),
    ...hparamsEvent({ gamma: 0.9, name: 'x' }),
    ...textEvent('hyperparameters/text_summary', '|param|value|\n|-|-|\n|gamma|0.9|'),
    ...eventFile(scalars.slice(0, 2)),
  ]),
];

/** Event files whose records are mutated; lengths and checksums are corrected. */
const framed: Mutator = (bytes, random) => {
  if (oneIn(random, 4)) return mutateBytes(bytes, random);
  const inner = protobuf();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 16 <= bytes.length; ) {
    const length = view.getUint32(at, true);
    if (at + 16 + length > bytes.length) break;
    const data = bytes.subarray(at + 12, at + 12 + length);
    const changed = oneIn(random, 3) ? inner(data, random) : data;
    const head = new Uint8Array(12);
    const tail = new Uint8Array(4);
    new DataView(head.buffer).setUint32(0, changed.length, true);
    new DataView(head.buffer).setUint32(8, maskedCrc(head, 0, 8), true);
    new DataView(tail.buffer).setUint32(0, maskedCrc(changed), true);
    parts.push(head, changed, tail);
    at += 16 + length;
  }
  return joined(...parts);
};

/** W&B files, in the same way; a mutated record fits into one block. */
const blocks: Mutator = (bytes, random) => {
  if (oneIn(random, 4)) return mutateBytes(bytes, random);
  const inner = protobuf(json(words));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [bytes.subarray(0, 7)];
  for (let at = 7; at + 7 <= bytes.length; ) {
    const length = view.getUint16(at + 4, true);
    if (at + 7 + length > bytes.length) break;
    const data = bytes.subarray(at + 7, at + 7 + length);
    const changed = (oneIn(random, 3) ? inner(data, random) : data).subarray(0, 30_000);
    const whole = joined(new Uint8Array(6), Uint8Array.of(view.getUint8(at + 6)), changed);
    new DataView(whole.buffer).setUint16(4, changed.length, true);
    new DataView(whole.buffer).setUint32(0, crc32(whole, 6), true);
    parts.push(whole);
    at += 7 + length;
  }
  return joined(...parts);
};

const row = (n: number) => ({
  ...{ _step: n, 'train/global_step': 10 * n, 'train/reward': 0.5, 'train/entropy': 1 },
  learners: { default_policy: { entropy: 0.5 } },
  config: { gamma: 0.9, nested: { n_epochs: 4 } },
});

const parquet = () =>
  (['SNAPPY', 'UNCOMPRESSED'] as const).map(
    (codec) =>
      new Uint8Array(
        parquetWriteBuffer({
          codec,
          columnData: [
            { name: 'step', data: [1n, 2n, 3n], type: 'INT64' },
            { name: 'reward', data: [0.5, null, Number.NaN], type: 'DOUBLE' },
            { name: 'count', data: [1, 1, 1], type: 'INT32' },
          ],
        }),
      ),
  );

const console = [
  "{'algorithm': {'gamma': 1.0, 'adv_estimator': 'grpo'},\n",
  verlLine(1, { 'actor/entropy': '0.5', 'critic/score/mean': 'np.float64(0.25)' }),
  'INFO other output\n',
  verlLine(2, { 'actor/entropy': 'nan', 'critic/score/mean': '0.5' }),
].join('');

interface Format {
  readonly kind: FileKind;
  readonly path?: string;
  readonly seeds: () => readonly Uint8Array[];
  readonly mutate: Mutator;
}

const formats: readonly Format[] = [
  { kind: 'event', seeds: events, mutate: framed },
  {
    kind: 'wandb',
    seeds: () => [
      wandbFile([1, 2, 3].map((n) => wandbHistory(n, { 'a.b': n, c: { d: Number.NaN } }))),
    ],
    mutate: blocks,
  },
  { kind: 'parquet', seeds: parquet, mutate: mutateBytes },
  {
    kind: 'trainer-state',
    seeds: () => [
      encoder.encode(
        JSON.stringify({
          global_step: 20,
          log_history: [
            { step: 10, loss: 0.1, reward: 0.5, entropy: 1, epoch: 0.1 },
            { step: 20, eval_reward: 0.5 },
          ],
        }),
      ),
    ],
    mutate: json(words),
  },
  {
    kind: 'verl-lines',
    seeds: () => [
      jsonLines(
        { step: 1, data: { 'actor/entropy': 0.5, 'critic/score/mean': 0.5 } },
        { step: 2, data: { 'actor/entropy': null, 'critic/score/mean': 0.75 } },
      ),
    ],
    mutate: lines(json(words)),
  },
  {
    kind: 'object-lines',
    seeds: () => [jsonLines(row(1), row(2), row(3))],
    mutate: lines(json(words)),
  },
  {
    kind: 'object-list',
    seeds: () => [encoder.encode(JSON.stringify([row(1), row(2)]))],
    mutate: json(words),
  },
  { kind: 'verl-console', seeds: () => [encoder.encode(console)], mutate: cells },
  {
    kind: 'dict-console',
    seeds: () => [
      encoder.encode(
        "x\n{'loss': 0.5, 'reward': np.float64(0.5), 'a': [1, (2, None)], 'epoch': 0.1}\n{'eval_loss': nan, 'epoch': 0.1}\n",
      ),
    ],
    mutate: cells,
  },
  {
    kind: 'table-console',
    seeds: () => [
      encoder.encode(
        '----------\n| rollout/           |          |\n|    ep_rew_mean     | 22.5     |\n| time/              |          |\n|    total_timesteps | 2048     |\n----------\n',
      ),
    ],
    mutate: cells,
  },
  {
    kind: 'mlflow',
    path: 'mlruns/0/a/metrics/critic/score/mean',
    seeds: () => [encoder.encode('1700000000000 0.25 1\n1700000000001 nan 2\n')],
    mutate: cells,
  },
  {
    kind: 'monitor',
    seeds: () => [
      encoder.encode('#{"t_start": 100.0, "env_id": "x"}\nr,l,t\n1.0,10,1.0\n3.0,10,5.0\n'),
    ],
    mutate: cells,
  },
  {
    kind: 'chart-export',
    seeds: () => [
      encoder.encode(
        '"Step","a - b - reward","a - b - reward__MIN","a - b - reward__MAX"\n"0","1","0","2"\n"5","3","",""\n',
      ),
    ],
    mutate: cells,
  },
  {
    kind: 'csv',
    seeds: () => [
      encoder.encode(
        'train/approx_kl,rollout/ep_rew_mean,time/total_timesteps\r\n0.01,20,2048\r\n,"25",3000\r\n',
      ),
      encoder.encode(
        'step;critic/score/mean;critic/score/min;critic/score/max\n1;0.5;0;1\n2;NaN;0;1\n',
      ),
    ],
    mutate: cells,
  },
];

/** The data read from a run, small enough to inspect. */
async function read(kind: FileKind, path: string, bytes: Uint8Array): Promise<unknown> {
  const runs = await readGroup({ kind, files: [memoryFile(path, bytes)] }, () => {});
  return runs.map(({ series, evidence: { rows, evaluations, facts }, settings, notes }) => [
    series.map(({ key, metric, x }) => [key, metric, x.length]),
    ...[rows.slice(0, 10), evaluations.slice(0, 10), facts],
    ...[Object.fromEntries(settings), notes],
  ]);
}

/** The data read from an episode file, with the text of the first episode. */
async function readEpisodes(path: string, bytes: Uint8Array): Promise<unknown> {
  const rollouts = await readRollouts([memoryFile(path, bytes)]);
  const { tool, entries, notes } = rollouts;
  const [first] = entries;
  const text = first === undefined ? null : await rollouts.read(first.id);
  return [tool, notes, stepsOf(entries).slice(0, 10), entries.slice(0, 10), text];
}

const bytesOf = async (files: readonly LogFile[]) =>
  Promise.all(files.map((file) => file.read(0, file.size)));

const rolloutWords = [
  ...['nodes', 'parent', 'message', 'sampled', 'conversations', 'role', 'assistant', 'content'],
  ...['input', 'output', 'score', 'prompt', 'completion', 'response', 'reward', 'rewards', 'step'],
];

const rolloutReaders: readonly Reader[] = [
  {
    name: 'rollouts',
    refusals: [LogError],
    seeds: async () => [
      ...(await bytesOf(verifiersFiles())),
      ...(await bytesOf(verlFiles())),
      ...(await bytesOf(slimeFiles())),
    ],
    mutate: either(lines(json(rolloutWords)), mutateBytes),
    read: (bytes) => readEpisodes('1.jsonl', bytes),
  },
  {
    name: 'rollout-lists',
    refusals: [LogError],
    seeds: async () => [...(await bytesOf(agentgymFiles())), ...(await bytesOf(agentTrajFiles()))],
    mutate: either(json(rolloutWords), mutateBytes),
    read: (bytes) => readEpisodes('step1/0.json', bytes),
  },
  {
    name: 'rollout-pickle',
    refusals: [PickleError],
    seeds: () => [
      Uint8Array.from(pickled({ rollout_id: 1, samples: [{ prompt: 'a', response: 'b' }] })),
    ],
    mutate: mutateBytes,
    read: (bytes) => plainOf(readPickle(bytes)),
  },
];

export const logReaders: readonly Reader[] = [
  ...rolloutReaders,
  ...formats.map(
    ({ kind, path = 'a/log', seeds, mutate }): Reader => ({
      name: `log-${kind}`,
      refusals: [LogError],
      seeds,
      mutate,
      read: (bytes) => read(kind, path, bytes),
    }),
  ),
  {
    // Reads any log in the format that it detects.
    name: 'log-any',
    refusals: [LogError],
    seeds: () => formats.flatMap(({ seeds }) => seeds()),
    mutate: text(words),
    read: async (bytes) => {
      const { groups, others } = await recognizeAll([memoryFile('a/log', bytes)]);
      const [group] = groups;
      return group === undefined ? others : read(group.kind, 'a/log', bytes);
    },
  },
];
