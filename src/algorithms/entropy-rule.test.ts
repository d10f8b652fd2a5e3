import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lossWeights } from './aggregation.ts';
import { batchwide } from './batchwide.ts';
import { entropyRule } from './entropy-rule.ts';
import {
  defaultObjective,
  type LossRows,
  type ObjectiveSettings,
  surrogateRow,
} from './objective.ts';
import { objectiveReference, softmaxScores } from './objective-reference.ts';

const ln2 = Math.log(2);

/** An update of a tabular softmax policy on tokens sampled from a behavior policy. */
interface TabularUpdate {
  /** (V) logits of the policy. */
  readonly logits: readonly number[];
  /** (N) loss rows; together they contain every token as often as the behavior policy samples it. */
  readonly targets: readonly number[];
  readonly rows: Omit<LossRows, 'logps' | 'entropies' | 'values'>;
  readonly settings: ObjectiveSettings;
}

/** The rule's prediction. */
function predicted({ logits, targets, rows, settings }: TabularUpdate): number {
  const { logps, entropy } = softmaxScores(logits, 1);
  const all: LossRows = {
    ...rows,
    logps: targets.map((y) => logps[y] ?? Number.NaN),
    entropies: targets.map(() => entropy),
    values: targets.map(() => 0),
  };
  const found = batchwide(all, settings);
  const results = targets.map((_, i) => surrogateRow(all, i, settings, found));
  return entropyRule({
    logps: Array.from(all.logps),
    ratios: results.map(({ ratio }) => ratio),
    pulls: results.map(({ surrogatePull }) => surrogatePull),
  });
}

/**
 * (H(z + η·Δ) − H(z − η·Δ))/2η with the natural gradient of the update's own loss: the Fisher matrix
 * diag(π) − ππᵀ has the inverse Δ_v = −(∂loss/∂z_v)/π_v on vectors that sum to 0, as gradients do.
 */
function measured({ logits, targets, rows, settings }: TabularUpdate, step = 1e-4): number {
  const V = logits.length;
  const { dlogits } = objectiveReference({
    logits: targets.flatMap(() => logits),
    targets,
    temperature: 1,
    rows,
    settings,
  });
  const probabilities = Array.from(softmaxScores(logits, 1).logps, Math.exp);
  const direction = logits.map((_, v) => {
    let gradient = 0;
    for (let i = 0; i < targets.length; i++) gradient += dlogits[i * V + v] ?? Number.NaN;
    return -gradient / (probabilities[v] ?? Number.NaN);
  });
  const entropyAt = (distance: number) =>
    softmaxScores(
      logits.map((z, v) => z + distance * (direction[v] ?? Number.NaN)),
      1,
    ).entropy;
  return (entropyAt(step) - entropyAt(-step)) / (2 * step);
}

/** Properties of each token of the vocabulary. */
interface DrawnToken {
  readonly logit: number;
  /** Frequency under the behavior policy. */
  readonly count: number;
  readonly A: number;
  /** log π_prox − log π_behavior. */
  readonly shift: number;
}

/**
 * Episodes of two tokens, every pair as often as the behavior policy samples it. Each row's advantage depends
 * on the row alone, or with `shared` on its episode.
 */
function tabular(
  vocabulary: readonly DrawnToken[],
  settings: Partial<ObjectiveSettings>,
  { shared = false, proximal = false } = {},
): TabularUpdate {
  const total = vocabulary.reduce((sum, { count }) => sum + count, 0);
  const sample = vocabulary.flatMap(({ count }, y) => new Array<number>(count).fill(y));
  const episodes = sample.flatMap((first) => sample.map((second) => [first, second] as const));
  const targets = episodes.flat();
  const of = (pick: (token: DrawnToken) => number) =>
    targets.map((y) => {
      const token = vocabulary[y];
      if (token === undefined) throw new RangeError(`no token ${y}`);
      return pick(token);
    });
  const behaviorLogps = of(({ count }) => Math.log(count / total));
  const own = of(({ A }) => A);
  const [weight] = lossWeights([targets.length], 'token_mean', 1);
  return {
    logits: vocabulary.map(({ logit }) => logit),
    targets,
    rows: {
      behaviorLogps,
      proximalLogps: proximal
        ? of(({ shift }) => shift).map((shift, i) => shift + (behaviorLogps[i] ?? Number.NaN))
        : behaviorLogps,
      referenceLogps: targets.map(() => 0),
      advantages: shared
        ? own.map((_, i) => (own[i - (i % 2)] ?? 0) + (own[i - (i % 2) + 1] ?? 0))
        : own,
      weights: targets.map(() => weight ?? Number.NaN),
      oldValues: targets.map(() => 0),
      returns: targets.map(() => 0),
      episodes: targets.map((_, i) => Math.floor(i / 2)),
    },
    settings: { ...defaultObjective, ...settings },
  };
}

