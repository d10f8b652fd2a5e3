import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { withMethod } from '../config/methods.ts';
import { presetConfig } from '../config/presets.ts';
import type { TokenSample, UpdateDetail } from '../runs/details.ts';
import { type MetricRow, metrics } from '../runs/metrics.ts';
import { fitEntropyRule } from '../runs/rule-fit.ts';
import { maze, mixed, update, wordle } from '../runs/testing/rows.ts';
import { isHeld, shareTarget, updateOf, zonesOf } from './bounds.ts';
import * as curves from './curves.ts';
import { whyEntropy, whyEnvironments, whyHorizon, whySuccess } from './curves.ts';
import type { EvidenceRow, Facts, Rule } from './evidence.ts';
import { introduction, tell } from './story.ts';
import { whyQuadrants } from './tokens.ts';
import { recentMean, trend } from './trend.ts';
import * as ofUpdates from './updates.ts';
import { whyBounds, whyEntropyChange, whyShare } from './updates.ts';

const row = (iteration: number, metrics: MetricRow): EvidenceRow => ({
  iteration,
  metrics,
});
const config = presetConfig('maze');

describe('explanation of a run', () => {
  const evidence = (rows: readonly EvidenceRow[]) => ({
    rows,
    evaluations: [],
    facts: config,
    vocabulary: 57,
  });
  const series = (length: number, metrics: (i: number) => MetricRow) =>
    Array.from({ length }, (_, i) => row(i + 1, metrics(i)));

  it('distinguishes a clear change from scatter', () => {
    const noise = series(20, (i) => ({ 'policy/entropy': i % 2 === 0 ? 1 : 1.4 }));
    expect(trend(noise, 'policy/entropy')?.clear).toBe(false);
    const fall = series(20, (i) => ({ 'policy/entropy': 3 - 0.1 * i }));
    const moved = trend(fall, 'policy/entropy');
    expect(moved?.clear).toBe(true);
    expect(moved?.change).toBeCloseTo(-0.5);
    expect(trend(fall.slice(0, 1), 'policy/entropy')).toBeUndefined();
    expect(recentMean(fall, 'policy/entropy')).toBeCloseTo(1.3);
    expect(recentMean(fall, 'policy/loss')).toBeUndefined();
  });

  it('explains near-random entropy, changes driven by advantages, and lost exploration', () => {
    expect(whyEntropy(evidence([]))).toBeNull();
    expect(whyEntropy(evidence(series(3, () => ({ 'policy/entropy': 4 }))))).toMatch(/ln 57/);
    expect(whyEntropy(evidence(series(12, (i) => ({ 'policy/entropy': 3 - 0.1 * i }))))).toMatch(
      /positive advantage/,
    );
    const dead = series(12, () => ({ 'policy/entropy': 0.01, 'rollout/success_rate': 0.1 }));
    expect(whyEntropy(evidence(dead))).toMatch(/stopped exploring/);
  });

  it('mentions a horizon that has just grown', () => {
    const rows = series(12, (i) => ({
      'rollout/success_rate': 0.2,
      'rollout/turns': 9,
      'rollout/horizon': i < 10 ? 10 : 20,
    }));
    expect(whySuccess(evidence(rows))).toMatch(/from 10 to 20/);
    expect(whyHorizon(evidence(rows))).toMatch(/iteration 11/);
  });

  it('compares the environments of a mixture', () => {
    const at = (rates: readonly number[]) => (i: number) => ({
      ...row(i + 1, {}),
      details: {
        environments: [maze, wordle].map((id, place) => ({
          id,
          episodes: 8,
          successRate: (rates[place] ?? 0) + 0.02 * i * (place === 0 ? 1 : -1),
          score: 0,
          turns: 3,
        })),
      },
    });
    const why = (rows: readonly EvidenceRow[]) =>
      whyEnvironments({ ...evidence(rows), facts: mixed });
    expect(why([])).toBeNull();
    expect(why([row(1, {})])).toMatch(/next iterations/);
    expect(why([at([0.5, 0.52])(0)])).toMatch(/about equally often, 51%/);
    const apart = Array.from({ length: 12 }, (_, i) => at([0.3, 0.9])(i));
    // The last five: 0.3 + 0.02 · (7 + … + 11)/5 = 0.48, and 0.9 − 0.18 = 0.72.
    expect(why(apart)).toBe(
      'Wordle is solved most often, 72%, and Double-T maze least, 48%. Double-T maze rose while Wordle fell: all environments share the same weights.',
    );
  });

  it('introduces the agent and its environment, and reports success after imitation', () => {
    expect(introduction(config)).toBe(
      'Double-T maze: a transformer learns by reinforcement alone.',
    );
    const react = parseConfig({ ...mixed, agent: { format: 'react' }, imitation: { epochs: 2 } });
    expect(introduction(config, 30_449, 'SmolLM2')).toMatch(
      /: an adapter with 30,400 parameters for the pretrained model SmolLM2 learns by reinforcement alone/,
    );
    expect(introduction(react, 30_449)).toBe(
      'Double-T maze and Wordle: a transformer with 30,400 parameters learns first by imitation, then by reinforcement. It writes a thought before each action.',
    );
    expect(introduction({ ...react, recipe: 'evolution' })).toContain(
      ': a transformer learns by imitating an expert and its own successes.',
    );
    expect(introduction({ ...react, recipe: 'critique' })).toContain(
      ': a transformer learns by imitation; then its critic learns by reinforcement.',
    );
    expect(tell(evidence([]), false)).toBeNull();
    const copied = [row(1, { 'imitation/success_rate': 0.4, 'rollout/success_rate': 0.3 })];
    expect(tell(evidence(copied), false)?.detail).toMatch(/40% of the evaluation tasks/);
    expect(tell(evidence(copied), true)?.detail).toMatch(/Imitation alone solved 40%/);
    const late = series(12, () => ({
      'rollout/success_rate': 0.9,
      'rollout/truncated': 0.05,
      'rollout/turns': 6,
    }));
    // Half of the 10% that fail are truncated.
    expect(tell(evidence(late), false)?.detail).toMatch(/50% of the failed episodes are truncated/);
  });

  it('explains why nothing is learned when the rewards within each group are equal', () => {
    const rows = series(12, () => ({
      'rollout/success_rate': 0.02,
      'rollout/group_zero_std': 0.9,
      'rollout/horizon': 10,
    }));
    const grouped = withMethod(config, 'grpo');
    expect(whySuccess({ ...evidence(rows), facts: grouped })).toMatch(/90% of the groups/);
    // PPO's value head still provides a signal in a group with equal rewards.
    expect(whySuccess(evidence(rows))).not.toMatch(/groups/);
  });
});

