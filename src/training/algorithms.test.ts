import { describe, expect, it } from 'vitest';
import { thorough } from '../../scripts/tier.mjs';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import { advantageNames } from '../algorithms/advantages.ts';
import type { TrainingBatch } from '../policy/types.ts';
import { overlongPenalty } from './learn/signals.ts';
import { corridorRun, iterate, timeless } from './testing/corridor-run.ts';

const objectives = ['ppo_clip', 'bapo', 'gspo', 'cispo', 'clip_cov', 'kl_cov'] as const;

const oneUpdate = { epochs: 1, mini_batches: 1 };

/** One column of an update's batches, concatenated. */
function column(
  update: { readonly batches: readonly TrainingBatch[] } | undefined,
  pick: (batch: TrainingBatch) => ArrayLike<number> | undefined,
): number[] {
  return (update?.batches ?? []).flatMap((batch) => Array.from(pick(batch) ?? []));
}

/**
 * By default each estimator runs with every third objective; together they cover all objectives.
 */
describe('every estimator with every objective', () => {
  it.each(
    advantageNames.flatMap((advantage, i) =>
      objectives
        .filter((_, k) => thorough || k % 3 === i % 3)
        .map((objective) => ({ advantage, objective })),
    ),
  )('learns the corridor: $advantage, $objective', async ({ advantage, objective }) => {
    const { run } = await corridorRun({
      algorithm: { advantage, objective, gamma: 0.95, gae_lambda: 0.95 },
      evaluation: { interval: 0 },
    });
    for (const { metrics } of await iterate(run, 40)) {
      for (const value of Object.values(metrics)) expect(Number.isFinite(value)).toBe(true);
    }
    const { metrics } = await run.evaluate();
    expect(metrics['eval/success_rate']).toBe(1);
  });
});

describe('advantage estimation', () => {
  it("uses the greedy episode's reward as the remax baseline and counts that episode's turns", async () => {
    const { run, policy } = await corridorRun({
      algorithm: { ...oneUpdate, advantage: 'remax' },
      rollout: { group_size: 2 },
    });
    const { trajectories, metrics } = await run.iterate();
    // With all logits 0 the greedy agent always generates <pad>: four episodes of twelve turns,
    // reward 0.
    const turns = trajectories.reduce((sum, t) => sum + t.turns.length, 0);
    expect(metrics['progress/turns']).toBe(turns + 4 * 12);
    expect(run.tokens).toBe(policy.contexts.length);
    const advantages = column(policy.updates[0], (batch) => batch.advantages);
    const won = trajectories.filter(({ score }) => score === 1);
    expect(advantages.filter((A) => A === 1)).toHaveLength(
      won.reduce((sum, t) => sum + t.turns.length, 0),
    );
    expect(advantages.filter((A) => A === 0)).toHaveLength(
      advantages.filter((A) => A !== 1).length,
    );
    expect(metrics['rollout/turns']).toBe(turns / trajectories.length);
  });

  it('with gae, estimates values before the updates and fits them to the returns', async () => {
    const { run, policy } = await corridorRun({
      algorithm: { advantage: 'gae', epochs: 1, mini_batches: 2, gae_lambda: 1 },
    });
    expect(policy.shape.valueHead).toBe(true);
    const [first, second] = await iterate(run, 2);
    // Values start at 0, so with λ = 1 the return equals the reward-to-go.
    expect(new Set(column(policy.updates[0], (b) => b.oldValues))).toEqual(new Set([0]));
    expect(new Set(column(policy.updates[0], (b) => b.returns))).toEqual(new Set([0, 1]));
    expect(first?.metrics['value/explained_variance']).toBe(0);
    expect(second?.metrics['value/explained_variance']).toBeGreaterThan(0);
    // Both mini-batches of an iteration use the same value estimates, so part of the initial loss
    // (R − 0)²/2 remains.
    expect(first?.metrics['value/loss']).toBeGreaterThan(0);
    const old = new Set(column(policy.updates[2], (b) => b.oldValues));
    expect(old.size).toBeGreaterThan(1);
    expect(policy.updates[2]?.objective.value).toEqual({ coef: 0.5, clip: 0.5 });
  });

  it("bootstraps from the next observation's value if the horizon truncates an episode", async () => {
    const { run, policy } = await corridorRun({
      algorithm: { ...oneUpdate, advantage: 'gae', gae_lambda: 0, gamma: 0.5 },
      horizon: { turns: 1 },
      rollout: { group_size: 128 },
    });
    await run.iterate();
    const { trajectories } = await run.iterate();
    const cut = trajectories.filter(({ truncated }) => truncated);
    expect(cut.length).toBeGreaterThan(0);
    // One turn per episode and λ = 0: the return is the reward plus half the value of the next
    // cell, which the first iteration fitted for cells 0 to 3.
    const scores = await valuesOfCells(policy);
    const returns = column(policy.updates[1], (b) => b.returns).sort();
    const expected = trajectories.map(({ score, finalObservation, terminated }) =>
      Math.fround(score + (terminated ? 0 : 0.5 * (scores.get(finalObservation) ?? Number.NaN))),
    );
    expect(new Set(expected).size).toBeGreaterThan(1);
    for (const [i, value] of expected.sort().entries()) expect(returns[i]).toBeCloseTo(value, 6);
  });
});

