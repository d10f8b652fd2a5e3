import { describe, expect, it } from 'vitest';
import { batchIndex } from './batch-index.ts';
import type { PolicyCapacity, TrainingBatch } from './types.ts';

const capacity: PolicyCapacity = {
  tokens: 20,
  rows: 10,
  lossRows: 10,
  updateRows: 10,
  episodes: 1,
  context: 1,
};

/** Three sequences of 3, 1 and 2 tokens; loss rows at tokens 0, 2, 2 of the first and 5 of the last. */
const batch: TrainingBatch = {
  tokens: Uint32Array.of(7, 8, 9, 7, 5, 6),
  sequenceStarts: Uint32Array.of(0, 3, 4, 6),
  rows: Uint32Array.of(0, 2, 2, 5),
  targets: Uint32Array.of(8, 1, 2, 3),
  behaviorLogps: new Float32Array(4),
  advantages: new Float32Array(4),
  weights: new Float32Array(4),
};

describe('the index of a micro-batch', () => {
  const index = batchIndex('test', batch, capacity, 10);

  it('shares a row of logits among the loss rows of one position', () => {
    expect([index.n, index.r, index.lossRows]).toEqual([6, 3, 4]);
    expect(Array.from(index.rows)).toEqual([0, 2, 5]);
    // The second row of logits, token 2, has the loss rows 1 and 2.
    expect(Array.from(index.lossStarts)).toEqual([0, 1, 3, 4]);
  });

  it('lets a token attend to its sequence up to itself', () => {
    expect(Array.from(index.positions)).toEqual([0, 1, 2, 0, 0, 1]);
    expect(Array.from(index.spans)).toEqual([0, 1, 0, 2, 0, 3, 3, 1, 4, 1, 4, 2]);
    expect(Array.from(index.rowPositions)).toEqual([0, 2, 1]);
    expect(Array.from(index.rowSpans)).toEqual([0, 1, 0, 3, 4, 2]);
  });

  it('lists the tokens that attend to a token: itself and later tokens of its sequence', () => {
    expect(Array.from(index.keySpans)).toEqual([0, 3, 1, 3, 2, 3, 3, 4, 4, 6, 5, 6]);
    // The rows of logits are tokens 0, 2 and 5. Rows 0 and 1 attend to token 0, row 1 to tokens 1 and
    // 2, no row to token 3, and row 2 to tokens 4 and 5.
    expect(Array.from(index.rowKeySpans)).toEqual([0, 2, 1, 2, 1, 2, 2, 2, 2, 3, 2, 3]);
  });

  it.each<{ what: string; changed: Partial<TrainingBatch>; why: RegExp }>([
    {
      what: 'tokens beyond the capacity',
      changed: { tokens: new Uint32Array(21) },
      why: /21 tokens, capacity for 20/,
    },
    {
      what: 'sequences that end early',
      changed: { sequenceStarts: Uint32Array.of(0, 3, 4) },
      why: /must end with 6/,
    },
    {
      what: 'sequences that descend',
      changed: { sequenceStarts: Uint32Array.of(0, 4, 3, 6) },
      why: /sequenceStarts must not descend/,
    },
    {
      what: 'a row behind the last token',
      changed: { rows: Uint32Array.of(0, 2, 2, 6) },
      why: /rows\[3\] is 6/,
    },
    {
      what: 'more loss rows than the capacity',
      changed: { rows: new Uint32Array(11), targets: new Uint32Array(11) },
      why: /11 loss rows, capacity for 10/,
    },
  ])('rejects $what', ({ changed, why }) => {
    expect(() => batchIndex('test', { ...batch, ...changed }, capacity, 10)).toThrow(why);
  });

  it('rejects more rows of logits than the capacity', () => {
    const narrow = { ...capacity, rows: 2 };
    expect(() => batchIndex('test', batch, narrow, 10)).toThrow(/3 rows of logits, capacity for 2/);
  });
});
