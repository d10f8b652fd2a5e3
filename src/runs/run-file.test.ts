import fc from 'fast-check';
import { unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import { encodeCheckpoint } from './checkpoint.ts';
import { packData } from './packed-data.ts';
import type { KeptRun } from './record.ts';
import type { Row } from './row.ts';
import { decodeRunFile, encodeRunFile, RunFileError } from './run-file.ts';
import { checkpointOf } from './testing/checkpoints.ts';
import { update } from './testing/rows.ts';

const config = presetConfig('maze');
const rows: readonly Row[] = [1, 2, 3].map((iteration) => ({
  iteration,
  metrics: { iteration, 'rollout/success_rate': 0.1 * iteration },
  details: {
    updates: [
      update({
        ...{ update: iteration, loss: 0.5, positiveShare: Number.NaN },
        ...{ negativeCounts: [0, 0, 0], negativePull: [0, 0, 0] },
      }),
    ],
    staleness: [[0, 12]],
  },
  milliseconds: 7,
  ...(iteration === 2 ? { evaluation: { metrics: { 'eval/score': 1 } } } : {}),
}));
const agent = {
  config,
  vocabulary: ['<pad>', '<unk>'],
  bpe: null,
  weights: new Map([['w', { shape: [2], values: Float32Array.of(1, 2) }]]),
  iteration: 3,
  turns: 5,
  tokens: 6,
};
const training = {
  firstMoments: new Map(),
  secondMoments: new Map(),
  optimizer: Float32Array.of(1),
  reference: null,
  device: null,
  version: 3,
};
const checkpoint = encodeCheckpoint(checkpointOf(agent, training, {}));
const run: KeptRun = {
  entry: {
    id: 'a',
    name: 'A maze, seed 1',
    preset: 'maze',
    config,
    created: 5,
    updated: 6,
    status: 'paused',
    adapter: 'by hand',
    iterations: 3,
    success: 0.3,
    pinned: true,
    tags: ['x'],
    notes: 'y',
  },
  rows,
  shown: { latest: null, success: null, failure: null, evaluation: null },
};

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** The run's file with other rows. */
const withRows = (other: unknown) =>
  zipSync({ ...unzipSync(encodeRunFile(run, checkpoint)), 'rows.bin': packData(other) });

function refusal(bytes: Uint8Array): string {
  try {
    decodeRunFile(bytes);
  } catch (error) {
    expect(['RunFileError', 'CheckpointError']).toContain(error instanceof Error ? error.name : '');
    return String(error);
  }
  throw new Error('the file was accepted');
}

describe('a run file', () => {
  it('restores the labels, every row and the checkpoint bit for bit', () => {
    const read = decodeRunFile(encodeRunFile(run, checkpoint));
    expect(read.rows).toEqual(rows);
    expect(read.checkpoint).toEqual(checkpoint);
    const { id: _, updated: __, iterations: ___, success: ____, ...kept } = run.entry;
    expect(read.entry).toEqual({ id: '', ...kept });
  });

  it('contains the rows up to its checkpoint and no later ones', () => {
    const later = { ...run, rows: [...rows, { ...(rows[2] as Row), iteration: 4 }] };
    expect(decodeRunFile(encodeRunFile(later, checkpoint)).rows).toHaveLength(3);
  });

  it('is rejected with a one-sentence message if it is invalid', () => {
    expect(refusal(new Uint8Array(100))).toMatch(/not a zip file/);
    expect(refusal(zipSync({ 'other.txt': text('x') }))).toMatch(/run\.json is missing/);
    expect(refusal(zipSync({ 'run.json': text({ palestra_run: 9 }) }))).toMatch(
      /in its run\.json, palestra_run/,
    );
    expect(refusal(withRows(rows.slice(1)))).toMatch(/do not match the 3 iterations/);
    const odd = [{ ...rows[0], metrics: { bad: 1 } }];
    expect(refusal(withRows(odd))).toMatch(/rows\.bin, 0/);
  });

  it('is not written if a row of its checkpoint is missing', () => {
    for (const fewer of [rows.slice(1), rows.slice(0, 2)]) {
      expect(() => encodeRunFile({ ...run, rows: fewer }, checkpoint)).toThrow(
        'This run cannot be exported: its rows do not match the 3 iterations of its checkpoint.',
      );
    }
  });

  it('is read, or rejected with a RunFileError or CheckpointError, after mutation or truncation', () => {
    const bytes = encodeRunFile(run, checkpoint);
    const changes = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 });
    fc.assert(
      fc.property(changes, fc.nat(bytes.length), (list, length) => {
        const changed = bytes.slice();
        for (const [at, byte] of list) changed[at] = byte;
        const cut = list.length % 2 === 0 ? changed : changed.subarray(0, length);
        try {
          expect(decodeRunFile(cut).rows.length).toBeGreaterThan(0);
        } catch (error) {
          const name = error instanceof Error ? error.name : '';
          expect(['RunFileError', 'CheckpointError']).toContain(name);
          expect(error instanceof RunFileError || name === 'CheckpointError').toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
