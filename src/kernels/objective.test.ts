import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ppoClipReference } from '../algorithms/ppo-clip.ts';
import type { Gpu } from '../gpu/index.ts';
import { openNodeGpu } from '../gpu/node.ts';
import { ppoClip, statColumns } from './objective.ts';
import { runAndRead, upload } from './testing.ts';

let gpu: Gpu;
beforeAll(async () => {
  gpu = await openNodeGpu();
});
afterEach(() => gpu.check());
afterAll(() => gpu?.close());

interface Row {
  readonly target: number;
  readonly behaviourLogp: number;
  readonly advantage: number;
  readonly weight?: number;
}

const settings = { clipLow: 0.8, clipHigh: 1.2, entropyCoef: 0, temperature: 1 };

/** Rows of logits, each with its loss rows, through the kernel. */
async function objective(
  logits: readonly (readonly number[])[],
  rowsOf: readonly (readonly Row[])[],
  changed: Partial<typeof settings> = {},
  vocabulary = logits[0]?.length ?? 0,
) {
  const stride = logits[0]?.length ?? 0;
  const lossRows = rowsOf.flat();
  const starts = [0];
  for (const rows of rowsOf) starts.push((starts.at(-1) ?? 0) + rows.length);
  const tensors = upload(gpu, {
    logits: Float32Array.from(logits.flat()),
    starts: Uint32Array.from(starts),
    targets: Uint32Array.from(lossRows, ({ target }) => target),
    scalars: Float32Array.from(
      lossRows.flatMap(({ behaviourLogp, advantage, weight = 1 }) => [
        behaviourLogp,
        advantage,
        weight,
      ]),
    ),
    dlogits: new Float32Array(logits.length * stride).fill(Number.NaN),
    stats: new Float32Array(lossRows.length * statColumns.length).fill(Number.NaN),
    totals: new Float32Array(statColumns.length),
  });
  const { dlogits, stats, totals } = await runAndRead(gpu, tensors, (recorder) =>
    ppoClip(
      recorder,
      tensors,
      { rows: logits.length, lossRows: lossRows.length, vocabulary, stride },
      { ...settings, ...changed },
    ),
  );
  const named = (values: Float32Array, from: number) =>
    Object.fromEntries(statColumns.map((name, i) => [name, values[from + i]]));
  return {
    dlogits,
    stats: lossRows.map((_, i) => named(stats, i * statColumns.length)),
    totals: named(totals, 0),
  };
}

