import { describe, expect, it } from 'vitest';
import { contextOf, type TabularPolicy } from '../agents/testing/tabular-policy.ts';
import type { ConfigInput } from '../config/schema.ts';
import { isMetricKey, metrics as registry } from '../runs/metrics.ts';
import { TaskDeck } from './play/deck.ts';
import { splitSeed } from './random.ts';
import type { Phase } from './recipe.ts';
import { corridorRun as make, timeless } from './testing/corridor-run.ts';

describe('Trainer', () => {
  it('learns the corridor: greedy success on every task', async () => {
    const { run } = await make();
    const before = await run.evaluate();
    const scores: number[] = [];
    for (let i = 0; i < 30; i++) {
      const { metrics } = await run.iterate();
      scores.push(metrics['rollout/success_rate'] ?? Number.NaN);
    }
    const after = await run.evaluate();
    expect(before.metrics['eval/success_rate']).toBe(0);
    expect(after.metrics['eval/success_rate']).toBe(1);
    expect(scores.at(-1)).toBeGreaterThan((scores[0] ?? 1) + 0.3);
    for (const { turns } of after.trajectories) {
      expect(turns.every(({ action }) => action === 'right')).toBe(true);
    }
  });

  it('gives the same run for the same seed, and a different run for a different seed', async () => {
    const play = async (seed: number) => {
      const { run, seeds } = await make({ seed });
      const results = [await run.iterate(), await run.iterate(), await run.iterate()];
      return {
        seeds,
        rows: results.map(({ metrics }) => timeless(metrics)),
        trajectories: results.map(({ trajectories }) => trajectories),
      };
    };
    const once = await play(5);
    expect(await play(5)).toEqual(once);
    const other = await play(6);
    expect(other.trajectories).not.toEqual(once.trajectories);
    expect(other.seeds).not.toEqual(once.seeds);
  });

  it.each([0, 1, 2])(
    'trains on every generated token once per epoch, in its own context (window %i)',
    async (history_window) => {
      const { run, policy } = await make({
        agent: { history_window, context_length: 40, max_action_tokens: 2 },
      });
      await run.iterate();
      const read = policy.contexts.map(({ context, token }) => `${context.join(' ')}→${token}`);
      expect(policy.updates).toHaveLength(6);
      for (const epoch of [policy.updates.slice(0, 3), policy.updates.slice(3)]) {
        const trained = epoch.flatMap(({ batches }) =>
          batches.flatMap((batch) =>
            Array.from(
              batch.rows,
              (row, r) => `${contextOf(batch, row).join(' ')}→${batch.targets[r]}`,
            ),
          ),
        );
        expect(trained.sort()).toEqual([...read].sort());
      }
    },
  );

  it('shuffles again in each epoch', async () => {
    const { run, policy } = await make();
    await run.iterate();
    const tokens = policy.updates.map(({ batches }) => batches.flatMap((b) => [...b.targets]));
    expect(tokens.slice(0, 3).flat()).not.toEqual(tokens.slice(3).flat());
  });

  it('weights each token of a mini-batch equally, for any split into micro-batches', async () => {
    // With the whole episode as context, contexts are not shared and need several micro-batches.
    const { run, policy } = await make({
      agent: { history_window: 0 },
      algorithm: { micro_batch_tokens: 128 },
    });
    await run.iterate();
    for (const { batches } of policy.updates) {
      expect(batches.length).toBeGreaterThan(1);
      const rows = batches.reduce((total, { rows: r }) => total + r.length, 0);
      for (const { weights } of batches) {
        for (const weight of weights) expect(weight).toBe(Math.fround(1 / rows));
      }
    }
  });

  it('learns the same weights for any micro-batch size', async () => {
    const agent = { history_window: 0 };
    const small = await make({ agent, algorithm: { micro_batch_tokens: 128 } });
    const large = await make({ agent, algorithm: { micro_batch_tokens: 65536 } });
    for (let i = 0; i < 3; i++) {
      const a = await small.run.iterate();
      const b = await large.run.iterate();
      expect(a.metrics['policy/loss']).toBeCloseTo(b.metrics['policy/loss'] ?? Number.NaN, 6);
      expect(a.metrics['rollout/score']).toBe(b.metrics['rollout/score']);
    }
    const count = (policy: TabularPolicy) =>
      policy.updates.reduce((total, { batches }) => total + batches.length, 0);
    expect(count(small.policy)).toBeGreaterThan(count(large.policy));
  });

  it("gives every token its episode's advantage, zero in a group of equal rewards", async () => {
    const { run, policy } = await make({ algorithm: { epochs: 1, mini_batches: 1 } });
    const { trajectories, metrics } = await run.iterate();
    const groups = [0, 1, 2, 3].map((g) => trajectories.filter(({ group }) => group === g));
    const dead = groups.filter((group) => new Set(group.map(({ score }) => score)).size === 1);
    expect(metrics['rollout/group_zero_std']).toBe(dead.length / groups.length);
    for (const group of groups) {
      expect(new Set(group.map(({ task }) => task)).size).toBe(1);
      expect(group).toHaveLength(8);
    }
    const advantages = policy.updates.flatMap(({ batches }) =>
      batches.flatMap((batch) => Array.from(batch.advantages)),
    );
    // In a mixed group successes are above the mean, failures below.
    const tokensOf = (wanted: (score: number, scores: number[]) => boolean) =>
      groups
        .flatMap((group) => {
          const scores = group.map(({ score }) => score);
          return group.filter(({ score }) => wanted(score, scores));
        })
        .reduce((total, { turns }) => total + turns.length, 0);
    const mean = (scores: number[]) => scores.reduce((s, x) => s + x, 0) / scores.length;
    expect(advantages.filter((A) => A > 0)).toHaveLength(tokensOf((s, all) => s > mean(all)));
    expect(advantages.filter((A) => A < 0)).toHaveLength(tokensOf((s, all) => s < mean(all)));
    expect(advantages.some((A) => A > 0)).toBe(true);
  });

  it('warms up the learning rate over the updates, then keeps it constant', async () => {
    const { run, policy } = await make({ optimizer: { learning_rate: 1, warmup_updates: 4 } });
    await run.iterate();
    const rates = policy.updates.map(({ step }) => step.learningRate);
    expect(rates).toEqual([0.25, 0.5, 0.75, 1, 1, 1]);
  });

  it('passes objective, optimizer and temperature settings to the policy', async () => {
    const { run, policy } = await make({
      agent: { temperature: 1.5 },
      algorithm: { clip_low: 0.7, clip_high: 1.4, entropy_coef: 0.02 },
      optimizer: {
        learning_rate: 0.5,
        beta1: 0.8,
        beta2: 0.95,
        epsilon: 1e-6,
        weight_decay: 0.1,
        max_grad_norm: 2,
      },
    });
    await run.iterate();
    expect(policy.updates[0]).toMatchObject({
      objective: { clipLow: 0.7, clipHigh: 1.4, entropyCoef: 0.02, temperature: 1.5 },
      step: {
        learningRate: 0.5,
        beta1: 0.8,
        beta2: 0.95,
        epsilon: 1e-6,
        weightDecay: 0.1,
        maxGradNorm: 2,
      },
    });
    expect(new Set(policy.generated.map(({ temperature }) => temperature))).toEqual(new Set([1.5]));
  });

  it('reports only registered metrics, consistent with the trajectories and updates', async () => {
    const { run, policy } = await make({ horizon: { turns: 5 } });
    const first = await run.iterate();
    const { metrics, trajectories, evaluation } = await run.iterate();
    expect(Object.keys(metrics).every(isMetricKey)).toBe(true);
    // Absent, because they are reported only if a setting enables them.
    const switchedOff = [
      ...[
        'imitation/loss',
        'imitation/success_rate',
        'preference/loss',
        'rollout/resampled',
        'rollout/paused',
      ],
      ...['rollout/replay_share', 'policy/clip_fraction_dual', 'policy/ref_kl', 'value/loss'],
      ...['value/explained_variance', 'value/mean', 'value/return_mean'],
      ...['diagnostics/entropy_change', 'diagnostics/entropy_rule'],
      ...['diagnostics/grad_norm_positive', 'diagnostics/grad_norm_negative'],
      // Here the sampling policy is the trained policy.
      ...['policy/sampler_gap', 'policy/sampler_kl'],
      ...['policy/sampler_ess', 'policy/sampler_ess_episodes'],
      // Only remote environments report these.
      ...['rollout/faults', 'time/answer'],
      // Computed outside the trainer, in `runs/first-clip.ts`.
      'policy/first_clip_fraction',
    ];
    expect(Object.keys(metrics).sort()).toEqual(
      registry
        .map(({ key }) => key)
        .filter(
          (key) =>
            !switchedOff.includes(key) && !/^(evolution|critique|self_improvement)[/]/.test(key),
        )
        .sort(),
    );
    for (const value of Object.values(metrics)) expect(Number.isFinite(value)).toBe(true);
    const turns = trajectories.reduce((total, t) => total + t.turns.length, 0);
    const before = first.trajectories.reduce((total, t) => total + t.turns.length, 0);
    expect(metrics['rollout/turns']).toBe(turns / 32);
    expect(metrics['rollout/horizon']).toBe(5);
    expect(metrics['rollout/truncated']).toBe(trajectories.filter((t) => t.truncated).length / 32);
    expect(metrics['progress/turns']).toBe(turns + before);
    expect(metrics['progress/tokens']).toBe(turns + before);
    // Six updates with nearly equal numbers of tokens, 0 to 5 versions after the rollout policy.
    expect(metrics['policy/staleness']).toBeGreaterThan(2);
    expect(metrics['policy/staleness']).toBeLessThan(3);
    expect(policy.updates).toHaveLength(12);
    expect(first.evaluation).toBeUndefined();
    expect(first.metrics['eval/score']).toBeUndefined();
    expect(metrics['eval/success_rate']).toBe(evaluation?.metrics['eval/success_rate']);
    expect(evaluation?.trajectories).toHaveLength(4);
  });

  it('evaluates greedily without changing the run', async () => {
    const plain = await make({ evaluation: { interval: 0 } });
    const evaluated = await make({ evaluation: { interval: 1, tasks: 2, horizon: 3 } });
    for (let i = 0; i < 3; i++) {
      const a = await plain.run.iterate();
      const b = await evaluated.run.iterate();
      expect(b.trajectories).toEqual(a.trajectories);
      expect(b.evaluation?.trajectories).toHaveLength(2);
      for (const { turns } of b.evaluation?.trajectories ?? []) {
        expect(turns.length).toBeLessThanOrEqual(3);
      }
    }
    const greedy = evaluated.policy.generated.filter(({ temperature }) => temperature === 0);
    expect(greedy.length).toBeGreaterThan(0);
    expect(plain.policy.generated.every(({ temperature }) => temperature > 0)).toBe(true);
  });

  it('follows the ScalingInter schedule from phase to phase', async () => {
    const { run } = await make({
      horizon: { schedule: 'scaling_inter', rounds: [2, 4, 99], interval: 2 },
    });
    const horizons: (number | undefined)[] = [];
    for (let i = 0; i < 6; i++) {
      const { metrics, trajectories } = await run.iterate();
      const horizon = metrics['rollout/horizon'] ?? 0;
      horizons.push(horizon);
      expect(Math.max(...trajectories.map(({ turns }) => turns.length))).toBeLessThanOrEqual(
        horizon,
      );
    }
    // The environment's own limit, 20, applies if a phase exceeds it.
    expect(horizons).toEqual([2, 2, 4, 4, 20, 20]);
  });

  it('stops at its iteration limit, turn budget, token budget or target success rate', async () => {
    const until = async (over: ConfigInput) => {
      const { run } = await make(over);
      for (let i = 0; i < 60 && run.stopped === null; i++) await run.iterate();
      return run;
    };
    const iterations = await until({ stopping: { iterations: 3 } });
    expect([iterations.stopped, iterations.iteration]).toEqual(['iterations', 3]);
    const turns = await until({ stopping: { turns: 500 } });
    expect(turns.stopped).toBe('turns');
    expect(turns.turns).toBeGreaterThanOrEqual(500);
    expect(turns.turns).toBeLessThan(500 + 32 * 12);
    const tokens = await until({ stopping: { tokens: 500 } });
    expect(tokens.stopped).toBe('tokens');
    expect(tokens.tokens).toBeGreaterThanOrEqual(500);
    expect(tokens.tokens).toBeLessThan(500 + 32 * 12);
    const success = await until({ stopping: { success: 0.9 } });
    expect(success.stopped).toBe('success');
    expect(success.iteration % 2).toBe(0);
  });

  it('reports progress through its phases, and abandons the iteration if the callback throws', async () => {
    const { run } = await make({ evaluation: { interval: 1 } });
    const seen: [Phase, number][] = [];
    await run.iterate((phase, fraction) => seen.push([phase, fraction]));
    const phases = seen.map(([phase]) => phase);
    expect([...new Set(phases)]).toEqual(['rollout', 'update', 'evaluate']);
    for (const phase of ['rollout', 'update', 'evaluate'] as const) {
      const fractions = seen.filter(([p]) => p === phase).map(([, fraction]) => fraction);
      expect(fractions[0]).toBe(0);
      expect(fractions.at(-1)).toBe(1);
    }
    const leave = run.iterate(() => {
      throw new Error('enough');
    });
    await expect(run.iterate()).rejects.toThrow(/still running/);
    await expect(leave).rejects.toThrow('enough');
    run.destroy();
  });
});

describe('a random stream', () => {
  it('is independent: drawing from it does not advance the others', () => {
    const a = splitSeed(9);
    const b = splitSeed(9);
    for (let i = 0; i < 10; i++) a.tasks.below(100);
    const draw = ({ shuffle }: typeof a) => Array.from({ length: 8 }, () => shuffle.below(1000));
    expect(draw(a)).toEqual(draw(b));
    expect(splitSeed(9).init.seed()).not.toBe(splitSeed(9).sampling.seed());
  });

  it('shuffles a deck that deals every task equally often', () => {
    const deck = new TaskDeck(['a', 'b', 'c'], splitSeed(1).tasks);
    const dealt = [...deck.deal(4), ...deck.deal(4), ...deck.deal(4)];
    expect(dealt.slice(0, 3).sort()).toEqual(['a', 'b', 'c']);
    for (const task of ['a', 'b', 'c']) expect(dealt.filter((t) => t === task)).toHaveLength(4);
  });
});
