import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { setConfigValues } from '../../config/text.ts';
import { openNodeDevice } from '../../kernels/open-device.node.ts';
import { createPolicy } from '../../policy/policy.ts';
import type { EntropyTrial } from '../../runs/entropy-trials.ts';
import { Trainer } from '../trainer.ts';
import { entropyOfUpdate, tryEntropySteps } from './entropy-steps.ts';

const config = setConfigValues(presetConfig('maze'), [
  ['policy.layers', '1'],
  ['policy.width', '16'],
  ['policy.ffn_width', '16'],
  ['rollout.group_size', '4'],
  ['optimizer.warmup_updates', '0'],
  ['seed', '3'],
]);

/** Trains three iterations and tries steps of these sizes before the last update of each. */
async function trained(rates: readonly number[]) {
  const { device } = await openNodeDevice('processor', 1);
  const run = await Trainer.create({
    config,
    createPolicy: (...args) => createPolicy(device, ...args),
  });
  const trials = rates.map((): EntropyTrial[] => []);
  const own: EntropyTrial[] = [];
  const rows: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const { metrics } = await run.iterate(undefined, async (result) => {
      if (result.phase !== 'before-update' && result.phase !== 'after-update') return;
      const { index, of, packed, objective, scores } = result.update;
      if (index < of) return;
      const update = { batches: packed.batches, objective, scores };
      if (result.phase === 'after-update') own.push(...entropyOfUpdate(update, result.after));
      else
        for (const [place, rate] of rates.entries()) {
          trials[place]?.push(...(await tryEntropySteps(run.agent.policy, update, rate)));
        }
    });
    rows.push(Object.entries(metrics).filter(([key]) => !key.startsWith('time/')));
  }
  const weights = await run.agent.policy.readState();
  run.destroy();
  device.close();
  return { trials, own, rows, weights };
}

describe('tryEntropySteps', () => {
  it('leaves training unchanged', async () => {
    const [tried, plain] = [await trained([0.01]), await trained([])];
    expect(tried.rows).toEqual(plain.rows);
    expect(tried.weights).toEqual(plain.weights);
  });

  it('takes steps of gradient descent, whose effects are proportional and add up', async () => {
    const { trials } = await trained([0.01, 0.02]);
    const [once = [], twice = []] = trials;
    const ofAll = once.filter(({ step }) => step === 'all');
    expect(ofAll).toHaveLength(3);
    for (const [i, { change }] of once.entries()) {
      const doubled = twice[i]?.change ?? Number.NaN;
      // The rounding of a mean entropy is about 1e-8.
      expect(Math.abs(doubled - 2 * change)).toBeLessThan(0.05 * Math.abs(change) + 1e-7);
    }
    const groups = once.filter(({ step }) => step !== 'all');
    const sum = (some: readonly EntropyTrial[], of: (trial: EntropyTrial) => number) =>
      some.reduce((total, trial) => total + of(trial), 0);
    expect(sum(groups, ({ share }) => share)).toBeCloseTo(3, 9);
    expect(sum(groups, ({ rule }) => rule)).toBeCloseTo(
      sum(ofAll, ({ rule }) => rule),
      9,
    );
    expect(sum(groups, ({ change }) => change)).toBeCloseTo(
      sum(ofAll, ({ change }) => change),
      5,
    );
  });

  it('gives each group the sign that the rule predicts', async () => {
    const { trials, own } = await trained([0.01]);
    const signs = { likely_positive: -1, unlikely_positive: 1, likely_negative: 1 } as const;
    for (const { step, rule } of trials.flat()) {
      if (step === 'all' || step === 'run') continue;
      expect(Math.sign(rule)).toBe(step === 'unlikely_negative' ? -1 : signs[step]);
    }
    const all = trials.flat().filter(({ step }) => step === 'all');
    expect(own.map(({ rule }) => rule)).toEqual(all.map(({ rule }) => rule));
  });
});