const drawn = fc.array(
  fc.record({
    logit: fc.integer({ min: -15, max: 15 }).map((x) => x / 10),
    count: fc.integer({ min: 1, max: 3 }),
    A: fc.integer({ min: -30, max: 30 }).map((x) => x / 10),
    shift: fc.integer({ min: -5, max: 5 }).map((x) => x / 10),
  }),
  { minLength: 2, maxLength: 4 },
);

const covariance = { fraction: 0.2, low: -0.5, high: 1, klCoef: 0.7, seed: 5 };

interface Objective {
  readonly name: string;
  readonly settings: Partial<ObjectiveSettings>;
  readonly shared?: boolean;
  readonly proximal?: boolean;
}

const gspo = { surrogate: 'gspo', clipLow: 0.9, clipHigh: 1.15 } as const;

/** Every surrogate for reinforcement learning, with other settings that affect its gradient. */
const objectives: readonly Objective[] = [
  { name: 'ppo_clip', settings: {} },
  { name: 'ppo_clip, clip-higher', settings: { clipHigh: 1.5 } },
  { name: 'ppo_clip with a dual clip', settings: { dualClip: 1.4 } },
  { name: 'ppo_clip against a proximal policy', settings: {}, proximal: true },
  { name: 'ppo_clip, truncated weights', settings: { importanceCap: 1.05 }, proximal: true },
  {
    name: 'bapo',
    settings: { surrogate: 'bapo', bapo: { ...defaultObjective.bapo, target: 0.6 } },
  },
  { name: 'gspo', settings: gspo, shared: true },
  { name: 'gspo with advantages by token', settings: gspo },
  { name: 'gspo against a proximal policy', settings: { ...gspo, dualClip: 1.3 }, proximal: true },
  { name: 'cispo', settings: { surrogate: 'cispo', clipLow: 0.5 } },
  {
    name: 'cispo, truncated weights',
    settings: { surrogate: 'cispo', importanceCap: 1 },
    proximal: true,
  },
  { name: 'clip_cov', settings: { surrogate: 'clip_cov', covariance } },
  { name: 'kl_cov', settings: { surrogate: 'kl_cov', covariance } },
];

describe('entropyRule', () => {
  it.each(objectives)(
    'predicts the entropy change of a small natural-gradient step: $name',
    ({ settings, ...options }) => {
      fc.assert(
        fc.property(drawn, (vocabulary) => {
          const update = tabular(vocabulary, settings, options);
          // Central differences: the error is of the order of the step squared.
          expect(Math.abs(predicted(update) - measured(update))).toBeLessThan(1e-5);
        }),
        { numRuns: 60 },
      );
    },
  );

  it('weights a token by its weight in the loss', () => {
    const vocabulary = [
      { logit: 1, count: 2, A: 1, shift: 0 },
      { logit: 0, count: 1, A: -2, shift: 0 },
      { logit: -1, count: 1, A: 0.5, shift: 0 },
    ];
    const update = tabular(vocabulary, {});
    const weights = update.targets.map((y, i) => (1 + y + (i % 2)) / 100);
    const unequal = { ...update, rows: { ...update.rows, weights } };
    expect(predicted(unequal)).not.toBeCloseTo(predicted(update), 2);
    expect(predicted(unequal)).toBeCloseTo(measured(unequal), 6);
  });

  // Probabilities 1/2, 1/4, 1/8, 1/8: H = (1/2 + 2/4 + 3/8 + 3/8)·ln 2 = 1.75·ln 2.
  const counts = [4, 2, 1, 1];
  /** The rule on policy: one token has an advantage, and its surrogate's gradient is A·X. */
  const only = (y: number, AX: number) => {
    const tokens = counts.flatMap((count, k) => new Array<number>(count).fill(k));
    return entropyRule({
      logps: tokens.map((k) => Math.log((counts[k] ?? 0) / 8)),
      ratios: tokens.map(() => 1),
      pulls: tokens.map((k) => (k === y ? -AX / tokens.length : 0)),
    });
  };

  it('matches hand-computed changes for a probable and an improbable token, with advantages of both signs', () => {
    // −Cov = −π_y·A·(log π_y + H). y = 0: −1/2·(−1 + 1.75)·ln 2. y = 3: −1/8·(−3 + 1.75)·ln 2.
    expect(only(0, 1)).toBeCloseTo(-0.375 * ln2, 12);
    expect(only(0, -1)).toBeCloseTo(0.375 * ln2, 12);
    expect(only(3, 1)).toBeCloseTo(0.15625 * ln2, 12);
    expect(only(3, -1)).toBeCloseTo(-0.15625 * ln2, 12);
  });

  it('predicts no change for a uniform policy or for equal advantages', () => {
    const uniform = [2, -1, 0.5].map((A) => ({ logit: 0, count: 1, A, shift: 0 }));
    expect(predicted(tabular(uniform, {}))).toBeCloseTo(0, 12);
    const equal = [1, 0, -1].map((logit) => ({ logit, count: 1, A: 2, shift: 0 }));
    const free = { clipHigh: 100 };
    expect(predicted(tabular(equal, free))).toBeCloseTo(0, 12);
    expect(entropyRule({ logps: [], ratios: [], pulls: [] })).toBe(0);
  });
});