describe('explanation of an update', () => {
  const token = (logp: number, ratio: number, advantage: number): TokenSample => ({
    logp,
    ratio,
    advantage,
    entropy: 1,
  });
  const bapo = withMethod(config, 'bapo');

  it('derives clipped tokens from the bounds in older records, and reads them directly from newer records', () => {
    const bounds = { clipLow: 0.8, clipHigh: 1.2 };
    const clip = { objective: 'ppo_clip', dual_clip: 0 } as const;
    const dual = { objective: 'ppo_clip', dual_clip: 3 } as const;
    expect(isHeld(token(-1, 1.3, 1), bounds, clip)).toBe(true);
    expect(isHeld(token(-1, 1.3, -1), bounds, clip)).toBe(false);
    expect(isHeld(token(-1, 0.7, -1), bounds, clip)).toBe(true);
    expect(isHeld(token(-1, 0.7, 1), bounds, clip)).toBe(false);
    expect(isHeld(token(-1, 9, 0), bounds, clip)).toBe(false);
    expect(isHeld(token(-1, 1.2, 1), bounds, clip)).toBe(false);
    expect(isHeld(token(-1, 3.1, -1), bounds, dual)).toBe(true);
    expect(isHeld(token(-1, 1.1, 1), bounds, dual)).toBe(false);
    for (const objective of ['gspo', 'cispo', 'kl_cov'] as const) {
      expect(isHeld(token(-1, 1.3, 1), bounds, { objective, dual_clip: 0 })).toBe(false);
    }
    // Clip-Cov selected this token although its ratio is within the bounds; a GSPO episode exceeds its bound.
    const picked = { ...token(-1, 1, 1), held: true };
    expect(isHeld(picked, bounds, { objective: 'clip_cov', dual_clip: 0 })).toBe(true);
    expect(isHeld({ ...token(-1, 1.3, 1), held: false }, bounds, clip)).toBe(false);
  });

  it('splits the gradient among six zones', () => {
    const zones = zonesOf(
      update({ positivePull: [1, 5, 0], negativePull: [0, 3, 1], positiveCounts: [2, 7, 4] }),
    );
    expect(zones.positive).toEqual([
      { tokens: 2, gradient: 0.1 },
      { tokens: 7, gradient: 0.5 },
      { tokens: 4, gradient: 0 },
    ]);
    expect(zones.negative.map(({ gradient }) => gradient)).toEqual([0, 0.3, 0.1]);
    const idle = zonesOf(update({ positivePull: [0, 0, 0], negativePull: [0, 0, 0] }));
    expect(idle.positive[1]?.gradient).toBeNaN();
  });

  it('finds the update of a diagnosis among the rows', () => {
    const rows = [
      {
        ...row(1, {}),
        details: { updates: [update({ update: 1 }), update({ update: 2, loss: 7 })] },
      },
      { ...row(2, {}), details: { updates: [update({ update: 3 })] } },
    ];
    const diagnosis = { update: 2, clipLow: 0.8, clipHigh: 1.2, samples: [] };
    expect(updateOf(rows, 1, diagnosis)?.loss).toBe(7);
    expect(updateOf(rows, 2, diagnosis)).toBeUndefined();
  });

  it('fits the entropy rule by least squares through the origin', () => {
    const diagnosed = (pairs: readonly (readonly [rule: number, change: number])[]) => [
      row(1, {}),
      ...pairs.map(([rule, change], i) =>
        row(i + 2, { 'diagnostics/entropy_rule': rule, 'diagnostics/entropy_change': change }),
      ),
    ];
    const why = (rows: readonly EvidenceRow[]) =>
      whyEntropyChange({ rows, evaluations: [], facts: config });
    // η = Σ xy / Σ x² = (1·2 + 2·3 + (−1)·(−1)) / (1 + 4 + 1) = 9/6.
    // Means 2/3 and 4/3; Σ(x−x̄)(y−ȳ) = 9 − 3·(2/3)·(4/3) = 19/3, Σ(x−x̄)² = 6 − 4/3 = 14/3,
    // Σ(y−ȳ)² = 14 − 16/3 = 26/3; r = 19 / √(14·26).
    const along = diagnosed([
      [1, 2],
      [2, 3],
      [-1, -1],
    ]);
    const fit = fitEntropyRule(along);
    expect(fit.step).toBeCloseTo(1.5);
    expect(fit.correlation).toBeCloseTo(19 / Math.sqrt(364));
    expect(fit).toMatchObject({ updates: 3, sameSign: 3 });
    expect(why(along)).toMatch(/predicts the change well: correlation 1\.00/);
    const against = diagnosed([
      [1, -1],
      [2, 1],
      [3, -1],
    ]);
    expect(fitEntropyRule(against).sameSign).toBe(1);
    expect(why(against)).toMatch(/hardly predicts/);
    expect(fitEntropyRule(diagnosed([])).updates).toBe(0);
    expect(why(diagnosed([]))).toBeNull();
  });

  it('states which tokens are clipped and how that affects entropy', () => {
    const bounds = { update: 1, clipLow: 0.8, clipHigh: 1.2 };
    const probable = Array.from({ length: 6 }, () => token(Math.log(0.9), 1, 1));
    const falling = [token(Math.log(0.9), 1, -1)];
    // Improbable good tokens are clipped, which would have raised entropy.
    const rare = [token(Math.log(0.05), 1.5, 1), token(Math.log(0.05), 1.6, 1)];
    const lowers = whyQuadrants({ ...bounds, samples: [...probable, ...falling, ...rare] }, config);
    expect(lowers).toMatch(/25% have a ratio above 1\.2/);
    // The geometric mean of seven times 0.9 and twice 0.05 is exp((7 ln 0.9 + 2 ln 0.05) / 9) = 0.47.
    expect(lowers).toMatch(/less probable than the average token \(5% and 47%\)/);
    expect(lowers).toMatch(/raise entropy, so clipping them lowers it/);
    // Improbable bad tokens are clipped, which would have sharpened the policy.
    const bad = [token(Math.log(0.05), 0.5, -1)];
    const keeps = whyQuadrants({ ...bounds, samples: [...probable, ...falling, ...bad] }, config);
    expect(keeps).toMatch(/50% have a ratio below 0\.8/);
    expect(keeps).toMatch(/lower entropy, so clipping them keeps it from falling/);
    // Probable bad tokens are clipped: lowering their probability would have raised entropy.
    const sure = [token(Math.log(0.99), 0.5, -1), ...rare.map((s) => ({ ...s, ratio: 1 }))];
    expect(whyQuadrants({ ...bounds, samples: sure }, config)).toMatch(/more probable.*lowers/);
    const same = [token(-1, 1.5, 1), token(-1, 1, -1)];
    expect(whyQuadrants({ ...bounds, samples: same }, config)).toMatch(/hardly changes entropy/);
    expect(whyQuadrants({ ...bounds, samples: probable }, config)).toMatch(/full gradient/);
    expect(whyQuadrants({ ...bounds, samples: [token(-1, 1, 0)] }, config)).toMatch(/zero/);
    // Tokens between the bounds that lose their gradient to another rule.
    const dual = { algorithm: { objective: 'ppo_clip', dual_clip: 3 } } as const;
    const far = token(-1, 4, -1);
    expect(whyQuadrants({ ...bounds, samples: [...probable, far] }, dual)).toBe(
      'No token is beyond its bound. 14% of all tokens lose their gradient to the dual clip.',
    );
    const chosen = { ...token(-1, 1, 1), held: true };
    expect(
      whyQuadrants({ ...bounds, samples: [...bad, chosen] }, withMethod(config, 'clip_cov')),
    ).toMatch(
      /100% have a ratio below 0\.8 .* 50% of all tokens .* because of their covariance\.$/,
    );
    // BAPO's wider bound kept the gradient of the same tokens.
    const wide = { update: 1, clipLow: 0.6, clipHigh: 2, samples: [...probable, ...rare] };
    expect(whyQuadrants(wide, bapo)).toMatch(/from 1\.2 to 2 kept the gradient of 25%/);
    const gspo = withMethod(config, 'gspo');
    expect(whyQuadrants({ ...bounds, samples: rare }, gspo)).toMatch(
      /single token may lie outside/,
    );
    const episodes = [...rare, ...probable].map((s, i) => ({ ...s, held: i === 0 }));
    expect(whyQuadrants({ ...bounds, samples: episodes }, gspo)).toMatch(
      /whole episodes.* 13% of them belong to clipped episodes/,
    );
  });

  it('distinguishes fixed bounds from moving ones, and states how far they moved', () => {
    const rows = (...updates: readonly Partial<UpdateDetail>[]) => [
      { ...row(1, { 'policy/positive_share': 0.3 }), details: { updates: updates.map(update) } },
    ];
    const evidence = { evaluations: [], facts: bapo };
    expect(whyBounds({ ...evidence, facts: config, rows: rows({}) })).toMatch(/Fixed/);
    // A setting that changed during the last iterations.
    const changed = rows({ clipLow: 0.7, clipHigh: 1.2 }, { clipLow: 0.8, clipHigh: 1.28 });
    expect(whyBounds({ ...evidence, facts: config, rows: changed })).toMatch(/0\.8 and 1\.28\./);
    const still = { clipLow: 0.6, clipHigh: 1.2 };
    expect(whyBounds({ ...evidence, rows: rows(still, still) })).toMatch(
      /did not have to move them/,
    );
    const spent = { clipLow: 0.9, clipHigh: 3 };
    expect(whyBounds({ ...evidence, rows: rows(still, spent, spent) })).toMatch(
      /67%.*reached their limits/,
    );
    expect(whyBounds({ ...evidence, rows: rows(still, { clipHigh: 2 }) })).toMatch(
      /0\.7 and 1\.6 on average; 50% of them/,
    );
    expect(shareTarget(bapo)).toBe(0.4);
    expect(shareTarget(config)).toBeUndefined();
    const active = { ...bapo.bapo, reading: 'active_gradient_share' } as const;
    expect(shareTarget({ ...bapo, bapo: active })).toBeUndefined();
    expect(
      whyShare({ ...evidence, rows: rows({ positiveShare: 0.3 }, { positiveShare: 0.4 }) }),
    ).toMatch(/Below the target of 40% on average\. In 50%/);
    const enough = [
      { ...row(1, { 'policy/positive_share': 0.5 }), details: { updates: [update({})] } },
    ];
    expect(whyShare({ ...evidence, rows: enough })).toMatch(/At or above the target of 40%: /);
  });
});

