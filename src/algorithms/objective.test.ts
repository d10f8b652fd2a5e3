import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchwide } from './batchwide.ts';
import { klEstimators } from './kl-penalty.ts';
import {
  defaultObjective,
  type LossRows,
  type ObjectiveSettings,
  type SurrogateRow,
  surrogateRow,
} from './objective.ts';
import { objectiveReference, softmaxScores } from './objective-reference.ts';
import { surrogates } from './surrogates.ts';

/**
 * One loss row over two tokens with equal logits, so that π(target) = 1/2; given as probabilities,
 * not logs.
 */
interface EvenRow {
  readonly A?: number;
  readonly behavior?: number;
  readonly proximal?: number;
  readonly reference?: number;
  readonly weight?: number;
  readonly value?: number;
  readonly oldValue?: number;
  readonly return?: number;
  readonly episode?: number;
}

const oneRow = {
  behaviorLogps: [0],
  proximalLogps: [0],
  referenceLogps: [0],
  advantages: [1],
  weights: [1],
  oldValues: [0],
  returns: [0],
  episodes: [0],
};

function even(rows: readonly EvenRow[], settings: Partial<ObjectiveSettings> = {}) {
  const column = (pick: (row: EvenRow) => number | undefined, missing: number) =>
    rows.map((row) => pick(row) ?? missing);
  const log = (pick: (row: EvenRow) => number | undefined) => column(pick, 0.5).map(Math.log);
  const result = objectiveReference({
    logits: rows.flatMap(() => [0, 0]),
    targets: rows.map(() => 0),
    temperature: 1,
    values: column((row) => row.value, 0),
    rows: {
      behaviorLogps: log((row) => row.behavior),
      proximalLogps: log((row) => row.proximal ?? row.behavior),
      referenceLogps: log((row) => row.reference),
      advantages: column((row) => row.A, 1),
      weights: column((row) => row.weight, 1),
      oldValues: column((row) => row.oldValue, 0),
      returns: column((row) => row.return, 0),
      episodes: column((row) => row.episode, 0),
    },
    settings: { ...defaultObjective, ...settings },
  });
  const first = result.rows[0];
  if (first === undefined) throw new Error('no rows');
  return { ...result, first };
}

/**
 * Expects these pulls (derivatives with respect to log π); the gradient of the logits follows as
 * pull·(1 − 1/2) and pull·(0 − 1/2).
 */
function expectPulls(
  { rows, dlogits }: { rows: readonly SurrogateRow[]; dlogits: Float64Array },
  pulls: readonly number[],
): void {
  const close = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 12));
  expect(rows.map(({ pull }) => pull)).toEqual(close(pulls));
  expect(Array.from(dlogits)).toEqual(close(pulls.flatMap((pull) => [pull / 2, -pull / 2])));
}

const ln2 = Math.log(2);

