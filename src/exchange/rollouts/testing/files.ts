/** Episode files for tests, with keys and layouts from the writers' code. */

import { parquetWriteBuffer } from 'hyparquet-writer';
import { type LogFile, memoryFile, textFile } from '../../logs/source.ts';

export interface Sample {
  readonly step: number;
  readonly prompt: string;
  readonly response: string;
  readonly reward: number;
  readonly truncated?: boolean;
}

export const samples: readonly Sample[] = [
  { step: 1, prompt: 'What is 2 + 3?', response: '<think>Add them.</think> 5', reward: 1 },
  { step: 1, prompt: 'What is 2 + 3?', response: 'It is 6.', reward: 0 },
  { step: 2, prompt: 'What is 4 + 4?', response: 'It is 8.', reward: 1 },
  { step: 2, prompt: 'What is 4 + 4?', response: 'Let me think about', reward: 0, truncated: true },
];

const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const stepsIn = (all: readonly Sample[]) => [...new Set(all.map(({ step }) => step))];

/** verl: `<rollout_data_dir>/<step>.jsonl`. */
export function verlFiles(all: readonly Sample[] = samples): readonly LogFile[] {
  return stepsIn(all).map((step) => {
    const rows = all
      .filter((one) => one.step === step)
      .map(({ prompt, response, reward }) => ({
        ...{ input: prompt, output: response, gts: '5', score: reward, step, acc: reward === 1 },
      }));
    return textFile(`rollouts/${step}.jsonl`, lines(rows));
  });
}

/** TRL: `completions/completions_00010.parquet`. */
export function trlFiles(all: readonly Sample[] = samples): readonly LogFile[] {
  const buffer = parquetWriteBuffer({
    columnData: [
      { name: 'step', data: all.map(({ step }) => String(step)), type: 'STRING' },
      { name: 'prompt', data: all.map(({ prompt }) => prompt), type: 'STRING' },
      { name: 'completion', data: all.map(({ response }) => response), type: 'STRING' },
      { name: 'accuracy_reward', data: all.map(({ reward }) => reward), type: 'DOUBLE' },
      { name: 'advantage', data: all.map(({ reward }) => reward - 0.5), type: 'DOUBLE' },
    ],
  });
  return [memoryFile('completions/completions_00010.parquet', new Uint8Array(buffer))];
}

/** verifiers: `outputs/…/traces.jsonl`, a graph of messages with tokens. */
export function verifiersFiles(all: readonly Sample[] = samples): readonly LogFile[] {
  const given = (parent: number | null, role: string, content: unknown) => ({
    ...{ parent, message: { role, content }, sampled: false },
    ...{ token_ids: [1], mask: [false], logprobs: [] },
  });
  const rows = all.map(({ step, prompt, response, reward, truncated = false }, i) => ({
    ...{ version: 1, id: `t${i}`, info: { step } },
    stop_condition: truncated ? 'max_tokens' : 'done',
    task: { type: 'Sums', data: { question: prompt }, key: prompt, hash: 'h' },
    nodes: [
      given(null, 'system', 'Add.'),
      given(0, 'user', [{ type: 'text', text: prompt }]),
      // An abandoned branch, such as a retry.
      { ...given(1, 'assistant', 'no'), sampled: true, mask: [true], logprobs: [-9] },
      {
        ...given(1, 'assistant', 'wait'),
        ...{ sampled: true, token_ids: [4, 5], mask: [true, true], logprobs: [-0.5, -1.5] },
        advantages: [reward - 0.5, reward - 0.5],
      },
      given(3, 'user', 'go on'),
      {
        ...given(4, 'assistant', response),
        ...{ sampled: true, mask: [true], logprobs: [-0.25] },
        finish_reason: truncated ? 'length' : 'stop',
      },
    ],
    rewards: { correct: { score: reward, weight: 1 }, style: { score: 0.5, weight: 0 } },
    ...{ metrics: { solved: reward }, errors: [] },
  }));
  return [textFile('outputs/sums--m--h/u/traces.jsonl', lines(rows))];
}

