import { describe, expect, it } from 'vitest';
import { corridorRun } from '../testing/corridor-run.ts';
import { reinforcementObjective } from './objective-settings.ts';
import { Updater } from './updates.ts';

describe('a skipped update', () => {
  it('is counted, left out of the averages, and does not end the run', async () => {
    const { run, policy } = await corridorRun();
    policy.failures.push(null, 'ratios', 'gradient');
    const { metrics, details } = await run.iterate();
    expect(metrics['policy/skipped_updates']).toBe(2);
    expect(details.updates.map(({ skipped }) => skipped)).toEqual([
      ...[false, true, true],
      ...[false, false, false],
    ]);
    const learned = details.updates.filter(({ skipped }) => !skipped);
    const norms = learned.map(({ gradNorm }) => gradNorm);
    expect(metrics['policy/grad_norm']).toBeCloseTo(
      norms.reduce((sum, norm) => sum + norm, 0) / 4,
      12,
    );
    expect(metrics['policy/grad_norm_max']).toBe(Math.max(...norms));
    for (const value of Object.values(metrics)) expect(Number.isFinite(value)).toBe(true);
    // A skipped update increments the version too, although it does not train on its tokens.
    expect(details.staleness.map(([gap]) => gap)).toEqual([0, 3, 4, 5]);
    const next = await run.iterate();
    expect(next.metrics['policy/skipped_updates']).toBe(0);
  });

  it('leaves no averages if all updates of its iteration are skipped', async () => {
    const { run, policy } = await corridorRun();
    policy.failures.push(...new Array<'loss'>(6).fill('loss'));
    const { metrics, details } = await run.iterate();
    expect(metrics['policy/skipped_updates']).toBe(6);
    expect(metrics).not.toHaveProperty('policy/loss');
    expect(metrics).not.toHaveProperty('policy/staleness');
    expect(details.staleness).toEqual([]);
    for (const value of Object.values(metrics)) expect(Number.isFinite(value)).toBe(true);
  });

  it('ends the run if too many are skipped in a row, with an error that names the first cause', async () => {
    const { run, policy } = await corridorRun({ optimizer: { max_skipped: 3 } });
    // Two skipped updates in a row do not end the run; the last of an iteration and the first two of
    // the next do.
    policy.failures.push(
      'advantages',
      'advantages',
      null,
      null,
      null,
      'ratios',
      'loss',
      'gradient',
    );
    await run.iterate();
    const end = run.iterate();
    await expect(end).rejects.toMatchObject({ name: 'NonFiniteError', what: 'ratios' });
    await expect(end).rejects.toThrow(/ratios of update 6 of iteration 1 and of 2 after it/);
  });
});

describe('an update that exceeds the capacity', () => {
  it('is rejected with an error that names the setting to change, before it reaches the policy', async () => {
    const { run, policy } = await corridorRun();
    await run.iterate();
    const { batches = [] } = policy.updates[0] ?? {};
    const rows = batches.reduce((sum, { targets }) => sum + targets.length, 0);
    const copies = Math.floor(policy.capacity.updateRows / rows) + 1;
    const tooMany = Array.from({ length: copies }, () => batches).flat();
    const updater = new Updater(policy, run.config.optimizer);
    const objective = reinforcementObjective(run.config);
    expect(() => updater.queue({ batches: tooMany, origins: [] }, objective, 1)).toThrow(
      /raise algorithm.mini_batches/,
    );
    expect(policy.updates).toHaveLength(6);
  });
});
