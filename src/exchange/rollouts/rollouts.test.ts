import { zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import type { LogFile } from '../logs/source.ts';
import { memoryFile, textFile } from '../logs/source.ts';
import { type EpisodeFlag, endsInLoop, flagsOf } from './detectors.ts';
import type { RolloutEpisode } from './episode.ts';
import { PickleError, plainOf, readPickle } from './pickle.ts';
import { holdsRollouts, readRollouts, stepsOf } from './read-rollouts.ts';
import {
  agentgymFiles,
  agentTrajFiles,
  pickled,
  samples,
  slimeFiles,
  slimePickles,
  trlFiles,
  verifiersFiles,
  verlFiles,
} from './testing/files.ts';

const zip = (files: Readonly<Record<string, Uint8Array>>) => zipSync({ ...files }, { level: 0 });

const formats: readonly (readonly [string, readonly LogFile[], boolean])[] = [
  ['verl', verlFiles(), true],
  ['trl', trlFiles(), true],
  ['verifiers', verifiersFiles(), true],
  ['agentgym_rl', agentgymFiles(), true],
  ['agenttraj', agentTrajFiles(), false],
  ['slime', slimeFiles(), true],
  ['slime', slimePickles(zip), true],
];

describe('the episode reader', () => {
  it.each(formats)('reads files of %s', async (tool, files, steps) => {
    for (const file of files) expect(await holdsRollouts(file)).toBe(true);
    const rollouts = await readRollouts(files);
    expect(rollouts.tool).toBe(tool);
    expect(rollouts.notes).toEqual([]);
    expect(rollouts.entries.map(({ reward }) => reward)).toEqual(
      samples.map(({ reward }) => reward),
    );
    expect(rollouts.entries.map(({ step }) => step)).toEqual(
      samples.map(({ step }) => (steps ? step : null)),
    );
    const [first] = rollouts.entries;
    const episode = await rollouts.read(first?.id ?? -1);
    const sampled = episode.messages.filter((message) => message.sampled);
    expect(sampled.at(-1)?.text).toBe(samples[0]?.response);
    expect(sampled).toHaveLength(tool === 'verifiers' ? 2 : 1);
    expect(episode.messages.some(({ text }) => text === samples[0]?.prompt)).toBe(true);
    // Both episodes have the same task, except in formats that identify episodes rather than tasks.
    if (tool !== 'agenttraj' && tool !== 'agentgym_rl') {
      expect(rollouts.entries[0]?.task).toBe(rollouts.entries[1]?.task);
    }
  });

  it('reads verifiers’ log-probabilities and advantages from the conversation, not from a branch', async () => {
    const { read } = await readRollouts(verifiersFiles());
    const { messages, advantage, tokens, success } = await read(0);
    expect(messages.map(({ logProbability }) => logProbability)).toEqual([
      ...[undefined, undefined, -1, undefined, -0.25],
    ]);
    expect([advantage, tokens, success]).toEqual([0.5, 3, true]);
  });

  it('aggregates episodes by step and counts truncated ones', async () => {
    const { entries } = await readRollouts(verifiersFiles());
    expect(stepsOf(entries)).toMatchObject([
      { step: 1, episodes: 2, reward: 0.5, success: 0.5, flags: {} },
      { step: 2, episodes: 2, reward: 0.5, success: 0.5, flags: { truncated: 1 } },
    ]);
  });

  it('parses a pickle once for consecutive episodes', async () => {
    let reads = 0;
    const files = slimePickles(zip).map((file) => ({
      ...file,
      read: (from: number, to: number) => {
        reads++;
        return file.read(from, to);
      },
    }));
    const { read } = await readRollouts(files);
    reads = 0;
    const [first, second] = [await read(0), await read(1)];
    expect(first.messages).not.toEqual(second.messages);
    expect(reads).toBe(1);
  });

  it('maps the columns of a plain file', async () => {
    const rows = [
      { q: 'Why?', a: 'Because.', points: 0.5, it: 3 },
      { q: 'How?', a: 'So.', points: 1, it: 4 },
    ];
    const file = textFile('mine.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(await holdsRollouts(file)).toBe(false);
    await expect(readRollouts([file])).rejects.toThrow(/its rows have the fields q, a, points, it/);
    const mapping = { prompt: 'q', response: 'a', reward: 'points', step: 'it' };
    const { entries, tool } = await readRollouts([file], { mapping });
    expect(tool).toBe('plain');
    expect(entries.map(({ step, reward }) => [step, reward])).toEqual([
      [3, 0.5],
      [4, 1],
    ]);
  });

  it('reads the reward of rows with a prompt and a completion that TRL did not write', async () => {
    const row = { prompt: 'a', completion: 'b', reward: 0.5, success: true, id: 12 };
    const { tool, entries } = await readRollouts([textFile('a.jsonl', JSON.stringify(row))]);
    expect(tool).toBe('plain');
    expect(entries[0]).toMatchObject({ reward: 0.5, success: true, task: '12' });
    const trl = { ...row, advantage: 0.25 };
    const found = await readRollouts([textFile('b.jsonl', JSON.stringify(trl))]);
    expect(found.tool).toBe('trl');
    expect(found.entries[0]).toMatchObject({ reward: 0.5, advantage: 0.25 });
  });

  it('notes a damaged Parquet file among others', async () => {
    const [good] = trlFiles();
    if (good === undefined) throw new Error('no file');
    const bytes = await good.read(0, good.size);
    const footer = bytes.length - 8 - (bytes[bytes.length - 8] ?? 0);
    const noted: string[] = [];
    for (let at = footer; at < bytes.length - 8; at += 3) {
      const bad = memoryFile('bad.parquet', bytes.with(at, 0xff ^ (bytes[at] ?? 0)));
      await holdsRollouts(bad);
      const { entries, notes } = await readRollouts([bad, good]);
      expect(entries.length).toBeGreaterThanOrEqual(samples.length);
      noted.push(...notes);
    }
    expect(noted.join(' ')).toMatch(/bad\.parquet is not a readable Parquet file/);
  });

  it('reads 64-bit integers of Parquet files', async () => {
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: 'prompt', data: [[{ role: 'user', content: 'a', turn: 1 }]], type: 'JSON' },
        { name: 'completion', data: ['b'], type: 'STRING' },
        { name: 'step', data: [3n], type: 'INT64' },
        { name: 'reward', data: [2n], type: 'INT64' },
        { name: 'advantage', data: [1], type: 'DOUBLE' },
      ],
    });
    const { entries } = await readRollouts([memoryFile('a.parquet', new Uint8Array(buffer))]);
    expect(entries).toMatchObject([{ step: 3, reward: 2, advantage: 1 }]);
  });

  it('reports at most the bytes of a file with several row groups', async () => {
    const count = 500;
    const buffer = parquetWriteBuffer({
      columnData: ['prompt', 'completion'].map((name) => ({
        ...{ name, data: Array.from({ length: count }, (_, i) => `${name} ${i}`), type: 'STRING' },
      })),
      rowGroupSize: 100,
    });
    const file = memoryFile('a.parquet', new Uint8Array(buffer));
    let read = 0;
    await readRollouts([file], {
      onRead: (bytes) => {
        read += bytes;
      },
    });
    expect(Math.abs(read - file.size)).toBeLessThan(10);
  });

  it('does not mistake a log of metrics for episodes', async () => {
    const metrics = '{"step":1,"reward":0.5,"loss":0.1}\n{"step":2,"reward":0.6,"loss":0.1}\n';
    expect(await holdsRollouts(textFile('log.jsonl', metrics))).toBe(false);
    const verl = '{"step":1,"data":{"critic/score/mean":0.5}}\n';
    expect(await holdsRollouts(textFile('verl.jsonl', verl))).toBe(false);
  });

  it('reads a file the same way in pieces of any size', async () => {
    for (const [file] of [verifiersFiles(), agentgymFiles()]) {
      if (file === undefined) throw new Error('no file');
      const whole = await readRollouts([file]);
      for (const size of [1, 7, 64]) {
        // The start of the file, by which it is recognized, arrives as a whole.
        const slow = {
          ...file,
          read: (from: number, to: number) =>
            file.read(
              from,
              from === 0 && to === Math.min(file.size, 4096) ? to : Math.min(to, from + size),
            ),
        };
        const { entries } = await readRollouts([slow]);
        expect(entries).toEqual(whole.entries);
      }
    }
  });

  it.each(formats)(
    'reads the intact part of a truncated file of %s, or rejects it',
    async (_tool, files) => {
      const [file] = files;
      if (file === undefined) throw new Error('no file');
      const bytes = await file.read(0, file.size);
      const whole = (await readRollouts([file])).entries.map(({ reward }) => reward);
      let most = 0;
      for (let at = 0; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
        const cut = memoryFile(file.path, bytes.slice(0, at));
        const found = await readRollouts([cut]).catch((error: Error) => error);
        if (found instanceof Error) {
          expect(found.name).toBe('LogError');
          continue;
        }
        most = found.entries.length;
        expect(found.entries.map(({ reward }) => reward)).toEqual(whole.slice(0, most));
      }
      // The longest cut loses the last episode. Zip and Parquet files end with their directory.
      expect(most).toBe(/\.jsonl?$/.test(file.path) ? whole.length - 1 : 0);
    },
  );

  it('skips hostile rows without an episode and reads no reward from the others', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const rows = [
      `{"input":"a","output":"b","score":${'9'.repeat(400)},"step":1}`,
      `{"input":"a","output":"b","x":${deep}}`,
      '{"nodes":[{"parent":0},{"parent":-5},{"parent":99,"message":null}],"task":{}}',
      '{"nodes":[{"parent":1},{"parent":0}],"task":{},"rewards":{"a":null,"b":{"score":"NaN"}}}',
      '{"conversations":[null,1,{"role":"assistant","content":[[]]}],"item_id":[]}',
      '{"__proto__":{"input":"x"},"input":"a","output":"b"}',
      'null',
      '{"input":"a","output":"b","score":NaN}',
      '{"messages":[{"role":"assistant","content":[{"type":{"toString":1}}],"tool_calls":[{"name":{"toString":1}}]}]}',
    ];
    const { entries, notes } = await readRollouts([textFile('h.jsonl', `${rows.join('\n')}\n`)]);
    expect(entries.length).toBeGreaterThanOrEqual(5);
    expect(notes.join(' ')).toMatch(/rows without an episode are skipped \(2\)/);
    expect(entries.every(({ reward }) => reward === null)).toBe(true);
  });
});