/** AgentGym-RL: `step{N}/{rank}.json`, a list. */
export function agentgymFiles(all: readonly Sample[] = samples): readonly LogFile[] {
  return stepsIn(all).map((step) => {
    const items = all
      .filter((one) => one.step === step)
      .map(({ prompt, response, reward }, i) => ({
        item_id: i,
        conversations: [
          { role: 'user', content: 'You add numbers.' },
          { role: 'assistant', content: "OK. I'll follow your instructions." },
          { role: 'user', content: prompt },
          { role: 'assistant', content: response },
        ],
        reward,
      }));
    return textFile(`log/step${step}/0.json`, JSON.stringify(items, null, 2));
  });
}

/** AgentTraj, whose messages state whether they are trained on. */
export function agentTrajFiles(all: readonly Sample[] = samples): readonly LogFile[] {
  const items = all.map(({ prompt, response, reward }, i) => ({
    item_id: `sums_${i}`,
    conversations: [
      { from: 'human', loss: null, value: 'You add numbers.' },
      { from: 'gpt', loss: false, value: 'OK.' },
      { from: 'human', loss: null, value: prompt },
      { from: 'gpt', loss: true, value: response },
    ],
    reward,
  }));
  return [textFile('sums_train.json', JSON.stringify(items))];
}

const slimeSamples = (all: readonly Sample[]) =>
  all.map(({ prompt, response, reward, truncated = false }, i) => ({
    ...{ group_index: Math.floor(i / 2), index: i, prompt, response },
    ...{ response_length: response.length, label: '5', reward: { score: reward, acc: reward } },
    ...{ rollout_log_probs: [-0.5, -0.25], status: truncated ? 'truncated' : 'completed' },
  }));

/** slime: samples as JSON lines, as scripts dump them. */
export function slimeFiles(all: readonly Sample[] = samples): readonly LogFile[] {
  const rows = slimeSamples(all).map((sample, i) => ({ rollout_id: all[i]?.step, ...sample }));
  return [textFile('debug/samples.jsonl', lines(rows))];
}

/** slime: `--save-debug-rollout-data`, one torch.save file per rollout. */
export function slimePickles(
  zip: (files: Readonly<Record<string, Uint8Array>>) => Uint8Array,
  all: readonly Sample[] = samples,
): readonly LogFile[] {
  return stepsIn(all).map((step) => {
    const samples = slimeSamples(all.filter((one) => one.step === step));
    const pickle = Uint8Array.from(pickled({ rollout_id: step, samples }));
    const files = { 'archive/data.pkl': pickle, 'archive/version': Uint8Array.of(51, 10) };
    return memoryFile(`debug/rollout_data_${step}.pt`, zip(files));
  });
}

/** A pickle of protocol 2, of plain values only. */
export function pickled(value: unknown): number[] {
  const bytes: number[] = [0x80, 2];
  const word = (number: number) => [0, 8, 16, 24].map((shift) => (number >>> shift) & 255);
  const write = (one: unknown): void => {
    if (one === null) bytes.push(0x4e);
    else if (typeof one === 'boolean') bytes.push(one ? 0x88 : 0x89);
    else if (typeof one === 'number' && Number.isInteger(one)) bytes.push(0x4a, ...word(one));
    else if (typeof one === 'number') {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, one);
      bytes.push(0x47, ...new Uint8Array(view.buffer));
    } else if (typeof one === 'string') {
      const text = new TextEncoder().encode(one);
      bytes.push(0x58, ...word(text.length), ...text);
    } else if (Array.isArray(one)) {
      bytes.push(0x5d, 0x28);
      for (const part of one) write(part);
      bytes.push(0x65);
    } else {
      bytes.push(0x7d, 0x28);
      for (const [key, part] of Object.entries(Object(one))) {
        write(key);
        write(part);
      }
      bytes.push(0x75);
    }
  };
  write(value);
  bytes.push(0x2e);
  return bytes;
}