describe('ppo_clip', () => {
  it('equals the policy gradient at ratio 1: −A, with gradient −A·(1[k = y] − π_k)', () => {
    const result = even([{ A: 3 }]);
    expect(result.loss).toBeCloseTo(-3, 12);
    expect(Array.from(result.dlogits)).toEqual([-1.5, 1.5]);
    expect(result.first).toMatchObject({ ratio: 1, approxKl: 0, zone: 'inside', pgPull: 3 });
    expect(result.entropies[0]).toBeCloseTo(ln2, 12);
    expect(result.logps[0]).toBeCloseTo(-ln2, 12);
  });

  it('clips above for a positive advantage: ratio 2 counts as 1.2, without gradient', () => {
    const result = even([{ A: 1, behavior: 0.25 }]);
    expect(result.loss).toBeCloseTo(-1.2, 12);
    expectPulls(result, [0]);
    expect(result.first).toMatchObject({
      clippedHigh: true,
      clippedLow: false,
      clippedDual: false,
      zone: 'above',
      pgPull: 0,
      ratio: expect.closeTo(2, 12),
      approxKl: expect.closeTo(2 - 1 - ln2, 12),
    });
  });

  it('clips below for a negative advantage: ratio 0.625 counts as 0.8, without gradient', () => {
    const result = even([{ A: -1, behavior: 0.8 }]);
    expect(result.loss).toBeCloseTo(0.8, 12);
    expectPulls(result, [0]);
    expect(result.first).toMatchObject({ clippedHigh: false, clippedLow: true, zone: 'below' });
  });

  it('does not clip on the side where the ratio moved against the advantage', () => {
    // Ratio 2 with A = −1 and ratio 0.625 with A = 1 keep their pull, −r·A.
    const up = even([{ A: -1, behavior: 0.25 }]);
    expect(up.loss).toBeCloseTo(2, 12);
    expectPulls(up, [2]);
    const down = even([{ A: 1, behavior: 0.8 }]);
    expect(down.loss).toBeCloseTo(-0.625, 12);
    expectPulls(down, [-0.625]);
    for (const { first } of [up, down]) {
      expect(first).toMatchObject({ clippedLow: false, clippedHigh: false });
    }
  });

  it('bounds the loss of a negative advantage by dualClip·|A|', () => {
    // Ratios 4 and 2 with A = −2 and a dual clip of 3: 6 without gradient; 4 with pull 4.
    const settings = { dualClip: 3 };
    const result = even([{ A: -2, behavior: 1 / 8 }], settings);
    expect(result.loss).toBeCloseTo(6, 12);
    expect(result.first).toMatchObject({ clippedDual: true, clippedLow: false });
    expectPulls(result, [0]);
    const under = even([{ A: -2, behavior: 1 / 4 }], settings);
    expect(under.loss).toBeCloseTo(4, 12);
    expectPulls(under, [4]);
    // Only the upper bound applies to a positive advantage.
    expect(even([{ A: 2, behavior: 1 / 8 }], settings).first).toMatchObject({
      clippedDual: false,
      clippedHigh: true,
    });
  });

  it('uses the ratio to the proximal policy, weighted by proximal over behavior', () => {
    // π = 1/2, proximal 1/4, behavior 1/8: r = 2, ι = 2; A = −1: ι·2 = 4, pull 4; capped 1.5·2 = 3.
    const row = { A: -1, proximal: 1 / 4, behavior: 1 / 8 };
    const whole = even([row]);
    expect(whole.loss).toBeCloseTo(4, 12);
    expectPulls(whole, [4]);
    // The reported ratio is relative to the behavior policy: 4.
    expect(whole.first.ratio).toBeCloseTo(4, 12);
    expect(whole.first.approxKl).toBeCloseTo(4 - 1 - 2 * ln2, 12);
    const capped = even([row], { importanceCap: 1.5 });
    expect(capped.loss).toBeCloseTo(3, 12);
    expectPulls(capped, [3]);
    // Clipping uses r, not the ratio to the behavior policy.
    const near = even([{ A: 1, proximal: 1 / 2, behavior: 1 / 8 }], { importanceCap: 2 });
    expect(near.loss).toBeCloseTo(-2, 12);
    expect(near.first).toMatchObject({ clippedHigh: false, zone: 'inside' });
  });

  it('reports contributions |π_behavior·min(rA, clip(r)A)| by the sign of the advantage', () => {
    // π_behavior = 1/4, r = 2: 1/4·1.2 for A = 1, 1/4·2 for A = −1; A = 0 counts toward neither.
    const { rows } = even([
      { A: 1, behavior: 1 / 4 },
      { A: -1, behavior: 1 / 4 },
      { A: 0, behavior: 1 / 4 },
    ]);
    const close = (x: number) => expect.closeTo(x, 12);
    expect(rows.map((row) => row.positiveContribution)).toEqual([close(0.3), 0, 0]);
    expect(rows.map((row) => row.negativeContribution)).toEqual([0, close(0.5), 0]);
  });

  it('sums weighted rows and stays finite for tokens of probability zero', () => {
    const { loss, dlogits } = objectiveReference({
      logits: [0, 0, 0, -2000],
      targets: [0, 0],
      temperature: 1,
      rows: {
        behaviorLogps: [Math.log(0.5), 0],
        proximalLogps: [Math.log(0.5), 0],
        referenceLogps: [0, 0],
        advantages: [1, 1],
        weights: [0.25, 0.75],
        oldValues: [0, 0],
        returns: [0, 0],
        episodes: [0, 0],
      },
      settings: { ...defaultObjective, entropyCoef: 0.5 },
    });
    expect(loss).toBeCloseTo(0.25 * (-1 - 0.5 * ln2) + 0.75 * -1, 12);
    expect(dlogits.every(Number.isFinite)).toBe(true);
  });

  it('divides logits by the temperature, including in the gradient', () => {
    // z/T = ln 3, 0: π = 3/4, 1/4. A = 1, r = 1: −(1 − 3/4)/2 and (1/4)/2. The entropy term, for a
    // coefficient of 1: log π₀ + H = ln 3/4 and log π₁ + H = −3·ln 3/4, so π_k·(log π_k + H)/T =
    // ±3/16·ln 3/2.
    const input = {
      logits: [2 * Math.log(3), 0],
      targets: [0],
      temperature: 2,
      rows: {
        ...oneRow,
        behaviorLogps: [Math.log(3 / 4)],
        proximalLogps: [Math.log(3 / 4)],
      },
    };
    const plain = objectiveReference({ ...input, settings: defaultObjective });
    expect(Array.from(plain.dlogits)).toEqual([expect.closeTo(-1 / 8), expect.closeTo(1 / 8)]);
    const bonus = objectiveReference({
      ...input,
      settings: { ...defaultObjective, entropyCoef: 1 },
    });
    const H = Math.log(4) - (3 / 4) * Math.log(3);
    expect(bonus.loss).toBeCloseTo(-1 - H, 12);
    expect(bonus.rows[0]?.entropyWeight).toBe(1);
    const part = ((3 / 16) * Math.log(3)) / 2;
    expect(bonus.dlogits[0]).toBeCloseTo(-1 / 8 + part, 12);
    expect(bonus.dlogits[1]).toBeCloseTo(1 / 8 - part, 12);
  });
});