describe('the pickle reader', () => {
  it('reads plain values', () => {
    const value = { a: [1, -2, 0.5, true, null], b: 'ü' };
    const read = readPickle(Uint8Array.from(pickled(value)));
    expect(read).toEqual(
      new Map<string, unknown>([
        ['a', value.a],
        ['b', 'ü'],
      ]),
    );
  });

  it('calls nothing and reads a class instance as null', () => {
    // Unpickled by Python, this would call os.system('echo').
    const bytes = [
      ...[0x80, 2, 0x63],
      ...new TextEncoder().encode('os\nsystem\n'),
      ...[0x58, 4, 0, 0, 0],
      ...new TextEncoder().encode('echo'),
      ...[0x85, 0x52, 0x2e],
    ];
    expect(readPickle(Uint8Array.from(bytes))).toBeNull();
  });

  it('limits the copies of shared values and of lists that contain themselves', () => {
    // Appends 200 references to the list of the level below to each list.
    const shared = [0x80, 2, 0x5d, 0x71, 0];
    for (let level = 1; level <= 10; level++) {
      shared.push(0x5d, 0x71, level, 0x28);
      for (let i = 0; i < 200; i++) shared.push(0x68, level - 1);
      shared.push(0x65);
    }
    const own = [0x80, 2, 0x5d, 0x71, 0, 0x28];
    for (let i = 0; i < 200; i++) own.push(0x68, 0);
    own.push(0x65);
    for (const codes of [shared, own]) {
      const bytes = Uint8Array.from([...codes, 0x2e]);
      expect(() => plainOf(readPickle(bytes), bytes.length)).toThrow(PickleError);
    }
    const twice = Uint8Array.of(0x80, 2, 0x5d, 0x28, 0x5d, 0x71, 0, 0x68, 0, 0x65, 0x2e);
    expect(plainOf(readPickle(twice), twice.length)).toEqual([[], []]);
  });

  it('rejects truncated pickles and unknown opcodes', () => {
    const bytes = Uint8Array.from(pickled({ a: ['text', 1.5] }));
    for (let at = 0; at < bytes.length; at++) {
      expect(() => readPickle(bytes.slice(0, at))).toThrow(PickleError);
    }
    expect(() => readPickle(Uint8Array.of(0x80, 2, 0xff))).toThrow(/code 255/);
  });
});

