import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultObjective } from '../algorithms/objective.ts';
import type { Objective, TrainingBatch } from './types.ts';
import { updateTable } from './update-table.ts';

const objective: Objective = { ...defaultObjective, temperature: 1 };
const gspo: Objective = { ...objective, surrogate: 'gspo' };
const capacity = { updateRows: 60, valueHead: true };

/** A micro-batch of which only the loss rows matter. */
function batchOf(episodes: readonly number[], changed: Partial<TrainingBatch> = {}): TrainingBatch {
  const zeros = new Float32Array(episodes.length);
  return {
    tokens: new Uint32Array(1),
    sequenceStarts: Uint32Array.of(0, 1),
    rows: new Uint32Array(episodes.length),
    targets: new Uint32Array(episodes.length),
    behaviorLogps: zeros,
    advantages: zeros,
    weights: zeros,
    episodes: Uint32Array.from(episodes),
    ...changed,
  };
}

describe('the table of an update', () => {
  it('concatenates the rows of the micro-batches', () => {
    const first = batchOf([0, 0], {
      behaviorLogps: Float32Array.of(-1, -2),
      advantages: Float32Array.of(0.5, -0.5),
      weights: Float32Array.of(0.25, 0.75),
    });
    const second = batchOf([1], {
      behaviorLogps: Float32Array.of(-3),
      proximalLogps: Float32Array.of(-4),
      referenceLogps: Float32Array.of(-5),
      advantages: Float32Array.of(6),
      weights: Float32Array.of(7),
      oldValues: Float32Array.of(8),
      returns: Float32Array.of(9),
    });
    const table = updateTable('test', [first, batchOf([]), second], objective, capacity);
    expect(table.rows).toBe(3);
    expect(table.firsts).toEqual([0, 2, 2]);
    // Missing log-probabilities of the proximal and reference policies default to the behavior
    // policy's.
    expect(Array.from(table.inputs)).toEqual([
      ...[-1, -1, -1, 0.5, 0.25, 0, 0, 0],
      ...[-2, -2, -2, -0.5, 0.75, 0, 0, 0],
      ...[-3, -4, -5, 6, 7, 8, 9, 0],
    ]);
    expect(table).toMatchObject({ episodes: null, nonFinite: null });
  });

  it('lists the rows of episodes that span several micro-batches', () => {
    const batches = [batchOf([2, 0, 0]), batchOf([0, 2])];
    const { episodes } = updateTable('test', batches, gspo, capacity);
    // Episode 0 has rows 1, 2 and 3, episode 1 none, episode 2 rows 0 and 4. The empty fourth list
    // completes the second pair.
    expect(episodes).toEqual({
      count: 4,
      starts: Uint32Array.of(0, 3, 3, 5, 5),
      rows: Uint32Array.of(1, 2, 3, 0, 4),
    });
  });

  it('lists every row once, in order, under its episode', () => {
    const parts = fc.array(fc.array(fc.nat(9), { maxLength: 12 }), { maxLength: 5 });
    fc.assert(
      fc.property(parts, (parts) => {
        const { episodes } = updateTable(
          'test',
          parts.map((part) => batchOf(part)),
          gspo,
          capacity,
        );
        const episodeOf = parts.flat();
        const listed = Array.from({ length: episodes?.count ?? 0 }, (_, e) =>
          Array.from(episodes?.rows.subarray(episodes.starts[e], episodes.starts[e + 1]) ?? []),
        );
        listed.forEach((rows, e) => {
          const wanted = episodeOf.flatMap((episode, row) => (episode === e ? [row] : []));
          expect(rows).toEqual(wanted);
        });
        expect(listed.flat().length).toBe(episodeOf.length);
      }),
    );
  });

  it('reports a non-finite input, advantages before log-probabilities', () => {
    const cause = (changed: Partial<TrainingBatch>) =>
      updateTable('test', [batchOf([0]), batchOf([0], changed)], objective, capacity).nonFinite;
    expect(cause({})).toBeNull();
    expect(cause({ proximalLogps: Float32Array.of(-Infinity) })).toBe('log-probabilities');
    expect(cause({ oldValues: Float32Array.of(Number.NaN) })).toBe('advantages');
    const both = {
      returns: Float32Array.of(Infinity),
      behaviorLogps: Float32Array.of(Number.NaN),
    };
    expect(cause(both)).toBe('advantages');
  });
});