describe('bapo', () => {
  it('equals the clipped surrogate at the bounds that its search finds', () => {
    // As in the search's test: r = 2, A = 1 against r = 1, A = −1 needs c_high = 1.5 for P/N = 1.5.
    const bapo = {
      ...defaultObjective.bapo,
      reading: 'pn_ratio',
      target: 1.49,
      highStep: 0.15,
    } as const;
    const rows = [
      { A: 1, behavior: 1 / 4 },
      { A: -1, behavior: 1 / 2 },
      { A: -1, behavior: 1 },
    ];
    const found = even(rows.slice(0, 2), { surrogate: 'bapo', bapo });
    expect(found.batchwide).toMatchObject({
      clipLow: 0.6,
      clipHigh: expect.closeTo(1.5, 12),
    });
    expect(found.batchwide.rho).toBeCloseTo(1.5, 12);
    expect(found.loss).toBeCloseTo(-1.5 + 1, 12);
    expectPulls(found, [0, 1]);
    const adaptive = even(rows, { surrogate: 'bapo', bapo });
    const { clipLow, clipHigh } = adaptive.batchwide;
    const fixed = even(rows, { clipLow, clipHigh });
    expect(clipHigh).toBeGreaterThan(1.5);
    expect(adaptive.loss).toBe(fixed.loss);
    expect(adaptive.rows).toEqual(fixed.rows);
  });
});

describe('gspo', () => {
  it('gives every token of an episode the geometric mean of its ratios', () => {
    // Episode 1: ratios 4 and 1, s = 2; A = −1: loss 2 each, pull 1/2·2. Episode 0: ratio 1/2, A = −1:
    // clipped below, loss 0.8. Episode 2: ratios 2 and 1/2, s = 1, A = 3: loss −3 and pull −3 each,
    // though the first ratio alone would be clipped.
    const result = even(
      [
        { A: -1, behavior: 1 / 8, episode: 1, weight: 0.5 },
        { A: -1, behavior: 1, episode: 0 },
        { A: -1, behavior: 1 / 2, episode: 1, weight: 0.5 },
        { A: 3, behavior: 1 / 4, episode: 2 },
        { A: 3, behavior: 1, episode: 2 },
      ],
      { surrogate: 'gspo' },
    );
    const close = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 12));
    expect(result.batchwide.found.map(([mean]) => mean)).toEqual(close([ln2, -ln2, ln2, 0, 0]));
    expect(result.rows.map((row) => row.loss)).toEqual(close([2, 0.8, 2, -3, -3]));
    expectPulls(result, [1, 0, 1, -3, -3]);
    expect(result.rows.map((row) => row.zone)).toEqual([
      'above',
      'below',
      'above',
      'inside',
      'inside',
    ]);
    expect(result.rows.map((row) => row.clippedLow)).toEqual([false, true, false, false, false]);
  });
});