/** The value of each observation before the second update, read from the rows of that update. */
async function valuesOfCells(policy: TabularPolicy): Promise<Map<string, number>> {
  const update = policy.updates[1];
  const values = new Map<string, number>();
  for (const batch of update?.batches ?? []) {
    for (const [r, row] of batch.rows.entries()) {
      // `<obs> cell k <act>`: lexemes 0 to 3 are tokens 6 to 9.
      const cell = (batch.tokens[row - 1] ?? 0) - 6;
      values.set(`cell ${cell}`, batch.oldValues?.[r] ?? Number.NaN);
    }
  }
  return values;
}

describe('the KL penalty', () => {
  it('is a loss term of every update, relative to the initial policy', async () => {
    const { run, policy } = await corridorRun({ algorithm: { kl_coef: 0.1 } });
    const results = await iterate(run, 3);
    const uniform = Math.fround(-Math.log(policy.shape.vocabulary));
    expect(policy.updates).toHaveLength(18);
    for (const update of policy.updates) {
      expect(update.objective.kl).toEqual({ estimator: 'k3', coef: 0.1 });
      expect(new Set(column(update, (b) => b.referenceLogps))).toEqual(new Set([uniform]));
    }
    const kl = results.map(({ metrics }) => metrics['policy/ref_kl'] ?? Number.NaN);
    expect(kl[0]).toBeGreaterThan(0);
    expect(kl[2]).toBeGreaterThan(kl[0] ?? Number.NaN);
  });

  it('is subtracted from the rewards before advantages are computed, and adds no loss term', async () => {
    const play = async (kl_coef: number) => {
      const { run, policy } = await corridorRun({
        algorithm: { ...oneUpdate, advantage: 'dr_grpo', kl_coef, kl_placement: 'reward' },
      });
      const results = await iterate(run, 2);
      return { results, policy };
    };
    const [free, held] = [await play(0), await play(0.5)];
    const advantages = ({ policy }: typeof free, u: number) =>
      column(policy.updates[u], (b) => b.advantages);
    // The policy still equals the reference in the first iteration, so the penalty is 0 up to
    // float32 rounding.
    for (const [i, A] of advantages(free, 0).entries()) {
      expect(advantages(held, 0)[i]).toBeCloseTo(A, 5);
    }
    expect(held.results[0]?.metrics['policy/ref_kl']).toBeCloseTo(0, 12);
    expect(held.results[1]?.metrics['policy/ref_kl']).toBeGreaterThan(1e-6);
    expect(advantages(held, 1)).not.toEqual(advantages(free, 1));
    expect(held.policy.updates.every(({ objective }) => objective.kl.coef === 0)).toBe(true);
    expect(free.results[1]?.metrics).not.toHaveProperty('policy/ref_kl');
  });

  it('keeps the policy closer to the reference if its coefficient is larger', async () => {
    const distance = async (kl_coef: number) => {
      const { run } = await corridorRun({ algorithm: { kl_coef } });
      const results = await iterate(run, 10);
      return results.at(-1)?.metrics['policy/ref_kl'] ?? Number.NaN;
    };
    expect(await distance(1)).toBeLessThan(await distance(0.01));
  });
});