describe('a log of another tool', () => {
  const keys = metrics.map(({ key }) => key);
  const { whyStaleness: _ofAges, ...updates } = ofUpdates;
  const named: readonly (readonly [string, Rule])[] = Object.entries({ ...curves, ...updates });

  it('is explained from the known metrics and settings, without undefined or NaN in the text', () => {
    expect(named.length).toBeGreaterThan(11);
    fc.assert(
      fc.property(
        fc.array(
          fc.dictionary(
            fc.constantFrom(...keys),
            fc.oneof(fc.double({ min: -1, max: 12, noNaN: true }), fc.constant(Number.NaN)),
          ),
          { maxLength: 12 },
        ),
        fc.constantFrom<Facts>({}, { algorithm: { objective: 'bapo' } }, { bapo: { target: 0.4 } }),
        (logged, facts) => {
          const rows = logged.map((metrics, i) => ({ iteration: i + 1, metrics }));
          const evidence = { rows, evaluations: [], facts };
          for (const [name, rule] of named) {
            const said = rule(evidence);
            if (said !== null) expect(`${name}: ${said}`).toMatch(/\w[.]$/);
            expect(said ?? '').not.toMatch(/undefined|NaN/);
          }
          const summary = tell(evidence, true);
          expect(summary === null).toBe(rows.length === 0);
          expect(`${summary?.headline} ${summary?.detail}`).not.toMatch(/NaN/);
        },
      ),
    );
  });
});
