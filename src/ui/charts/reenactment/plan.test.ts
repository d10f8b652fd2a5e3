import { expect, it } from 'vitest';
import { configDifferences } from '../../../config/fields.ts';
import { presetConfig } from '../../../config/presets.ts';
import { changesOf } from '../../../diagnosis/finding.ts';
import { loadSignatures } from '../../../diagnosis/signatures.ts';
import { failures, faults } from '../../../runs/failures.ts';
import { canReenact, planOf, planReenactment } from './plan.ts';

it.each([...new Set([...failures, ...faults].map(({ mode }) => mode))])(
  '%s: two runs with the same seed differ only in the remedy',
  async (mode) => {
    const plan = await planReenactment(mode);
    if (plan === null) throw new Error('there is no plan');
    const { preset, failing, cured, cause, cure } = plan;
    expect(canReenact(mode)).toBe(true);
    expect(failing.seed).toBe(cured.seed);
    expect(failing.stopping).toEqual(cured.stopping);
    const differ = configDifferences(failing, cured);
    expect(differ.length).toBeGreaterThan(0);
    expect(cure.split(', ').map((one) => one.split(' = ')[0])).toEqual(
      expect.arrayContaining([...differ]),
    );
    // The preset lacks the cause of the failure, and the remedy is one of those proposed.
    const causes = cause.split(', ').map((set) => set.split(' = ')[0]);
    const unlike = configDifferences(presetConfig(preset), failing);
    expect(causes.filter((path) => path !== undefined && unlike.includes(path))).not.toEqual([]);
    const remedies = (await loadSignatures()).modes[mode]?.remedies;
    if (remedies === undefined) return;
    const settings = remedies.flatMap((remedy) => [
      remedy.setting,
      ...changesOf(remedy).map(({ setting }) => setting),
    ]);
    for (const path of differ) expect(settings).toContain(path);
  },
);

it('reverts the cause if no remedy names a value, and returns null for a mode that no run provokes', () => {
  const plan = planOf('bootstrapping_at_horizon', [{ setting: 'algorithm.gamma', text: 'Lower.' }]);
  expect(plan?.cured.algorithm.gamma).toBe(presetConfig('maze').algorithm.gamma);
  expect(plan?.cure).toMatch(/^algorithm\.gamma = 0\.\d+$/);
  expect(planOf('setback', [])).toBeNull();
  expect(canReenact('setback')).toBe(false);
});