describe('the loss', () => {
  it('computes ratios relative to the policy at the start of the iteration, if configured', async () => {
    const { run, policy } = await corridorRun({
      algorithm: { epochs: 1, mini_batches: 2, ratio_to: 'proximal', importance_cap: 2 },
      rollout: { partial_turns: 4 },
    });
    await iterate(run, 4);
    let moved = 0;
    for (const update of policy.updates) {
      const behavior = column(update, (b) => b.behaviorLogps);
      const proximal = column(update, (b) => b.proximalLogps);
      expect(update.objective.importanceCap).toBe(2);
      expect(proximal).toHaveLength(behavior.length);
      moved += proximal.filter((logp, i) => logp !== behavior[i]).length;
    }
    // Tokens of paused episodes were generated by older policies, the others by the current one.
    expect(moved).toBeGreaterThan(0);
    expect(moved).toBeLessThan(policy.contexts.length);
    // The first update of an iteration starts at its proximal policy, so nothing is clipped.
    const first = policy.updates.length - 2;
    const scores = column(policy.updates[first], (b) => b.proximalLogps);
    expect(scores.every(Number.isFinite)).toBe(true);
  });

  it('clips nothing in the first update of an iteration if ratios are relative to the policy before that update', async () => {
    const clipped = async (ratio_to: 'behaviour' | 'proximal') => {
      const { run } = await corridorRun({
        algorithm: { epochs: 1, mini_batches: 1, ratio_to },
        replay: { share: 0.5 },
      });
      const results = await iterate(run, 6);
      return results.reduce((sum, { metrics }) => sum + (metrics['policy/clip_fraction'] ?? 0), 0);
    };
    expect(await clipped('proximal')).toBe(0);
    expect(await clipped('behaviour')).toBeGreaterThan(0);
  });

  it.each([
    ['seq_mean_token_mean', 0, (tokens: number) => 1 / tokens],
    // Twelve turns of one token each.
    ['seq_mean_token_sum_norm', 0, () => 1 / 12],
    ['seq_mean_token_sum_norm', 40, () => 1 / 40],
  ] as const)(
    'weights tokens by %s with normalizer %i',
    async (loss_aggregation, loss_normalizer, weight) => {
      const { run, policy } = await corridorRun({
        algorithm: { ...oneUpdate, loss_aggregation, loss_normalizer },
      });
      const { trajectories } = await run.iterate();
      const expected = trajectories.flatMap(({ turns }) =>
        turns.map(() => Math.fround(weight(turns.length) / trajectories.length)),
      );
      expect(column(policy.updates[0], (b) => b.weights).sort()).toEqual(expected.sort());
    },
  );

  it("normalizes by each phase's horizon, or by the longest horizon of the schedule", async () => {
    const normalizers = async (loss_length: 'phase' | 'schedule') => {
      const { run, policy } = await corridorRun({
        algorithm: { ...oneUpdate, loss_aggregation: 'seq_mean_token_sum_norm', loss_length },
        // The corridor's own limit is 20 turns.
        horizon: { schedule: 'scaling_inter', rounds: [3, 6, 40], interval: 1 },
      });
      const results = await iterate(run, 3);
      return results.map(({ trajectories }, i) => {
        const [weight] = column(policy.updates[i], (batch) => batch.weights);
        return Math.round(1 / ((weight ?? Number.NaN) * trajectories.length));
      });
    };
    expect(await normalizers('phase')).toEqual([3, 6, 20]);
    expect(await normalizers('schedule')).toEqual([20, 20, 20]);
  });

  it('penalizes episodes that end in the overlong part of the horizon', async () => {
    // The last three of twelve turns: ten, eleven and twelve turns cost 1/3, 2/3 and 1.
    expect([9, 10, 11, 12].map((turns) => overlongPenalty(turns, 12, 0.25))).toEqual(
      [0, -1 / 3, -2 / 3, -1].map((penalty) => expect.closeTo(penalty, 12)),
    );
    expect(overlongPenalty(12, 12, 0)).toBe(0);
    const { run, policy } = await corridorRun({
      algorithm: { ...oneUpdate, advantage: 'dr_grpo', overlong_share: 0.25 },
    });
    const { trajectories, metrics } = await run.iterate();
    const plain = trajectories.map(({ turns }) =>
      turns.reduce((sum, { reward }) => sum + reward, 0),
    );
    const shaped = trajectories.map(
      ({ turns }, i) => (plain[i] ?? Number.NaN) + overlongPenalty(turns.length, 12, 0.25),
    );
    expect(shaped).not.toEqual(plain);
    const advantages = trajectories.flatMap(({ turns, group }, i) => {
      const own = shaped.filter((_, k) => trajectories[k]?.group === group);
      const A = (shaped[i] ?? Number.NaN) - own.reduce((a, b) => a + b, 0) / own.length;
      return turns.map(() => Math.round(1e4 * A));
    });
    const trained = column(policy.updates[0], (batch) => batch.advantages);
    expect(trained.map((A) => Math.round(1e4 * A)).sort()).toEqual(advantages.sort());
    // The reported reward is the environment's, without the penalty.
    const mean = plain.reduce((a, b) => a + b, 0) / plain.length;
    expect(metrics['rollout/score']).toBeCloseTo(mean, 12);
  });

  it('selects different Clip-Cov tokens in every update', async () => {
    const { run, policy } = await corridorRun({ algorithm: { objective: 'clip_cov' } });
    await run.iterate();
    const seeds = policy.updates.map(({ objective }) => objective.covariance.seed);
    expect(new Set(seeds).size).toBe(6);
  });

  it("reports BAPO's adapted bounds, and dual clipping when enabled", async () => {
    const { run } = await corridorRun({ algorithm: { objective: 'bapo', dual_clip: 3 } });
    for (const { metrics, details } of await iterate(run, 3)) {
      const mean = (of: (update: (typeof details.updates)[number]) => number) =>
        details.updates.reduce((sum, update) => sum + of(update), 0) / details.updates.length;
      expect(metrics['policy/clip_low']).toBeCloseTo(
        mean((u) => u.clipLow),
        12,
      );
      expect(metrics['policy/clip_high']).toBeCloseTo(
        mean((u) => u.clipHigh),
        12,
      );
      expect(metrics).toHaveProperty(['policy/clip_fraction_dual']);
      for (const { clipLow, clipHigh } of details.updates) {
        expect(clipLow).toBeGreaterThanOrEqual(0.6);
        expect(clipHigh).toBeGreaterThanOrEqual(1.2);
      }
    }
  });
});