/** An episode with the given answers, each after the same observation. */
function episode(
  answers: readonly string[],
  more: Partial<RolloutEpisode> & { says?: string } = {},
) {
  const { says = 'You see a door.', ...fields } = more;
  const messages = answers.flatMap((text) => [
    { role: 'user' as const, text: says, sampled: false },
    { role: 'assistant' as const, text, sampled: true },
  ]);
  return {
    ...{ step: 1, task: null, messages, reward: 0, success: null, advantage: null },
    ...{ truncated: null, tokens: null, error: null, numbers: {} },
    ...fields,
  } satisfies RolloutEpisode;
}

const essay =
  'First I look at the map and note that the key lies in the north room. The door needs that key, so I walk there, pick it up and return. Then I open the door and reach the goal, which ends the episode with a full reward for this task.';
const rules =
  'You are in a house with four rooms. Each turn you may move north, south, east or west, pick up an object that lies in your room, or open a door for which you hold the key. Reply with one action only.';

const cases: readonly (readonly [EpisodeFlag | null, string, RolloutEpisode])[] = [
  [null, 'a sound answer', episode([essay])],
  [null, 'short actions', episode(['go north', 'take key', 'go south', 'open door'])],
  [
    null,
    'a list of similar lines',
    episode(['1. go north\n2. go north-east\n3. take key\n4. open the door']),
  ],
  [null, 'code in a fence', episode(['Here:\n```python\nprint(1)\n```\nDone.'])],
  [
    'repetition',
    'a repeated sentence',
    episode([`I open the door. ${'I go north and look around. '.repeat(20)}`]),
  ],
  ['repetition', 'a repeated letter', episode([`The answer is ${'a'.repeat(200)}`])],
  [
    'repetition',
    'the same action each turn',
    episode(['look', 'look', 'look', 'look', 'look', 'look']),
  ],
  ['truncated', 'an open tag', episode(['<think>I wonder whether the key'])],
  ['truncated', 'a flag of the file', episode([essay], { truncated: true })],
  [
    'format_error',
    'a complaint of the environment',
    episode(['fly', 'go north'], { says: 'Invalid action. Please try again.' }),
  ],
  [
    'format_error',
    'a complaint in British spelling',
    episode(['fly', 'go north'], { says: 'Unrecognised command.' }),
  ],
  ['format_error', 'a format reward of 0', episode([essay], { numbers: { format_reward: 0 } })],
  ['empty', 'nothing', episode([''])],
  ['empty', 'special tokens only', episode(['go north', ' <|im_end|>\n'])],
  ['copied_prompt', 'its prompt', episode([rules], { says: rules })],
];