describe('the gradient of gspo', () => {
  // Two episodes of two and three tokens; ratios within, above and below the bounds.
  const rows = {
    behaviorLogps: [-1.2, -0.7, -0.4, -2.1, -1],
    proximalLogps: [-1.1, -0.9, -0.5, -2, -1.3],
    referenceLogps: [0, 0, 0, 0, 0],
    weights: [0.3, 0.1, 0.2, 0.15, 0.25],
    oldValues: [0, 0, 0, 0, 0],
    returns: [0, 0, 0, 0, 0],
    entropies: [0, 0, 0, 0, 0],
    values: [0, 0, 0, 0, 0],
    episodes: [0, 0, 1, 1, 1],
    logps: [-1, -0.95, -0.6, -1.8, -1.2],
    advantages: [1, -2, 0.5, -0.7, 3],
  } satisfies LossRows;
  const settings = { ...defaultObjective, surrogate: 'gspo', importanceCap: 1.05 } as const;
  const U = rows.logps.length;
  const pulls = (of: LossRows) => {
    const found = batchwide(of, settings);
    return Array.from({ length: U }, (_, i) => surrogateRow(of, i, settings, found).pull);
  };
  /** Central differences of the loss with respect to each log-probability. */
  const differences = (of: LossRows, whole: (moved: LossRows) => ReturnType<typeof batchwide>) =>
    Array.from({ length: U }, (_, k) => {
      const at = (h: number) => {
        const moved = { ...of, logps: Array.from(of.logps, (x, i) => x + (i === k ? h : 0)) };
        const found = whole(moved);
        return Array.from({ length: U }, (_unused, i) => i).reduce(
          (sum, i) =>
            sum + (of.weights[i] ?? Number.NaN) * surrogateRow(moved, i, settings, found).loss,
          0,
        );
      };
      return (at(1e-6) - at(-1e-6)) / 2e-6;
    });
  const close = (values: readonly number[]) => values.map((x) => expect.closeTo(x, 8));
  /** sg(s)·π/sg(π): a token's ratio depends only on its own log-probability. */
  const tokenRatios = (of: LossRows) => (moved: LossRows) => {
    const whole = batchwide(of, settings);
    const found = whole.found.map(
      ([s], i) => [s + (moved.logps[i] ?? 0) - (of.logps[i] ?? 0), 0] as const,
    );
    return { ...whole, found };
  };

  it('matches the sequence-level loss if tokens of an episode share advantage and weight', () => {
    const shared = {
      ...rows,
      behaviorLogps: rows.proximalLogps,
      advantages: [1, 1, -0.7, -0.7, -0.7],
      weights: [0.3, 0.3, 0.2, 0.2, 0.2],
    };
    const whole = differences(shared, (moved) => batchwide(moved, settings));
    expect(pulls(shared)).toEqual(close(whole));
    expect(pulls(shared)).toEqual(close(differences(shared, tokenRatios(shared))));
  });

  it('matches GSPO-token for per-token advantages and weights and a separate proximal policy', () => {
    expect(pulls(rows)).toEqual(close(differences(rows, tokenRatios(rows))));
    // GSPO itself would distribute each token's term over the episode.
    expect(pulls(rows)).not.toEqual(
      close(differences(rows, (moved) => batchwide(moved, settings))),
    );
  });
});

describe('cispo', () => {
  it('clips the weight of log π and keeps every token’s gradient', () => {
    // Ratio 2, A = 1: −1.2·log 1/2 with pull −1.2. Ratio 1/2, A = −2: 0.8·2·log 1/2 with pull 1.6.
    const result = even(
      [
        { A: 1, behavior: 1 / 4 },
        { A: -2, behavior: 1 },
      ],
      { surrogate: 'cispo' },
    );
    expect(result.loss).toBeCloseTo(1.2 * ln2 - 1.6 * ln2, 12);
    expectPulls(result, [-1.2, 1.6]);
    for (const row of result.rows) {
      expect(row).toMatchObject({ clippedLow: false, clippedHigh: false });
    }
  });
});

