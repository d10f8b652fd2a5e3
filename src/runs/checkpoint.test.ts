import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { expectReadOrRefused } from '../testing/changed-bytes.ts';
import type { Checkpoint, KeptAgent, KeptTraining } from './checkpoint.ts';
import { CheckpointError, decodeCheckpoint, encodeCheckpoint, keptAgent } from './checkpoint.ts';
import { packData } from './packed-data.ts';
import { decodeSafeTensors, encodeSafeTensors, SafeTensorsError } from './safetensors.ts';
import { checkpointOf } from './testing/checkpoints.ts';

const agent: KeptAgent = {
  config: parseConfig({ seed: 7, policy: { width: 16 }, env: { id: 'maze/generated-v2' } }),
  vocabulary: ['<pad>', '<unk>', 'goal', '“é”'],
  bpe: { merges: [['“', 'é”']] },
  weights: new Map([
    ['embedding', { shape: [2, 3], values: Float32Array.of(1, -0, 3.5, 1e-40, 3e38, -2) }],
    ['final_norm', { shape: [2], values: Float32Array.of(0.1, 0.2) }],
  ]),
  iteration: 12,
  turns: 34567,
  tokens: 34570,
};
const training: KeptTraining = {
  firstMoments: new Map([['embedding', { shape: [1], values: Float32Array.of(1e-9) }]]),
  secondMoments: new Map([['embedding', { shape: [1], values: Float32Array.of(1e-18) }]]),
  optimizer: Float32Array.of(17, 0.5),
  reference: new Map([['embedding', { shape: [1], values: Float32Array.of(2) }]]),
  device: 'a table',
  version: 17,
};
const trainer = {
  logps: [-0.5, Math.fround(0.1), -0, Number.NaN, 1, 2, 3, 4],
  doubles: [0.1, 2, 3, 4, 5, 6, 7, 8],
  counts: [1, 2, 3, 4, 5, 6, 7, 70000],
  short: [-0, Number.NaN, 0.1],
  deck: ['maze_1', 'maze_2'],
  first: null,
  score: Number.NEGATIVE_INFINITY,
};
const checkpoint = checkpointOf(agent, training, trainer);
/** A checkpoint for playing only. */
const agentOnly = checkpointOf(agent);

/** Two students with different vocabularies, one of them with a reference. */
const couple: Checkpoint = {
  ...checkpoint,
  students: new Map([
    ...checkpoint.students,
    [
      'critic',
      {
        vocabulary: ['<pad>', 'wrong'],
        bpe: null,
        base: null,
        weights: new Map([['embedding', { shape: [1], values: Float32Array.of(3) }]]),
        training: { ...training, optimizer: Float32Array.of(4, 5), reference: null, version: 4 },
      },
    ],
  ]),
};

/** The agent in a file of an older format version; version 2 has a flat training state. */
function olderFile(version: '1' | '2'): Uint8Array {
  const { config, vocabulary, bpe, weights, iteration, turns, tokens } = agent;
  const metadata = new Map([
    ['palestra_checkpoint', version],
    ['config', JSON.stringify(config)],
    ['vocabulary', JSON.stringify(vocabulary)],
    ['bpe', JSON.stringify(bpe)],
    ...Object.entries({ iteration, turns, tokens }).map(([k, n]) => [k, String(n)] as const),
  ]);
  if (version === '1') return encodeSafeTensors({ tensors: weights, metadata });
  metadata.set('version', '17').set('reference', 'kept').set('device', 'a table');
  const named = (prefix: string, tensors: KeptTraining['firstMoments']) =>
    [...tensors].map(([name, tensor]) => [`${prefix}:${name}`, tensor] as const);
  const tensors = new Map([
    ...weights,
    ...named('first_moment', training.firstMoments),
    ...named('second_moment', training.secondMoments),
    ...named('reference', training.reference ?? new Map()),
    ['training:optimizer', { shape: [2], values: training.optimizer }],
  ]);
  const flat = { iteration: 12, updates: 17, skipped: { count: 0, first: null }, replay: [1] };
  const unfinished = { paused: [2], finished: [3], deck: { owed: [0], cards: [[]] } };
  const bytes = new Map([['training:trainer', packData({ ...flat, ...unfinished, seconds: 2 })]]);
  return encodeSafeTensors({ tensors, bytes, metadata });
}

