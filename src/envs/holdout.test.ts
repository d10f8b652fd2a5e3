import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byTier } from '../../scripts/tier.mjs';
import { createEnvironment, EnvironmentOptionError, offeredFamilies } from './registry.ts';
import { overlapsOf } from './testing/overlap.ts';
import type { EnvironmentOption, EnvironmentOptions, OptionValue } from './types.ts';

/** An arbitrary value of an option; text options stay empty. */
function values(option: EnvironmentOption): fc.Arbitrary<OptionValue> {
  switch (option.type) {
    case 'number':
      return fc
        .integer({ min: 0, max: Math.round((option.max - option.min) / option.step) })
        .map((steps) => option.min + steps * option.step);
    case 'choice':
      return fc.constantFrom(...option.choices);
    case 'text':
      return fc.constant('');
    default:
      return option satisfies never;
  }
}

describe('holdout under random options', () => {
  it.each(offeredFamilies)('keeps held-out aspects of $id out of training', (family) => {
    // Generating a layout of several rooms takes milliseconds, a maze microseconds.
    const [train, evaluated] = family.id.startsWith('babyai')
      ? [32, 8]
      : byTier([300, 50], [600, 100], [1500, 200]);
    const runs = byTier(1, 2, 6);
    const options = fc.record(
      Object.fromEntries(
        Object.entries(family.options).map(([name, option]) => [name, values(option)]),
      ),
    );
    const property = fc.property(options, (given: EnvironmentOptions) => {
      let environment: ReturnType<typeof createEnvironment>;
      try {
        environment = createEnvironment(family.id, given);
      } catch (error) {
        // For example, too few recipes have the given depth.
        if (error instanceof EnvironmentOptionError) return;
        throw error;
      }
      const { trainTasks, evalTasks, holdout } = environment;
      const overlaps = overlapsOf(
        environment,
        trainTasks.slice(0, train),
        evalTasks.slice(0, evaluated),
      );
      const [whole] = overlaps;
      expect(whole).toMatchObject({ apart: !holdout.sameTasks });
      if (holdout.sameTasks) expect(whole?.shown).toBe(whole?.asking);
      expect(overlaps.filter(({ apart, shown }) => apart && shown > 0)).toEqual([]);
      const clusters = evalTasks.map((task) => holdout.cluster?.of(task) ?? task);
      expect(new Set(clusters).size).toBeGreaterThan(0);
      expect(holdout.sentence).toMatch(/^[A-Z].*\.$/);
    });
    fc.assert(property, { numRuns: runs, seed: 11 });
  });
});