describe('clip_cov and kl_cov', () => {
  // Means −2 and 0, so that cov = 1·3, 1·(−1), (−1)·(−1), (−1)·(−1) = 3, −1, 1, 1.
  const rows: LossRows = {
    logps: [-1, -1, -3, -3],
    entropies: [1, 1, 1, 1],
    values: [0, 0, 0, 0],
    behaviorLogps: [-1, -1, -3, -3],
    proximalLogps: [-1, -1, -3, -3],
    referenceLogps: [0, 0, 0, 0],
    advantages: [3, -1, -1, -1],
    weights: [1, 1, 1, 1],
    oldValues: [0, 0, 0, 0],
    returns: [0, 0, 0, 0],
    episodes: [0, 0, 0, 0],
  };
  const picks = (
    surrogate: 'clip_cov' | 'kl_cov',
    covariance: Partial<ObjectiveSettings['covariance']>,
    of = rows,
  ) => {
    const settings = { ...defaultObjective.covariance, low: 0.5, high: 2, ...covariance };
    const { found } = batchwide(of, { ...defaultObjective, surrogate, covariance: settings });
    return found.flatMap(([picked], i) => (picked === 1 ? [i] : []));
  };

  it('kl_cov selects at least one row, by highest covariance, with the earlier row first in a tie', () => {
    expect(picks('kl_cov', { fraction: 0 })).toEqual([0]);
    expect(picks('kl_cov', { fraction: 0.49 })).toEqual([0]);
    expect(picks('kl_cov', { fraction: 0.5 })).toEqual([0, 2]);
    expect(picks('kl_cov', { fraction: 1 })).toEqual([0, 1, 2, 3]);
  });

  it('clip_cov selects rows with a covariance strictly between its bounds, or all such rows if there are too few', () => {
    expect(picks('clip_cov', { fraction: 0.5 })).toEqual([2, 3]);
    expect(picks('clip_cov', { fraction: 1 })).toEqual([2, 3]);
    expect(picks('clip_cov', { fraction: 1, low: 1 })).toEqual([]);
    expect(picks('clip_cov', { fraction: 1, high: 3 })).toEqual([2, 3]);
    expect(picks('clip_cov', { fraction: 1, high: 3.1 })).toEqual([0, 2, 3]);
  });

  it('clip_cov skips tokens that the bounds clip anyway', () => {
    // Row 2 has A = −1; at ratio e^−1 it is clipped below.
    const clipped = { ...rows, proximalLogps: [-1, -1, -2, -3] };
    expect(picks('clip_cov', { fraction: 1 }, clipped)).toEqual([3]);
    // At ratio e it is not.
    const free = { ...rows, proximalLogps: [-1, -1, -4, -3] };
    expect(picks('clip_cov', { fraction: 1 }, free)).toEqual([2, 3]);
  });

  it('clip_cov selects the rows with the smallest hash keys', () => {
    // The same hash with arbitrary-precision integers.
    const pcg = (input: bigint) => {
      const u32 = (x: bigint) => BigInt.asUintN(32, x);
      const state = u32(input * 747796405n + 2891336453n);
      const word = u32(((state >> ((state >> 28n) + 4n)) ^ state) * 277803737n);
      return (word >> 22n) ^ word;
    };
    const seen = new Set<number>();
    for (const seed of [0, 1, 2, 3, 5, 8, 0x7fffffff, 0x80000000, 0xfeedbeef, 0xffffffff]) {
      const key = (i: number) => pcg(BigInt(i) ^ pcg(BigInt(seed)));
      const drawn = key(2) < key(3) ? 2 : 3;
      seen.add(drawn);
      expect(picks('clip_cov', { fraction: 0.25, seed })).toEqual([drawn]);
    }
    expect(seen.size).toBe(2);
  });

  it('clip_cov removes the loss and gradient of selected tokens, and kl_cov penalizes them', () => {
    const row = { A: 1, behavior: 1 / 2, proximal: 1 / 2 };
    // A single row has covariance 0; bounds around 0 select it.
    const covariance = { fraction: 1, low: -1, high: 1, klCoef: 0.5, seed: 0 };
    const held = even([row], { surrogate: 'clip_cov', covariance, entropyCoef: 1 });
    expect(held.loss).toBeCloseTo(-ln2, 12);
    expectPulls(held, [0]);
    expect(held.first).toMatchObject({ clippedLow: false, clippedHigh: false });
    // Ratio 2: −2 + 0.5·ln 2, pull −2 + 0.5. Ratio 1/2: −1/2 + 0.5·ln 2, pull −1/2 − 0.5.
    const settings = { surrogate: 'kl_cov', covariance } as const;
    const more = even([{ A: 1, behavior: 1 / 4, weight: 0.5 }], settings);
    expect(more.loss).toBeCloseTo(0.5 * (-2 + 0.5 * ln2), 12);
    expectPulls(more, [-0.75]);
    expect(more.first).toMatchObject({ clippedHigh: false, pgPull: expect.closeTo(1, 12) });
    expectPulls(even([{ A: 1, behavior: 1 }], settings), [-1]);
  });

  it('clip_cov equals ppo_clip if it selects no token', () => {
    const rows = [
      { A: 1, behavior: 1 / 4 },
      { A: -1, behavior: 0.6 },
    ];
    const covariance = { ...defaultObjective.covariance, low: 50, high: 60 };
    const result = even(rows, { surrogate: 'clip_cov', covariance });
    expect(result.rows).toEqual(even(rows).rows);
  });
});

describe('likelihood', () => {
  it('is −A·log π for any behavior policy', () => {
    const result = even(
      [
        { A: 1, behavior: 1 / 8 },
        { A: 0.5, behavior: 1, weight: 2 },
      ],
      { surrogate: 'likelihood' },
    );
    expect(result.loss).toBeCloseTo(ln2 + 2 * 0.5 * ln2, 12);
    expectPulls(result, [-1, -1]);
  });
});

