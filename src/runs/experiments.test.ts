import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../config/check.ts';
import { describeConfig, getConfigValue } from '../config/fields.ts';
import type { Config } from '../config/schema.ts';
import { type Experiment, experimentConfig, experiments, findExperiment } from './experiments.ts';

/** A field's value as the digests below are made of it. */
const jsonOf = (config: Config, path: string) => JSON.stringify(getConfigValue(config, path));

/** Every arm and seed of an experiment with the fields that are not at their defaults, as one hash. */
function digestOf(experiment: Experiment, defaults: Config): string {
  const lines = experiment.arms.flatMap((arm) =>
    experiment.seeds.flatMap((seed) => {
      const config = experimentConfig(experiment, arm, seed);
      return [
        `${arm.name}, seed ${seed}`,
        ...describeConfig()
          .map(({ path }) => path)
          .filter((path) => jsonOf(config, path) !== jsonOf(defaults, path))
          .map((path) => `${path}=${jsonOf(config, path)}`),
      ];
    }),
  );
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

describe('the configs of experiments', () => {
  const file = new URL('experiments.digests.json', import.meta.url);
  const present = () => {
    const defaults = defaultConfig();
    return {
      // A new field is a new line here; a default that changes would change what experiments ran.
      defaults: Object.fromEntries(
        describeConfig().map(({ path }) => [path, jsonOf(defaults, path)]),
      ),
      experiments: Object.fromEntries(
        experiments.map((experiment) => [experiment.name, digestOf(experiment, defaults)]),
      ),
    };
  };

  it('are those in experiments.digests.json, so that nothing else changes one unnoticed', () => {
    // After a change that is meant: DIGESTS=write npx vitest run src/runs/experiments.test.ts
    if (process.env.DIGESTS === 'write') {
      writeFileSync(file, `${JSON.stringify(present(), null, 2)}\n`);
    }
    expect(present()).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });
});

describe('experiments', () => {
  it('have a valid config for every arm, and no two arms alike', () => {
    for (const experiment of experiments) {
      const configs = experiment.arms.map((arm) => {
        const config = experimentConfig(experiment, arm, 7);
        expect(config.seed).toBe(7);
        return JSON.stringify(config);
      });
      expect(new Set(configs).size).toBe(configs.length);
      expect(new Set(experiment.arms.map(({ name }) => name)).size).toBe(configs.length);
    }
  });

  it('compare only arms that they have', () => {
    for (const { arms, comparisons = [] } of experiments) {
      const known = arms.map(({ name }) => name);
      for (const { arm, against, of } of comparisons) {
        expect(known).toContain(arm);
        expect(known).toContain(against);
        expect(of.length).toBeGreaterThan(0);
      }
    }
  });

  it('score imitation, every evaluation on the way and the end on the same tasks: all', () => {
    for (const experiment of experiments) {
      for (const arm of experiment.arms) {
        const { evaluation } = experimentConfig(experiment, arm, 1);
        expect([experiment.name, arm.name, evaluation.tasks]).toEqual([
          experiment.name,
          arm.name,
          0,
        ]);
      }
    }
  });

  it.each(['bapo-replay', 'bapo-partial'])(
    'compare staleness at the same number of episodes an update in %s',
    (name) => {
      const staleness = findExperiment(name);
      for (const arm of staleness.arms) {
        const { rollout, algorithm, replay } = experimentConfig(staleness, arm, 1);
        const fresh = rollout.tasks_per_iteration * rollout.group_size;
        expect(fresh / algorithm.mini_batches).toBe(32);
        expect(algorithm.epochs).toBe(1);
        // A full buffer holds just what the share asks for, whatever the staleness.
        const wanted = (fresh * replay.share) / (1 - replay.share);
        if (replay.share > 0) expect(replay.capacity * fresh).toBeCloseTo(wanted, 6);
      }
    },
  );
});
