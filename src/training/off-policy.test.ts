import { describe, expect, it } from 'vitest';
import type { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import type { Trajectory } from '../agents/trajectory.ts';
import { corridorRun, iterate, quietCorridor } from './testing/corridor-run.ts';
import type { IterationResult } from './trainer.ts';

/** What was written, by whom, with what log-probability: the identity of a token of an episode. */
function tokensOf(trajectories: readonly Trajectory[]): string[] {
  return trajectories.flatMap(({ turns }) =>
    turns.flatMap(({ actionTokens, logps }) =>
      actionTokens.map((token, k) => `${token} ${logps[k]}`),
    ),
  );
}

/** The same of what a policy was trained on. */
function trainedTokens(updates: TabularPolicy['updates']): string[] {
  return updates.flatMap(({ batches }) =>
    batches.flatMap((batch) =>
      Array.from(batch.targets, (token, r) => `${token} ${batch.behaviourLogps[r]}`),
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
  it('is on-policy with one update a rollout: no staleness, ratios of 1, nothing clipped', async () => {
    const { run } = await corridorRun({ algorithm: { epochs: 1, mini_batches: 1 } });
    for (const { metrics, details, trajectories } of await iterate(run, 3)) {
      expect(details.updates).toHaveLength(1);
      expect(details.staleness).toEqual([[0, written(trajectories)]]);
      expect(metrics['policy/staleness']).toBe(0);
      expect(metrics['policy/staleness_max']).toBe(0);
      // Log-probabilities are recorded in float32, to some 1e-7.
      expect(metrics['policy/approx_kl']).toBeCloseTo(0, 12);
      expect(metrics['policy/clip_fraction']).toBe(0);
      expect(details.updates[0]?.positiveCounts[0]).toBe(0);
      expect(details.updates[0]?.positiveCounts[2]).toBe(0);
    }
  });

  it('makes an update of each mini-batch in each epoch, one version staler than the one before', async () => {
    const { run, policy } = await corridorRun({ algorithm: { epochs: 3, mini_batches: 2 } });
    const [result] = await iterate(run, 1);
    const { details, metrics, trajectories } = result ?? (await run.iterate());
    expect(policy.updates).toHaveLength(6);
    expect(details.updates.map(({ update }) => update)).toEqual([1, 2, 3, 4, 5, 6]);
    // Versions 0 to 5 learned from what version 0 wrote: one mini-batch each.
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

  it('mixes in replayed groups, which keep the log-probabilities and versions of their writers', async () => {
    const { run, policy } = await corridorRun({
      algorithm: { epochs: 1, mini_batches: 2 },
      replay: { share: 0.5, capacity: 2 },
    });
    const results = await iterate(run, 4);
    // Nothing to replay at first; then as many episodes as there are fresh ones, 32.
    expect(results.map(({ metrics }) => metrics['rollout/replay_share'])).toEqual([
      0, 0.5, 0.5, 0.5,
    ]);
    for (const [i, { details, trajectories }] of results.entries()) {
      const trained = trainedTokens(policy.updates.slice(2 * i, 2 * i + 2));
      // Every fresh token once, and beside them tokens of the two iterations before alone.
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
      // Two updates an iteration: tokens of k iterations ago are 2k or 2k + 1 versions old.
      const oldest = Math.max(...details.staleness.map(([gap]) => gap));
      expect(oldest).toBeLessThanOrEqual(2 * Math.min(i, 2) + 1);
      if (i === 0) expect(oldest).toBe(1);
      else expect(oldest).toBeGreaterThanOrEqual(2);
    }
  });

  it('does not replay what is older than the oldest version allowed', async () => {
    const { run } = await corridorRun({
      algorithm: { epochs: 1, mini_batches: 3 },
      replay: { share: 0.5, capacity: 8, max_age: 3 },
    });
    const results = await iterate(run, 4);
    for (const { details } of results.slice(1)) {
      // Written three versions before the iteration, learned from by its third update at most.
      expect(Math.max(...details.staleness.map(([gap]) => gap))).toBe(5);
    }
  });

  it('draws nothing for a buffer that is off, so that the run is the one without it', async () => {
    const plain = await corridorRun();
    const never = await corridorRun({ replay: { share: 0.5, max_age: 1 } });
    // Six updates an iteration: everything is older than one version by then.
    const [a, b] = [await iterate(plain.run, 3), await iterate(never.run, 3)];
    expect(b.map(({ details }) => details)).toEqual(a.map(({ details }) => details));
  });

  it.each(['turns', 'tokens'] as const)(
    'pauses episodes at a budget of %s and goes on with a newer policy',
    async (unit) => {
      const { run, policy } = await corridorRun({
        algorithm: { epochs: 1, mini_batches: 2 },
        rollout: { [`partial_${unit}`]: 3 },
        evaluation: { interval: 0 },
      });
      // Version of the policy at the start of each iteration; iterations in which no group came to
      // its end made no update.
      const versions = [0];
      const spans: number[] = [];
      for (let i = 1; i <= 8; i++) {
        const { trajectories, metrics } = await run.iterate();
        if (i === 1) expect(metrics['rollout/paused']).toBeGreaterThan(0);
        const learner = versions[i - 1] ?? 0;
        versions.push(policy.version);
        let oldest = learner;
        // One token a turn: whichever the budget counts, three turns an iteration.
        for (const { turns, iteration } of trajectories) {
          const writers = turns.map(({ version }) => version);
          expect(writers).toEqual(turns.map((_, t) => versions[iteration - 1 + Math.floor(t / 3)]));
          spans.push(new Set(writers).size);
          oldest = Math.min(oldest, ...writers);
        }
        // The second of the two updates is one version further from every writer.
        expect(metrics['policy/staleness_max']).toBe(
          trajectories.length === 0 ? undefined : learner + 1 - oldest,
        );
      }
      expect(policy.version).toBeGreaterThan(8);
      expect(Math.max(...spans)).toBe(4);
      // Every token that the policy wrote is counted when it is written.
      expect(run.tokens).toBe(policy.contexts.length);
      expect(run.turns).toBe(policy.contexts.length);
    },
  );

  it('learns from a group once all its episodes are finished, each episode once', async () => {
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
      // Twelve turns, two at a time: no group is complete before the first success of all, and
      // every one by the sixth iteration after its own.
      for (const { iteration } of result.trajectories) expect(i - iteration).toBeLessThan(6);
    }
    expect(seen.size).toBeGreaterThan(32);
  });

  it.each([
    {},
    { advantage: 'gae', ratio_to: 'proximal', kl_coef: 0.1, kl_placement: 'reward' },
    { advantage: 'remax', loss_aggregation: 'seq_mean_token_mean' },
  ] as const)('reports an iteration in which no group came to its end (%o)', async (algorithm) => {
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
  it('plays other tasks in place of groups without signal, and learns from the rest alone', async () => {
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
      // Every round's episodes have their own numbers, and so their own draws.
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

  it('makes no update where no group has a signal', async () => {
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
