import { describe, expect, it } from 'vitest';
import type { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import { corridorRun, iterate, quietCorridor } from './testing/corridor-run.ts';
import type { IterationResult } from './trainer.ts';

/** A key for each token of the episodes: its id and log-probability. */
function tokensOf(trajectories: readonly Trajectory[]): string[] {
  return trajectories.flatMap(({ turns }) =>
    turns.flatMap(({ actionTokens, logps }) =>
      actionTokens.map((token, k) => `${token} ${logps[k]}`),
    ),
  );
}

/** The same key for tokens that a policy was trained on. */
function trainedTokens(updates: TabularPolicy['updates']): string[] {
  return updates.flatMap(({ batches }) =>
    batches.flatMap((batch) =>
      Array.from(batch.targets, (token, r) => `${token} ${batch.behaviorLogps[r]}`),
    ),
  );
}

function trainedCount({ details }: IterationResult): number {
  return details.staleness.reduce((sum, [, tokens]) => sum + tokens, 0);
}

function written(trajectories: readonly Trajectory[]): number {
  return trajectories.reduce((sum, { turns }) => sum + turns.length, 0);
}

describe('off-policy training', () => {
  it('with one update per rollout is on-policy: no staleness, ratios of 1, nothing clipped', async () => {
    const { run } = await corridorRun({ algorithm: { epochs: 1, mini_batches: 1 } });
    for (const { metrics, details, trajectories } of await iterate(run, 3)) {
      expect(details.updates).toHaveLength(1);
      expect(details.staleness).toEqual([[0, written(trajectories)]]);
      expect(metrics['policy/staleness']).toBe(0);
      expect(metrics['policy/staleness_max']).toBe(0);
      // Log-probabilities are stored in float32, accurate to about 1e-7.
      expect(metrics['policy/approx_kl']).toBeCloseTo(0, 12);
      expect(metrics['policy/clip_fraction']).toBe(0);
      expect(details.updates[0]?.positiveCounts[0]).toBe(0);
      expect(details.updates[0]?.positiveCounts[2]).toBe(0);
    }
  });

  it('makes one update per mini-batch and epoch, each one version staler than the last', async () => {
    const { run, policy } = await corridorRun({ algorithm: { epochs: 3, mini_batches: 2 } });
    const [result] = await iterate(run, 1);
    const { details, metrics, trajectories } = result ?? (await run.iterate());
    expect(policy.updates).toHaveLength(6);
    expect(details.updates.map(({ update }) => update)).toEqual([1, 2, 3, 4, 5, 6]);
    // Versions 0 to 5 learn from tokens of version 0, one mini-batch each.
    expect(details.staleness.map(([gap]) => gap)).toEqual([0, 1, 2, 3, 4, 5]);
    const tokens = policy.updates.map(({ batches }) =>
      batches.reduce((sum, { targets }) => sum + targets.length, 0),
    );
    expect(details.staleness.map(([, n]) => n)).toEqual(tokens);
    expect(tokens.reduce((sum, n) => sum + n, 0)).toBe(3 * written(trajectories));
    expect(metrics['policy/staleness_max']).toBe(5);
    expect(metrics['policy/staleness']).toBeCloseTo(
      tokens.reduce((sum, n, gap) => sum + gap * n, 0) / (3 * written(trajectories)),
      12,
    );
  });

  it('mixes in replayed groups that keep their original log-probabilities and versions', async () => {
    const { run, policy } = await corridorRun({
      algorithm: { epochs: 1, mini_batches: 2 },
      replay: { share: 0.5, capacity: 2 },
    });
    const results = await iterate(run, 4);
    // Nothing to replay at first; later as many replayed as fresh episodes, 32.
    expect(results.map(({ metrics }) => metrics['rollout/replay_share'])).toEqual([
      0, 0.5, 0.5, 0.5,
    ]);
    for (const [i, { details, trajectories }] of results.entries()) {
      const trained = trainedTokens(policy.updates.slice(2 * i, 2 * i + 2));
      // Every fresh token once, plus tokens of the previous two iterations only.
      const left = [...trained];
      for (const token of tokensOf(trajectories)) {
        const at = left.indexOf(token);
        expect(at).not.toBe(-1);
        left.splice(at, 1);
      }
      const earlier = new Set(
        tokensOf(results.slice(Math.max(0, i - 2), i).flatMap((result) => result.trajectories)),
      );
      for (const token of left) expect(earlier.has(token)).toBe(true);
      expect(left.length > 0).toBe(i > 0);
      // Two updates per iteration: tokens from k iterations ago are 2k or 2k + 1 versions old.
      const oldest = Math.max(...details.staleness.map(([gap]) => gap));
      expect(oldest).toBeLessThanOrEqual(2 * Math.min(i, 2) + 1);
      if (i === 0) expect(oldest).toBe(1);
      else expect(oldest).toBeGreaterThanOrEqual(2);
    }
  });

  it('does not replay tokens beyond the maximum staleness', async () => {
    const { run } = await corridorRun({
      algorithm: { epochs: 1, mini_batches: 3 },
      replay: { share: 0.5, capacity: 8, max_age: 3 },
    });
    const results = await iterate(run, 4);
    for (const { details } of results.slice(1)) {
      // Generated three versions before the iteration, used by its third update at the latest.
      expect(Math.max(...details.staleness.map(([gap]) => gap))).toBe(5);
    }
  });

  it('draws no random numbers if every replayed token would be too old, so the run equals one without replay', async () => {
    const plain = await corridorRun();
    const never = await corridorRun({ replay: { share: 0.5, max_age: 1 } });
    // Six updates per iteration: by then everything is more than one version old.
    const [a, b] = [await iterate(plain.run, 3), await iterate(never.run, 3)];
    expect(b.map(({ details }) => details)).toEqual(a.map(({ details }) => details));
  });

  it.each(['turns', 'tokens'] as const)(
    'pauses episodes at a budget of %s and continues them with a newer policy',
    async (unit) => {
      const { run, policy } = await corridorRun({
        algorithm: { epochs: 1, mini_batches: 2 },
        rollout: { [`partial_${unit}`]: 3 },
        evaluation: { interval: 0 },
      });
      // Policy version at the start of each iteration; iterations without a finished group make no
      // update.
      const versions = [0];
      const spans: number[] = [];
      for (let i = 1; i <= 8; i++) {
        const { trajectories, metrics } = await run.iterate();
        if (i === 1) expect(metrics['rollout/paused']).toBeGreaterThan(0);
        const learner = versions[i - 1] ?? 0;
        versions.push(policy.version);
        let oldest = learner;
        // One token per turn, so either budget allows three turns per iteration.
        for (const { turns, iteration } of trajectories) {
          const writers = turns.map(({ version }) => version);
          expect(writers).toEqual(turns.map((_, t) => versions[iteration - 1 + Math.floor(t / 3)]));
          spans.push(new Set(writers).size);
          oldest = Math.min(oldest, ...writers);
        }
        // The second of the two updates is one version further from every policy that generated
        // tokens.
        expect(metrics['policy/staleness_max']).toBe(
          trajectories.length === 0 ? undefined : learner + 1 - oldest,
        );
      }
      expect(policy.version).toBeGreaterThan(8);
      expect(Math.max(...spans)).toBe(4);
      // Every policy token is counted in the iteration that generates it.
      expect(run.tokens).toBe(policy.contexts.length);
      expect(run.turns).toBe(policy.contexts.length);
    },
  );

  it('trains on a group once all its episodes are finished, and on each episode once', async () => {
    const { run, policy } = await corridorRun({
      algorithm: { epochs: 1, mini_batches: 2 },
      rollout: { partial_turns: 2 },
    });
    const seen = new Set<string>();
    for (let i = 1; i <= 8; i++) {
      const before = policy.updates.length;
      const result = await run.iterate();
      const groups = new Map<string, number>();
      for (const { iteration, group, episode } of result.trajectories) {
        const name = `${iteration}/${episode}`;
        expect(seen.has(name)).toBe(false);
        seen.add(name);
        groups.set(`${iteration}/${group}`, (groups.get(`${iteration}/${group}`) ?? 0) + 1);
      }
      for (const size of groups.values()) expect(size).toBe(8);
      const trained = trainedTokens(policy.updates.slice(before));
      expect(trained.sort()).toEqual(tokensOf(result.trajectories).sort());
      expect(trainedCount(result)).toBe(written(result.trajectories));
      // Twelve turns, two per iteration: no group is complete before every episode succeeds, and
      // every group is complete by the sixth iteration after its start.
      for (const { iteration } of result.trajectories) expect(i - iteration).toBeLessThan(6);
    }
    expect(seen.size).toBeGreaterThan(32);
  });

  it.each([
    {},
    { advantage: 'gae', ratio_to: 'proximal', kl_coef: 0.1, kl_placement: 'reward' },
    { advantage: 'remax', loss_aggregation: 'seq_mean_token_mean' },
  ] as const)('reports an iteration without finished groups (%o)', async (algorithm) => {
    const { run, policy } = await corridorRun({ algorithm, rollout: { partial_turns: 1 } });
    const { metrics, details, trajectories } = await run.iterate();
    expect(trajectories).toEqual([]);
    expect(policy.updates).toEqual([]);
    expect(details).toEqual({ updates: [], staleness: [] });
    expect(metrics['progress/turns']).toBe(32);
    expect(metrics).not.toHaveProperty('rollout/success_rate');
    expect(metrics).not.toHaveProperty('policy/loss');
    for (const value of Object.values(metrics)) expect(Number.isFinite(value)).toBe(true);
  });
});

describe('dynamic sampling', () => {
  it('replaces groups without signal with groups on other tasks and trains only on groups with signal', async () => {
    const { run, policy } = await corridorRun({
      rollout: { resampling_rounds: 2 },
      algorithm: { epochs: 1, mini_batches: 1 },
      horizon: { turns: 6 },
    });
    let resampled = 0;
    for (let i = 0; i < 6; i++) {
      const { metrics, trajectories } = await run.iterate();
      const groups = new Map<number, Trajectory[]>();
      for (const t of trajectories) groups.set(t.group, [...(groups.get(t.group) ?? []), t]);
      expect(groups.size).toBe(4 + (metrics['rollout/resampled'] ?? Number.NaN));
      resampled += metrics['rollout/resampled'] ?? 0;
      // Episodes of each round have their own numbers and therefore their own draws.
      expect(new Set(trajectories.map(({ episode }) => episode)).size).toBe(trajectories.length);
      const dead = [...groups.values()].filter(
        (group) => new Set(group.map(({ score }) => score)).size === 1,
      );
      expect(metrics['rollout/group_zero_std']).toBe(dead.length / groups.size);
      const kept = trajectories.filter((t) => !dead.some((group) => group.includes(t)));
      const batches = policy.updates.at(-1)?.batches ?? [];
      expect(trainedTokens(policy.updates.slice(-1)).sort()).toEqual(tokensOf(kept).sort());
      expect(batches.every(({ advantages }) => advantages.every((A) => A !== 0))).toBe(true);
    }
    expect(resampled).toBeGreaterThan(0);
  });

  it('makes no update if no group has a signal', async () => {
    const hopeless = { ...quietCorridor, trainTasks: ['corridor_0'] };
    const { run, policy } = await corridorRun(
      { rollout: { resampling_rounds: 3 }, horizon: { turns: 2 } },
      hopeless,
    );
    const { metrics, details, trajectories } = await run.iterate();
    // Four groups of eight, four times.
    expect(trajectories).toHaveLength(4 * 32);
    expect(metrics['rollout/resampled']).toBe(12);
    expect(metrics['rollout/group_zero_std']).toBe(1);
    expect(policy.updates).toEqual([]);
    expect(details).toEqual({ updates: [], staleness: [] });
    expect(metrics['policy/skipped_updates']).toBe(0);
  });
});

describe('an update without a gradient', () => {
  const hopeless = { ...quietCorridor, trainTasks: ['corridor_0'] };

  it('skips the optimizer step but is counted', async () => {
    const { run, policy } = await corridorRun({ horizon: { turns: 2 } }, hopeless);
    const { metrics, details } = await run.iterate();
    expect(metrics['rollout/group_zero_std']).toBe(1);
    expect(metrics['policy/idle_updates']).toBe(6);
    expect(metrics['policy/entropy']).toBeGreaterThan(0);
    expect(policy.updates).toEqual([]);
    expect(policy.version).toBe(0);
    expect(details).toEqual({ updates: [], staleness: [] });
  });

  it('occurs only for mini-batches whose advantages are all 0', async () => {
    const { run, policy } = await corridorRun({
      rollout: { tasks_per_iteration: 3, group_size: 2 },
      algorithm: { mini_batches: 6 },
    });
    let idle = 0;
    for (let i = 0; i < 5; i++) {
      const asked = policy.updates.length;
      const { metrics } = await run.iterate();
      const made = policy.updates.slice(asked);
      idle += metrics['policy/idle_updates'] ?? Number.NaN;
      expect(made.length + (metrics['policy/idle_updates'] ?? Number.NaN)).toBe(12);
      for (const { batches } of made) {
        expect(batches.some(({ advantages }) => advantages.some((A) => A !== 0))).toBe(true);
      }
    }
    expect(idle).toBeGreaterThan(0);
    expect(policy.updates.length).toBeGreaterThan(0);
  });

  it('does not occur if the loss has another term', async () => {
    for (const algorithm of [
      { entropy_coef: 0.01 },
      { kl_coef: 0.01, kl_placement: 'loss' },
      { advantage: 'gae' },
      { objective: 'kl_cov' },
    ] as const) {
      const { run, policy } = await corridorRun(
        { algorithm: { entropy_coef: 0, ...algorithm }, horizon: { turns: 2 } },
        hopeless,
      );
      const { metrics } = await run.iterate();
      expect(metrics).not.toHaveProperty('policy/idle_updates');
      expect(policy.updates).toHaveLength(6);
    }
  });
});