describe('problem detection', () => {
  it.each(cases)('gives the flag %s for %s', (flag, _what, one) => {
    expect(flagsOf(one)).toEqual(flag === null ? [] : [flag]);
  });

  it('finds a high reward without success by comparison with other rewards', async () => {
    const rows = [
      ...[1, 1, 0.9].map((score) => ({ input: 'q', output: 'a b', score, acc: 1 })),
      ...[0, 0.1, 0.95].map((score) => ({ input: 'q', output: 'a c', score, acc: 0 })),
    ];
    const file = textFile('1.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const { entries } = await readRollouts([file]);
    const flagged = entries.filter(({ flags }) => flags.includes('reward_without_success'));
    expect(flagged.map(({ reward }) => reward)).toEqual([0.95]);
  });

  it('finds a loop at the end of a long answer', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(' ');
    expect(flagsOf(episode([`${words} ${'I go north. '.repeat(40)}`]))).toContain('repetition');
  });

  it.each([
    ['line breaks', '\n'.repeat(1_000_000)],
    ['carriage returns', '\r'.repeat(1_000_000)],
    ['tags closed at the end', `${'<think>'.repeat(300_000)}</think>`],
  ])('inspects a long answer of %s in linear time', (_what, text) => {
    expect(flagsOf(episode([`a${text}a`]))).not.toContain('truncated');
  });

  it('does not mistake a line of dashes for a loop', () => {
    expect(endsInLoop(`Table\n${'-'.repeat(300)}`)).toBe(false);
  });
});