describe('the clipped surrogate at its edges', () => {
  // Ratio exactly 1: the behaviour log-probability is the one that the kernel itself computes.
  const logits = [[0.3, -0.2, 0.9]];
  const logpOf = async (target: number) => {
    const { stats } = await objective(logits, [[{ target, behaviourLogp: 0, advantage: 0 }]]);
    const logp = stats[0]?.logp;
    if (logp === undefined) throw new Error('no statistics');
    return logp;
  };

  it.each([1, -1])('keeps the gradient at a ratio exactly on the bound, A = %d', async (A) => {
    const behaviourLogp = await logpOf(2);
    const row = { target: 2, behaviourLogp, advantage: A };
    for (const bounds of [
      { clipLow: 1, clipHigh: 1.2 },
      { clipLow: 0.8, clipHigh: 1 },
      { clipLow: 1, clipHigh: 1 },
    ]) {
      const { dlogits, stats } = await objective(logits, [[row]], bounds);
      expect(stats[0]).toMatchObject({ ratio: 1, clippedLow: 0, clippedHigh: 0 });
      expect(stats[0]?.approxKl).toBe(0);
      const expected = ppoClipReference({
        ...settings,
        ...bounds,
        logits: logits.flat(),
        targets: [2],
        behaviourLogps: [ppoReferenceLogp(logits.flat(), 2)],
        advantages: [A],
        weights: [1],
      });
      expected.dlogits.forEach((d, v) => {
        expect(dlogits[v]).toBeCloseTo(d, 5);
        expect(Math.abs(d)).toBeGreaterThan(0.1);
      });
    }
  });

  it('takes the gradient just past the bound, on the advantage’s side only', async () => {
    const behaviourLogp = await logpOf(2);
    const past = (shift: number, advantage: number) =>
      objective(logits, [[{ target: 2, behaviourLogp: behaviourLogp - shift, advantage }]], {
        clipLow: 1,
        clipHigh: 1,
      });
    const largest = ({ dlogits }: { dlogits: Float32Array }) =>
      Math.max(...Array.from(dlogits, Math.abs));
    const above = await past(1e-4, 1);
    expect(above.stats[0]).toMatchObject({ clippedLow: 0, clippedHigh: 1 });
    expect(largest(above)).toBe(0);
    const below = await past(-1e-4, -1);
    expect(below.stats[0]).toMatchObject({ clippedLow: 1, clippedHigh: 0 });
    expect(largest(below)).toBe(0);
    for (const kept of [await past(1e-4, -1), await past(-1e-4, 1)]) {
      expect(kept.stats[0]).toMatchObject({ clippedLow: 0, clippedHigh: 0 });
      expect(largest(kept)).toBeGreaterThan(0.1);
    }
  });

  it('adds up the gradients of loss rows that share a row of logits', async () => {
    const rows: Row[] = [
      { target: 0, behaviourLogp: -1.2, advantage: 0.7, weight: 0.25 },
      { target: 2, behaviourLogp: -0.8, advantage: -0.4, weight: 0.5 },
      { target: 0, behaviourLogp: -1.1, advantage: -1, weight: 0.25 },
    ];
    const changed = { entropyCoef: 0.1, temperature: 0.6 };
    const together = await objective(logits, [rows], changed);
    const alone = await Promise.all(rows.map((row) => objective(logits, [[row]], changed)));
    together.dlogits.forEach((d, v) => {
      const sum = alone.reduce((total, { dlogits }) => total + (dlogits[v] ?? Number.NaN), 0);
      expect(d).toBeCloseTo(sum, 6);
    });
    expect(together.stats).toEqual(alone.flatMap(({ stats }) => stats));
    expect(together.totals.loss).toBeCloseTo(
      alone.reduce((sum, { totals }) => sum + (totals.loss ?? Number.NaN), 0),
      6,
    );
  });

  it('gives padded columns and rows without loss no gradient, whatever their logits', async () => {
    const padded = [
      [0.3, -0.2, 0.9, 50],
      [0.1, 0.2, 0.3, Number.NaN],
      [2, -1, 0, 80],
    ];
    const { dlogits, stats } = await objective(
      padded,
      [
        [{ target: 1, behaviourLogp: -2, advantage: 1 }],
        [],
        [{ target: 0, behaviourLogp: -0.1, advantage: -1 }],
      ],
      { entropyCoef: 0.2 },
      3,
    );
    for (const column of [3, 4, 5, 6, 7, 11]) expect(dlogits[column]).toBeCloseTo(0, 30);
    const plain = await objective(
      [[0.3, -0.2, 0.9]],
      [[{ target: 1, behaviourLogp: -2, advantage: 1 }]],
      { entropyCoef: 0.2 },
    );
    expect(Array.from(dlogits.slice(0, 3))).toEqual(Array.from(plain.dlogits));
    expect(stats[0]).toEqual(plain.stats[0]);
  });

  it('survives logits far apart: tokens of probability zero', async () => {
    const { dlogits, stats } = await objective(
      [[300, -300, 0, 299]],
      [[{ target: 0, behaviourLogp: -0.5, advantage: 1 }]],
      { entropyCoef: 0.5 },
    );
    const reference = ppoClipReference({
      ...settings,
      entropyCoef: 0.5,
      logits: [300, -300, 0, 299],
      targets: [0],
      behaviourLogps: [-0.5],
      advantages: [1],
      weights: [1],
    });
    reference.dlogits.forEach((d, v) => {
      expect(dlogits[v]).toBeCloseTo(d, 5);
    });
    expect(stats[0]?.entropy).toBeCloseTo(reference.rows[0]?.entropy ?? Number.NaN, 5);
  });
});

function ppoReferenceLogp(logits: readonly number[], target: number): number {
  const total = Math.log(logits.reduce((sum, z) => sum + Math.exp(z), 0));
  return (logits[target] ?? Number.NaN) - total;
}
