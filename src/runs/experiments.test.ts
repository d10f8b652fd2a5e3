import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Config, defaultConfig, describeConfig, getConfigValue } from './config.ts';
import {
  type Experiment,
  type ExperimentRun,
  experimentConfig,
  experimentPage,
  experiments,
  findExperiment,
  median,
} from './experiments.ts';

describe('median', () => {
  it('is the middle, or the mean of the two in the middle', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

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

  it('compare staleness at the same number of episodes an update', () => {
    const staleness = findExperiment('bapo-staleness');
    for (const arm of staleness.arms) {
      const { rollout, algorithm } = experimentConfig(staleness, arm, 1);
      const episodes = rollout.tasks_per_iteration * rollout.group_size;
      expect(episodes / algorithm.mini_batches).toBe(32);
      expect(algorithm.epochs).toBe(1);
    }
  });

  it('come out as a table with intervals, and say what did not overflow from what did', () => {
    const experiment = findExperiment('bapo-staleness');
    const [arm] = experiment.arms;
    if (arm === undefined) throw new Error('no arm');
    const run = (seed: number, greedySuccess: number): ExperimentRun => ({
      arm: arm.name,
      seed,
      config: experimentConfig(experiment, arm, seed),
      adapter: 'a processor',
      turnsToTarget: greedySuccess >= 0.95 ? 12_345 : null,
      turns: 120_000,
      iterations: 9,
      greedySuccess,
      sampledSuccess: 0.5,
      areaUnderCurve: 0.25,
      entropy: 1,
      worstGradNorm: Number.POSITIVE_INFINITY,
      staleness: 2,
      seconds: 3,
      evaluations: [],
    });
    const page = experimentPage(experiment, [run(21, 0.8), run(22, 1)]);
    // Mean 0.9, standard deviation 0.1·√2, half width 12.706·0.1·√2/√2.
    expect(page).toContain(`| ${arm.name} | 2 | 1 of 2 | not reached | 90.0% [-37.1%, 217.1%] |`);
    expect(page).toContain('| ∞ |');
    expect(page).toContain(`| ${arm.name} | 22 | 12k | 120k | 9 | 100.0% |`);
  });
});