/** The checkpoint's file with its header edited as text. */
function withHeader(change: (header: string) => string, of = agentOnly): Uint8Array {
  const bytes = encodeCheckpoint(of);
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header = change(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  const encoded = new TextEncoder().encode(header);
  const changed = new Uint8Array(8 + encoded.length + bytes.length - 8 - length);
  new DataView(changed.buffer).setBigUint64(0, BigInt(encoded.length), true);
  changed.set(encoded, 8);
  changed.set(bytes.subarray(8 + length), 8 + encoded.length);
  return changed;
}

/** The error message for invalid bytes. */
function refusal(bytes: Uint8Array): string {
  try {
    decodeCheckpoint(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(CheckpointError);
    return error instanceof Error ? error.message : '';
  }
  throw new Error('the checkpoint was accepted');
}

describe('a checkpoint', () => {
  it('round-trips bit for bit', () => {
    expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toEqual({ ...checkpoint, notes: [] });
    const bits = (values: ArrayLike<number>) => new Uint32Array(Float32Array.from(values).buffer);
    const copy = keptAgent(decodeCheckpoint(encodeCheckpoint(checkpoint)));
    expect(bits(copy.weights.get('embedding')?.values ?? [])).toEqual(
      bits(agent.weights.get('embedding')?.values ?? []),
    );
  });

  it('keeps non-finite optimizer values, such as the norm of a skipped update', () => {
    const skipped = { ...training, optimizer: Float32Array.of(17, Number.NaN) };
    const kept = checkpointOf(agent, skipped, trainer);
    expect(decodeCheckpoint(encodeCheckpoint(kept))).toEqual({ ...kept, notes: [] });
  });

  it.each(['weights', 'firstMoments', 'secondMoments', 'reference'] as const)(
    'is rejected for non-finite values in its %s',
    (part) => {
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
        const broken = new Map([
          ['embedding', { shape: [2, 3], values: Float32Array.of(0, 0, 0, 0, 0, value) }],
        ]);
        const file = encodeCheckpoint(
          part === 'weights'
            ? checkpointOf({ ...agent, weights: broken })
            : checkpointOf(agent, { ...training, [part]: broken }, trainer),
        );
        expect(refusal(file)).toBe(
          'This checkpoint cannot be used: its weights embedding contain NaN or infinity; use a checkpoint from before the run diverged.',
        );
      }
    },
  );

  it('stores students by role, starting with the agent that is exported', () => {
    const read = decodeCheckpoint(encodeCheckpoint(couple));
    expect(read).toEqual({ ...couple, notes: [] });
    expect([...read.students.keys()]).toEqual(['agent', 'critic']);
    expect(keptAgent(read)).toEqual(agent);
  });

  it('follows the safetensors layout', () => {
    const bytes = encodeCheckpoint(agentOnly);
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    expect(header['agent/embedding']).toEqual({
      dtype: 'F32',
      shape: [2, 3],
      data_offsets: [0, 24],
    });
    expect(header['agent/final_norm']).toEqual({
      dtype: 'F32',
      shape: [2],
      data_offsets: [24, 32],
    });
    expect(Object.values(header.__metadata__).every((text) => typeof text === 'string')).toBe(true);
    expect(bytes.length).toBe(8 + length + 32);
    expect(new DataView(bytes.buffer).getFloat32(8 + length, true)).toBe(1);
  });

  it('can be read at any offset of a larger buffer', () => {
    const bytes = encodeCheckpoint(checkpoint);
    const larger = new Uint8Array(bytes.length + 9);
    larger.set(bytes, 3);
    expect(decodeCheckpoint(larger.subarray(3, 3 + bytes.length))).toEqual({
      ...checkpoint,
      notes: [],
    });
    expect(decodeCheckpoint(Buffer.from(bytes))).toEqual({ ...checkpoint, notes: [] });
  });

  it.each<[RegExp, Uint8Array]>([
    [/too short/, new Uint8Array(3)],
    [/header length, 18446744073709551615 bytes, is invalid/, new Uint8Array(64).fill(255)],
    [/cut off within its header/, encodeCheckpoint(checkpoint).subarray(0, 100)],
    [/cut off within the tensor "agent\/final_norm"/, encodeCheckpoint(agentOnly).slice(0, -1)],
    [/bytes that belong to no tensor/, Uint8Array.of(...encodeCheckpoint(agentOnly), 0)],
    [/header is not JSON/, withHeader((header) => header.slice(1))],
    [/header is not an object/, withHeader(() => '[]')],
    [/not one that Palestra wrote/, withHeader((h) => h.replace('palestra_c', 'other_c'))],
    [
      /format version is "4", but this version of Palestra reads formats up to 3/,
      withHeader((h) => h.replace('palestra_checkpoint":"3"', 'palestra_checkpoint":"4"')),
    ],
    [
      /part of its training state is missing/,
      withHeader((h) => h.replace('training:optimizer', 'other:optimizer'), checkpoint),
    ],
    [
      /part of its training state is missing/,
      withHeader((h) => h.replace('training:trainer', 'training:another'), checkpoint),
    ],
    [
      /part of its training state is missing/,
      withHeader((h) => h.replace('critic/training:optimizer', 'critic/other'), couple),
    ],
    [
      /1 to 8 students with different roles/,
      withHeader((h) => h.replace('"students":"agent"', '"students":""')),
    ],
    [
      /1 to 8 students with different roles/,
      withHeader((h) => h.replace('agent critic', 'agent agent'), couple),
    ],
    [
      /its critic\/vocabulary is missing/,
      withHeader((h) => h.replace('"agent"', '"agent critic"')),
    ],
    [
      /the tensor "critic\/embedding" belongs to none of its students/,
      withHeader((h) => h.replace('agent/embedding', 'critic/embedding')),
    ],
    [/its agent\/version must be/, withHeader((h) => h.replace('"17"', '"-17"'), checkpoint)],
    [/"agent\/embedding" does not contain floats/, withHeader((h) => h.replace('F32', 'I32'))],
    [/the shape does not fit the bytes/, withHeader((h) => h.replace('F32', 'F16'))],
    [/shape does not fit the bytes/, withHeader((h) => h.replace('[2,3]', '[2,4]'))],
    [/missing or invalid shape/, withHeader((h) => h.replace('[2,3]', '[-2,-3]'))],
    [/missing or invalid data_offsets/, withHeader((h) => h.replace('[0,24]', '[0]'))],
    [/"agent\/final_norm" overlap/, withHeader((h) => h.replace('[24,32]', '[16,24]'))],
    [/config is missing/, withHeader((h) => h.replace('"config"', '"setting"'))],
    [/vocabulary is missing/, withHeader((h) => h.replace('agent/vocabulary', 'agent/words'))],
    [/list of distinct strings/, withHeader((h) => h.replace('<unk>', '<pad>'))],
    [/iteration must be a whole number, got "-12"/, withHeader((h) => h.replace('"12"', '"-12"'))],
  ])('is rejected with a one-sentence message: %s', (message, bytes) => {
    const said = refusal(bytes);
    expect(said).toMatch(message);
    expect(said).toMatch(/^This checkpoint cannot be used: [^\n]*\.$/);
  });

  it.each([
    [
      withHeader((h) => h.replace('\\"seed\\":7', '\\"seed\\":-7')),
      { ...agent.config, seed: 0 },
      /^seed was -7 in the checkpoint; the minimum is 0, so 0 is used\.$/,
    ],
    [
      withHeader((h) => h.replace('maze/generated-v2', 'maze/other')),
      { ...agent.config, env: parseConfig({}).env },
      /^env\.id was “maze\/other” in the checkpoint, but must be one of .*; maze\/double-t-v1 is used\.$/,
    ],
    [
      withHeader((h) => h.replace('\\"seed\\":7', '\\"sead\\":7')),
      { ...agent.config, seed: 1 },
      /^“sead” is not a setting, so it is ignored\.$/,
    ],
  ])('is read with unsupported settings replaced or ignored: %#', (file, config, note) => {
    const read = decodeCheckpoint(file);
    expect(read.config).toEqual(config);
    expect(read.notes).toEqual([expect.stringMatching(note)]);
    expect(keptAgent(read).weights).toEqual(agent.weights);
  });

  it('has no training state if its file has version 1', () => {
    expect(decodeCheckpoint(olderFile('1'))).toEqual({ ...agentOnly, notes: [] });
  });

  it('is read from files of version 2, whose only student has no role', () => {
    const read = decodeCheckpoint(olderFile('2'));
    expect({ ...read, trainer: null }).toEqual({ ...checkpoint, trainer: null, notes: [] });
    expect(read.trainer).toEqual({
      iteration: 12,
      seconds: 2,
      students: { agent: { updates: 17, skipped: { count: 0, first: null } } },
      recipe: { replay: [1], paused: [2], finished: [3], deck: { owed: [0], cards: [[]] } },
    });
  });

  it('is rejected when truncated at any byte', () => {
    const bytes = encodeCheckpoint(checkpoint);
    for (let length = 0; length < bytes.length; length++) refusal(bytes.subarray(0, length));
  });

  it('is either read or rejected with a CheckpointError if bytes are changed', () => {
    const bytes = encodeCheckpoint(checkpoint);
    expectReadOrRefused(bytes, decodeCheckpoint, CheckpointError);
  });
});

describe('safetensors', () => {
  const tensor = fc.array(fc.nat(3), { maxLength: 3 }).chain((shape) => {
    const length = shape.reduce((product, size) => product * size, 1);
    const floats = fc.float32Array({ minLength: length, maxLength: length });
    return floats.map((values) => ({ shape, values }));
  });

  it('restores every name, shape, number and text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), tensor)),
        fc.array(fc.tuple(fc.string(), fc.uint8Array())),
        fc.array(fc.tuple(fc.string(), fc.string())),
        (tensors, lists, metadata) => {
          const names = new Set(['__metadata__', ...lists.map(([name]) => name)]);
          const file = {
            tensors: new Map(tensors.filter(([name]) => !names.has(name))),
            bytes: new Map(lists.filter(([name]) => name !== '__metadata__')),
            metadata: new Map(metadata),
          };
          expect(decodeSafeTensors(encodeSafeTensors(file))).toEqual(file);
        },
      ),
    );
  });

  it('reads a file without metadata', () => {
    const header = '{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}';
    const bytes = new Uint8Array(8 + header.length + 4);
    bytes[0] = header.length;
    bytes.set(new TextEncoder().encode(header), 8);
    const { tensors, metadata } = decodeSafeTensors(bytes);
    expect(tensors.get('a')).toEqual({ shape: [], values: Float32Array.of(0) });
    expect(metadata.size).toBe(0);
  });

  it('reads 16-bit floats exactly', () => {
    const file = (dtype: string, ...bits: number[]) => {
      const header = `{"a":{"dtype":"${dtype}","shape":[${bits.length}],"data_offsets":[0,${2 * bits.length}]}}`;
      const bytes = new Uint8Array(8 + header.length + 2 * bits.length);
      const view = new DataView(bytes.buffer);
      view.setBigUint64(0, BigInt(header.length), true);
      bytes.set(new TextEncoder().encode(header), 8);
      for (const [i, b] of bits.entries()) view.setUint16(8 + header.length + 2 * i, b, true);
      return decodeSafeTensors(bytes).tensors.get('a')?.values;
    };
    expect(file('F16', 0x3c00, 0xc000, 0x3555, 0x0001, 0x7bff, 0x7c00, 0x8000, 0x7e00)).toEqual(
      Float32Array.of(1, -2, 1365 / 4096, 2 ** -24, 65504, Infinity, -0, NaN),
    );
    expect(file('BF16', 0x3f80, 0xc040, 0x0001, 0xff80)).toEqual(
      Float32Array.of(1, -3, 2 ** -133, -Infinity),
    );
  });

  it('rejects overlapping tensors', () => {
    const header =
      '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}';
    const bytes = new Uint8Array(8 + header.length + 4);
    bytes[0] = header.length;
    bytes.set(new TextEncoder().encode(header), 8);
    expect(() => decodeSafeTensors(bytes)).toThrow(SafeTensorsError);
  });
});