describe('dpo', () => {
  // Better: log 1/2 − log 1/4 = ln 2. Worse: 0 and log 1/2 − log 1 = −ln 2. For β = 1/2 the margin is
  // 1/2·2·ln 2 = ln 2, σ(−margin) = 1/3, the pair's loss −log 2/3 = ln 1.5, shared by three rows.
  const pair = [
    { A: -1, reference: 1 / 2, episode: 1 },
    { A: 1, reference: 1 / 4, episode: 0 },
    { A: -1, reference: 1, episode: 1 },
  ];
  const settings = { surrogate: 'dpo', dpoBeta: 0.5 } as const;

  it('matches a hand-computed pair', () => {
    const result = even(pair, settings);
    expect(result.loss).toBeCloseTo(Math.log(1.5), 12);
    expectPulls(result, [1 / 6, -1 / 6, 1 / 6]);
    expect(result.rows.map((row) => row.loss)).toEqual(
      [1, 1, 1].map((x) => expect.closeTo((x * Math.log(1.5)) / 3, 12)),
    );
  });

  it('sums over pairs with separate margins', () => {
    // A second pair that equals its reference: margin 0, loss ln 2, pull ∓1/2·1/2.
    const two = [...pair, { A: 1, episode: 2 }, { A: -1, episode: 3 }];
    const result = even(
      two.map((row) => ({ ...row, weight: 0.5 })),
      settings,
    );
    expect(result.loss).toBeCloseTo((Math.log(1.5) + ln2) / 2, 12);
    expectPulls(
      result,
      [1 / 6, -1 / 6, 1 / 6, -1 / 4, 1 / 4].map((x) => x / 2),
    );
  });

  it('stays finite at extreme margins, and rejects an episode without a partner', () => {
    const far = [
      { A: 1, reference: 1e-300, episode: 0 },
      { A: -1, reference: 1, episode: 1 },
    ];
    const swapped = far.map((row) => ({ ...row, episode: 1 - row.episode }));
    // 690·10 nats apart: no loss and no pull if the better one is ahead, a loss equal to the margin
    // otherwise.
    const beta = { ...settings, dpoBeta: 10 };
    expect(even(far, beta).loss).toBeCloseTo(0, 12);
    expectPulls(even(far, beta), [0, 0]);
    expect(even(swapped, beta).loss).toBeCloseTo(10 * 300 * Math.log(10), 6);
    expectPulls(even(swapped, beta), [10, -10]);
    expect(() => even([{ episode: 2 }], settings)).toThrow(/episode 2/);
  });
});

describe('a term added to the surrogate', () => {
  it('matches k1, k2 and k3 for d = log 1/4 − log 1/2 = −ln 2', () => {
    const of = (estimator: (typeof klEstimators)[number]) =>
      even([{ A: 0, reference: 1 / 4, weight: 2 }], { kl: { estimator, coef: 0.5 } });
    // Weight 2 and coefficient 1/2 cancel.
    expect(of('k1').loss).toBeCloseTo(ln2, 12);
    expect(of('k2').loss).toBeCloseTo(ln2 ** 2 / 2, 12);
    expect(of('k3').loss).toBeCloseTo(1 / 2 - 1 + ln2, 12);
    // Slopes 1, −d and 1 − e^d.
    expectPulls(of('k1'), [1]);
    expectPulls(of('k2'), [ln2]);
    expectPulls(of('k3'), [1 / 2]);
    expect(of('k3').first).toMatchObject({
      refKl: expect.closeTo(ln2 - 1 / 2, 12),
      pgPull: 0,
    });
    expect(even([{ reference: 1 / 4 }]).first.refKl).toBe(0);
  });

  it('clips the value around its old estimate and takes the larger error', () => {
    // v = 2, v_old = 1, clip 1/2, so 1.5. R = 3: errors −1 and −1.5, loss 1.125, no gradient.
    // R = 0: errors 2 and 1.5, loss 2, gradient 2. v = 1.25 is inside: error −1.75.
    const of = (value: number, target: number, clip = 0.5) =>
      even([{ A: 0, value, oldValue: 1, return: target, weight: 3 }], {
        value: { coef: 0.25, clip },
      });
    expect(of(2, 3).first).toMatchObject({ valueLoss: 1.125, dvalue: 0 });
    expect(of(2, 0).first).toMatchObject({ valueLoss: 2, dvalue: 3 * 0.25 * 2 });
    expect(of(1.25, 3).first).toMatchObject({
      valueLoss: 1.75 ** 2 / 2,
      dvalue: 3 * 0.25 * -1.75,
    });
    expect(of(2, 3, Number.POSITIVE_INFINITY).first).toMatchObject({
      valueLoss: 0.5,
      dvalue: -0.75,
    });
    expect(of(2, 3).loss).toBeCloseTo(3 * 0.25 * 1.125, 12);
    expect(Array.from(of(2, 0).dvalues)).toEqual([1.5]);
  });

  it('is left out of a gradient restricted to one sign of the advantage', () => {
    const rows = [
      { A: 1, reference: 1 / 4, value: 2 },
      { A: -1, reference: 1 / 4, value: 2 },
      { A: 0, reference: 1 / 4, value: 2 },
    ];
    const settings = {
      entropyCoef: 0.1,
      kl: { estimator: 'k1', coef: 0.5 },
      value: { coef: 1, clip: 1 },
    } as const;
    const whole = even(rows, settings);
    for (const [sign, pulls] of [
      [1, [-1, 0, 0]],
      [-1, [0, 1, 0]],
    ] as const) {
      const part = even(rows, { ...settings, sign });
      expectPulls(part, pulls);
      expect(Array.from(part.dvalues)).toEqual([0, 0, 0]);
      expect(part.loss).toBe(whole.loss);
    }
    expectPulls({ ...whole, dlogits: even(rows, { kl: settings.kl }).dlogits }, [-0.5, 1.5, 0.5]);
  });
});