describe('the diagnosis of an update', () => {
  it('leaves every result unchanged', async () => {
    const options = { algorithm: { objective: 'bapo', advantage: 'gae' } } as const;
    const plain = await corridorRun({ ...options, diagnostics: { interval: 0 } });
    const looked = await corridorRun({ ...options, diagnostics: { interval: 1 } });
    const [a, b] = [await iterate(plain.run, 4), await iterate(looked.run, 4)];
    const undiagnosed = ({ metrics }: (typeof b)[number]) =>
      Object.fromEntries(
        Object.entries(timeless(metrics)).filter(([key]) => !key.startsWith('diagnostics/')),
      );
    expect(b.map(undiagnosed)).toEqual(a.map(({ metrics }) => timeless(metrics)));
    expect(b.map(({ trajectories }) => trajectories)).toEqual(a.map((r) => r.trajectories));
    expect(b.map(({ details: { diagnosis, ...rest } }) => rest)).toEqual(a.map((r) => r.details));
    for (const { details, metrics } of b) {
      expect(details.diagnosis?.update).toBe(details.updates.at(-1)?.update);
      expect(Object.keys(metrics).filter((key) => key.startsWith('diagnostics/'))).toHaveLength(4);
    }
  });

  it('measures the entropy change on the update’s own tokens', async () => {
    const { run, policy } = await corridorRun({
      algorithm: oneUpdate,
      diagnostics: { interval: 2 },
    });
    const first = await run.iterate();
    expect(first.details).not.toHaveProperty('diagnosis');
    const { metrics, trajectories } = await run.iterate();
    // With one update, the policy before it is the one that generated the tokens.
    const before = trajectories.flatMap(({ turns }) => turns.flatMap((turn) => turn.entropies));
    const after = (await policy.score(policy.updates[1]?.batches ?? [], 1)).flatMap((scores) =>
      Array.from(scores.entropies),
    );
    const mean = (values: readonly number[]) =>
      values.reduce((sum, x) => sum + x, 0) / values.length;
    expect(metrics['diagnostics/entropy_change']).toBeCloseTo(mean(after) - mean(before), 6);
    expect(metrics['diagnostics/entropy_change']).not.toBe(0);
  });

  it('splits the gradient norm by the sign of the advantage', async () => {
    const { run, policy } = await corridorRun({
      algorithm: oneUpdate,
      diagnostics: { interval: 1 },
    });
    const { metrics } = await run.iterate();
    // The weights before the first update equal a freshly created policy's.
    const fresh = new TabularPolicy(policy.shape, policy.capacity);
    const { batches, objective } = policy.updates[0] ?? {};
    if (batches === undefined || objective === undefined) throw new Error('no update was made');
    const norm = (sign: 1 | -1) => fresh.gradientNorm(batches, { ...objective, sign });
    expect(metrics['diagnostics/grad_norm_positive']).toBe(await norm(1));
    expect(metrics['diagnostics/grad_norm_negative']).toBe(await norm(-1));
    expect(await norm(1)).not.toBe(await norm(-1));
  });

  it('keeps the configured number of tokens, spread evenly over the update', async () => {
    const { run, policy } = await corridorRun({ diagnostics: { interval: 1, samples: 10 } });
    const { details } = await run.iterate();
    const samples = details.diagnosis?.samples ?? [];
    expect(samples).toHaveLength(10);
    const update = policy.updates.at(-1);
    const behavior = column(update, (b) => b.behaviorLogps);
    const advantages = column(update, (b) => b.advantages);
    for (const [i, { advantage, logp, ratio, entropy }] of samples.entries()) {
      const from = Math.floor((i * behavior.length) / 10);
      const to = Math.ceil(((i + 1) * behavior.length) / 10);
      const rows = advantages.map((A, r) => [A, Math.exp(logp - (behavior[r] ?? 0))] as const);
      expect(
        rows.slice(from, to).some(([A, r]) => A === advantage && Math.abs(r - ratio) < 1e-9),
      ).toBe(true);
      expect(entropy).toBeGreaterThan(0);
    }
    const few = await corridorRun({ diagnostics: { interval: 1, samples: 4096 } });
    const all = (await few.run.iterate()).details.diagnosis?.samples ?? [];
    expect(all).toHaveLength(column(few.policy.updates.at(-1), (b) => b.targets).length);
  });

  it('is absent for a skipped update', async () => {
    const { run, policy } = await corridorRun({
      algorithm: oneUpdate,
      diagnostics: { interval: 1 },
    });
    policy.failures.push('gradient');
    const { details, metrics } = await run.iterate();
    expect(details).not.toHaveProperty('diagnosis');
    expect(Object.keys(metrics).some((key) => key.startsWith('diagnostics/'))).toBe(false);
  });
});
