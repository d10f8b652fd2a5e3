import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PpoClipInput } from './ppo-clip.ts';
import { ppoClipReference } from './ppo-clip.ts';

const plain = { clipLow: 0.8, clipHigh: 1.2, entropyCoef: 0, temperature: 1 };

/** Two tokens of probability 1/2 each; the behaviour policy gave the target `behaviour`. */
function evenRow(advantage: number, behaviour: number) {
  return ppoClipReference({
    ...plain,
    logits: [0, 0],
    targets: [0],
    behaviourLogps: [Math.log(behaviour)],
    advantages: [advantage],
    weights: [1],
  });
}

describe('ppoClipReference', () => {
  it('at ratio 1 is the policy gradient: −A, with gradient −A·(1[k = y] − π_k)', () => {
    const { loss, dlogits, rows } = evenRow(3, 0.5);
    expect(loss).toBeCloseTo(-3, 12);
    expect(Array.from(dlogits)).toEqual([-1.5, 1.5]);
    expect(rows[0]?.approxKl).toBeCloseTo(0, 12);
    expect(rows[0]?.entropy).toBeCloseTo(Math.log(2), 12);
  });

  it('clips above for a positive advantage: ratio 2 counts as 1.2, without gradient', () => {
    const { loss, dlogits, rows } = evenRow(1, 0.25);
    expect(loss).toBeCloseTo(-1.2, 12);
    expect(Array.from(dlogits).map(Math.abs)).toEqual([0, 0]);
    expect(rows[0]).toMatchObject({ clippedHigh: true, clippedLow: false });
    expect(rows[0]?.ratio).toBeCloseTo(2, 12);
    expect(rows[0]?.approxKl).toBeCloseTo(2 - 1 - Math.log(2), 12);
  });

  it('clips below for a negative advantage: ratio 0.625 counts as 0.8, without gradient', () => {
    const { loss, dlogits, rows } = evenRow(-1, 0.8);
    expect(loss).toBeCloseTo(0.8, 12);
    expect(Array.from(dlogits).map(Math.abs)).toEqual([0, 0]);
    expect(rows[0]).toMatchObject({ clippedHigh: false, clippedLow: true });
  });

  it('does not clip on the side where the ratio moved against the advantage', () => {
    // Ratio 2 with A = −1 and ratio 0.625 with A = 1 keep their gradient: −r·A·(1 − 1/2).
    expect(evenRow(-1, 0.25).loss).toBeCloseTo(2, 12);
    expect(evenRow(-1, 0.25).dlogits[0]).toBeCloseTo(1, 12);
    expect(evenRow(1, 0.8).loss).toBeCloseTo(-0.625, 12);
    expect(evenRow(1, 0.8).dlogits[0]).toBeCloseTo(-0.3125, 12);
  });

  it('sums rows by their weights and survives tokens of probability zero', () => {
    const { loss, dlogits } = ppoClipReference({
      ...plain,
      entropyCoef: 0.5,
      logits: [0, 0, 0, -2000],
      targets: [0, 0],
      behaviourLogps: [Math.log(0.5), 0],
      advantages: [1, 1],
      weights: [0.25, 0.75],
    });
    expect(loss).toBeCloseTo(0.25 * (-1 - 0.5 * Math.log(2)) + 0.75 * -1, 12);
    expect(dlogits.every(Number.isFinite)).toBe(true);
  });

  it('has the gradient that finite differences give', () => {
    const row = fc.record({
      z: fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 5, maxLength: 5 }),
      target: fc.integer({ min: 0, max: 4 }),
      shift: fc.double({ min: -0.5, max: 0.5, noNaN: true }),
      advantage: fc.double({ min: -2, max: 2, noNaN: true }),
      weight: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0.5, 1, 2),
        (rows, temperature) => {
          const base: PpoClipInput = {
            ...plain,
            entropyCoef: 0.1,
            temperature,
            logits: rows.flatMap((r) => r.z),
            targets: rows.map((r) => r.target),
            behaviourLogps: rows.map(() => 0),
            advantages: rows.map((r) => r.advantage),
            weights: rows.map((r) => r.weight),
          };
          const now = ppoClipReference(base).rows.map((r) => r.logp);
          const input = { ...base, behaviourLogps: now.map((l, i) => l + (rows[i]?.shift ?? 0)) };
          const result = ppoClipReference(input);
          // The surrogate has a kink at the bounds, where no derivative exists.
          fc.pre(
            result.rows.every(
              (r) => Math.abs(r.ratio - 0.8) > 1e-3 && Math.abs(r.ratio - 1.2) > 1e-3,
            ),
          );
          const h = 1e-5;
          for (let i = 0; i < input.logits.length; i++) {
            const nudged = (d: number) =>
              ppoClipReference({
                ...input,
                logits: Array.from(input.logits, (z, j) => (j === i ? z + d : z)),
              }).loss;
            expect(result.dlogits[i]).toBeCloseTo((nudged(h) - nudged(-h)) / (2 * h), 6);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('refuses rows that do not fit together', () => {
    const one = { ...plain, logits: [0, 0], targets: [2], behaviourLogps: [0], weights: [1] };
    expect(() => ppoClipReference({ ...one, advantages: [1] })).toThrow(/vocabulary of 2/);
    expect(() => ppoClipReference({ ...one, advantages: [] })).toThrow(/advantages has 0/);
  });
});