describe('softmaxScores', () => {
  it('matches hand-computed probabilities and does not overflow', () => {
    const { logps, entropy } = softmaxScores([2 * Math.log(3), 0], 2);
    expect(Array.from(logps).map(Math.exp)).toEqual([3 / 4, 1 / 4].map((p) => expect.closeTo(p)));
    expect(entropy).toBeCloseTo(Math.log(4) - (3 / 4) * Math.log(3), 12);
    expect(softmaxScores([1e4, 0, -1e4], 1).entropy).toBe(0);
    expect(Array.from(softmaxScores([1e4, 0], 1).logps)).toEqual([0, -1e4]);
  });
});

describe('the gradient', () => {
  const V = 4;
  // Evenly spread; most of fast-check's doubles are close to 0.
  const number = (min: number, max: number) =>
    fc.integer({ min: min * 1000, max: max * 1000 }).map((x) => x / 1000);
  const episode = fc.record({
    A: number(-2, 2),
    weight: number(0.1, 1),
    importance: number(-0.5, 0.5),
    tokens: fc.array(
      fc.record({
        z: fc.array(number(-3, 3), { minLength: V, maxLength: V }),
        target: fc.integer({ min: 0, max: V - 1 }),
        shift: number(-0.7, 0.7),
        reference: number(-1, 1),
        value: number(-2, 2),
        oldValue: number(-2, 2),
        target_value: number(-2, 2),
        // Apart from gspo, tokens of one episode need not have the same advantage.
        own: number(-2, 2),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  });
  const settingsOf = fc.record({
    surrogate: fc.constantFrom(...surrogates),
    dualClip: fc.constantFrom(1.5, Number.POSITIVE_INFINITY),
    importanceCap: fc.constantFrom(1.1, Number.POSITIVE_INFINITY),
    entropyCoef: fc.constantFrom(0, 0.3),
    kl: fc.record({ estimator: fc.constantFrom(...klEstimators), coef: fc.constantFrom(0, 0.7) }),
    value: fc.record({
      coef: fc.constantFrom(0, 0.5),
      clip: fc.constantFrom(0.3, Number.POSITIVE_INFINITY),
    }),
  });

  it('matches finite differences for every surrogate and every extra term', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(episode, episode), { minLength: 1, maxLength: 2 }),
        settingsOf,
        fc.constantFrom(0.5, 1, 2),
        (pairs, drawn, temperature) => {
          const settings: ObjectiveSettings = {
            ...defaultObjective,
            ...drawn,
            covariance: { fraction: 0.4, low: -2, high: 2, klCoef: 0.6, seed: 7 },
            dpoBeta: 0.8,
          };
          const rows = pairs.flat().flatMap((e, number) =>
            e.tokens.map((token) => ({
              ...token,
              ...e,
              A: settings.surrogate === 'gspo' ? e.A : token.own,
              episode: number,
            })),
          );
          const logits = rows.flatMap((row) => row.z);
          const values = rows.map((row) => row.value);
          const targets = rows.map((row) => row.target);
          const score = (z: readonly number[]) =>
            rows.map((row, i) => {
              const scores = softmaxScores(z.slice(i * V, (i + 1) * V), temperature);
              return { logp: scores.logps[row.target] ?? Number.NaN, entropy: scores.entropy };
            });
          const proximalLogps = score(logits).map(({ logp }, i) => logp + (rows[i]?.shift ?? 0));
          const given = {
            proximalLogps,
            behaviorLogps: proximalLogps.map((logp, i) => logp - (rows[i]?.importance ?? 0)),
            referenceLogps: proximalLogps.map((logp, i) => logp + (rows[i]?.reference ?? 0)),
            advantages: rows.map((row) => row.A),
            weights: rows.map((row) => row.weight),
            oldValues: rows.map((row) => row.oldValue),
            returns: rows.map((row) => row.target_value),
            episodes: rows.map((row) => row.episode),
          };
          // A pair's rows share its loss, so with equal weights the gradient matches the loss.
          if (settings.surrogate === 'dpo') given.weights.fill(0.5);
          const result = objectiveReference({
            logits,
            targets,
            temperature,
            values,
            rows: given,
            settings,
          });
          const { clipLow, clipHigh, found } = result.batchwide;

          // At a branch change there is a kink and no derivative.
          const apart = (a: number, b: number) => Math.abs(a - b) > 1e-3;
          fc.pre(
            rows.every((row, i) => {
              const logratio = settings.surrogate === 'gspo' ? (found[i]?.[0] ?? 0) : -row.shift;
              const r = Math.exp(logratio);
              const kinks = [clipLow, clipHigh, settings.dualClip, 1];
              const { clip } = settings.value;
              const [old, R] = [row.oldValue, row.target_value];
              const clamped = Math.min(Math.max(row.value, old - clip), old + clip);
              return (
                kinks.every((kink) => apart(r, kink)) &&
                apart(row.value, old - clip) &&
                apart(row.value, old + clip) &&
                (clamped === row.value || apart((row.value - R) ** 2, (clamped - R) ** 2))
              );
            }),
          );
          // The loss with everything behind a stop-gradient frozen: BAPO's bounds, the selected
          // rows, CISPO's weight.
          const loss = (z: readonly number[], v: readonly number[]): number => {
            const scores = score(z);
            const logps = scores.map(({ logp }) => logp);
            const moved = { ...given, logps, entropies: scores.map((s) => s.entropy), values: v };
            const whole = settings.surrogate === 'gspo' || settings.surrogate === 'dpo';
            const now = whole ? batchwide(moved, settings) : result.batchwide;
            return rows.reduce((sum, row, i) => {
              const w = given.weights[i] ?? Number.NaN;
              const all = surrogateRow(moved, i, settings, now).loss;
              if (settings.surrogate !== 'cispo') return sum + w * all;
              const iota = Math.min(Math.exp(row.importance), settings.importanceCap);
              const clip = (x: number) => Math.min(Math.max(Math.exp(x), clipLow), clipHigh);
              const logp = logps[i] ?? Number.NaN;
              const moving = clip(logp - (proximalLogps[i] ?? Number.NaN));
              return sum + w * (all - iota * row.A * (clip(-row.shift) - moving) * logp);
            }, 0);
          };
          expect(loss(logits, values)).toBeCloseTo(result.loss, 9);
          const h = 1e-5;
          const slope = (list: readonly number[], i: number, of: (x: number[]) => number) => {
            const nudged = (d: number) => of(list.map((x, j) => (j === i ? x + d : x)));
            return (nudged(h) - nudged(-h)) / (2 * h);
          };
          for (let i = 0; i < logits.length; i++) {
            expect(result.dlogits[i]).toBeCloseTo(
              slope(logits, i, (z) => loss(z, values)),
              6,
            );
          }
          for (let i = 0; i < values.length; i++) {
            expect(result.dvalues[i]).toBeCloseTo(
              slope(values, i, (v) => loss(logits, v)),
              6,
            );
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('sums over both signs to the full gradient, without entropy, KL and value terms', () => {
    fc.assert(
      fc.property(
        fc.array(episode, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...surrogates.filter((s) => s !== 'dpo' && s !== 'kl_cov')),
        (episodes, surrogate) => {
          const rows = episodes.flatMap((e, number) =>
            e.tokens.map((token) => ({
              A: token.own,
              behavior: 0.5 * Math.exp(token.shift),
              weight: e.weight,
              episode: number,
            })),
          );
          const [whole, up, down] = ([0, 1, -1] as const).map(
            (sign) => even(rows, { surrogate, sign }).dlogits,
          );
          whole?.forEach((d, i) => {
            expect((up?.[i] ?? 0) + (down?.[i] ?? 0)).toBeCloseTo(d, 12);
          });
        },
      ),
    );
  });
});

describe('objectiveReference', () => {
  it('rejects inconsistent rows', () => {
    const input = { logits: [0, 0], targets: [1], temperature: 1, settings: defaultObjective };
    expect(objectiveReference({ ...input, rows: oneRow }).rows).toHaveLength(1);
    expect(() => objectiveReference({ ...input, targets: [2], rows: oneRow })).toThrow(
      /vocabulary of 2/,
    );
    expect(() => objectiveReference({ ...input, rows: { ...oneRow, advantages: [] } })).toThrow(
      /advantages has 0/,
    );
    expect(() => objectiveReference({ ...input, values: [1, 2], rows: oneRow })).toThrow(
      /values has 2/,
    );
    expect(() =>
      objectiveReference({ ...input, logits: [0, 0, 0], targets: [0, 0], rows: oneRow }),
    ).toThrow(/cannot be shared/);
  });

  it('returns an empty result without rows, for every surrogate', () => {
    for (const surrogate of surrogates) {
      expect(even([{ episode: 0 }, { episode: 1 }], { surrogate }).rows).toHaveLength(2);
      const none = objectiveReference({
        logits: [],
        targets: [],
        temperature: 1,
        rows: {
          behaviorLogps: [],
          proximalLogps: [],
          referenceLogps: [],
          advantages: [],
          weights: [],
          oldValues: [],
          returns: [],
          episodes: [],
        },
        settings: { ...defaultObjective, surrogate },
      });
      expect(none).toMatchObject({ loss: 0, rows: [] });
    }
  });
});
