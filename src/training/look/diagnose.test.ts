import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/check.ts';
import type { TrainingBatch, UpdateStats } from '../../policy/types.ts';
import { reinforcementObjective } from '../learn/objective-settings.ts';
import { diagnose } from './diagnose.ts';

/** Four tokens in two episodes; behavior probability 1/2 each, different probabilities now. */
const now = [0.6, 0.6, 0.4, 0.45].map(Math.log);
const advantages = [1, 1, -1, -1];
const batch: TrainingBatch = {
  tokens: new Uint32Array(4),
  sequenceStarts: Uint32Array.of(0, 4),
  rows: Uint32Array.of(0, 1, 2, 3),
  targets: new Uint32Array(4),
  behaviorLogps: new Float32Array(4).fill(Math.log(0.5)),
  advantages: Float32Array.from(advantages),
  weights: new Float32Array(4).fill(0.25),
  episodes: Uint32Array.of(0, 1, 0, 1),
};
const scores = {
  logps: Float32Array.from(now),
  entropies: new Float32Array(4).fill(1),
  values: new Float32Array(4),
};

function look(algorithm: object, stats: Partial<UpdateStats>) {
  const found = diagnose(
    [batch],
    {
      before: [scores],
      after: [{ ...scores, entropies: new Float32Array(4).fill(0.75) }],
      normPositive: 1,
      normNegative: 2,
    },
    { update: 3, stats: { skipped: false, clipLow: 0.8, clipHigh: 1.2, ...stats } as UpdateStats },
    reinforcementObjective(parseConfig({ algorithm })),
    4,
  );
  if (found === null) throw new Error('nothing found');
  const { samples } = found.diagnosis;
  return {
    rule: found.metrics['diagnostics/entropy_rule'],
    change: found.metrics['diagnostics/entropy_change'],
    ratios: samples.map(({ ratio }) => ratio),
    held: samples.map(({ held }) => held),
  };
}

/**
 * The terms of the entropy rule for four tokens, computed by hand; the sign is the gradient's,
 * opposite to the advantage's.
 */
function byHand(pulls: readonly number[]): number {
  const ratios = now.map((logp) => Math.exp(logp) / 0.5);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const m = sum(now.map((logp, i) => logp * (ratios[i] ?? 0))) / sum(ratios);
  return sum(now.map((logp, i) => (pulls[i] ?? 0) * (logp - m))) / 4;
}

describe('diagnose', () => {
  it("uses each token's ratio if tokens are clipped individually", () => {
    const { rule, change, ratios, held } = look({}, { clipHigh: 1.15 });
    expect(change).toBeCloseTo(-0.25, 6);
    expect(ratios).toEqual([1.2, 1.2, 0.8, 0.9].map((x) => expect.closeTo(x, 6)));
    // Both tokens with positive advantage exceed 1.15; the negative one at 0.8 is on its bound.
    expect(held.slice(0, 2)).toEqual([true, true]);
    expect(held[3]).toBe(false);
    expect(rule).toBeCloseTo(byHand([0, 0, held[2] === true ? 0 : 0.8, 0.9]), 5);
  });

  it("uses each episode's ratio under GSPO", () => {
    const { rule, ratios, held } = look({ objective: 'gspo' }, { clipLow: 0.99, clipHigh: 1.02 });
    const [first, second] = [Math.sqrt(1.2 * 0.8), Math.sqrt(1.2 * 0.9)];
    expect(ratios).toEqual([first, second, first, second].map((x) => expect.closeTo(x, 6)));
    // Episode 0 is below the bounds, where only its token with negative advantage is clipped;
    // episode 1 is above them.
    expect(held).toEqual([false, true, true, false]);
    expect(rule).toBeCloseTo(byHand([-first, 0, 0, second]), 5);
  });

  it('weights every token by its clipped ratio under CISPO', () => {
    const { rule, held } = look({ objective: 'cispo' }, { clipLow: 0.85, clipHigh: 1.1 });
    expect(held).toEqual([false, false, false, false]);
    expect(rule).toBeCloseTo(byHand([-1.1, -1.1, 0.85, 0.9]), 5);
  });
});
