import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../config/check.ts';
import { describeConfig, getConfigValue } from '../config/fields.ts';
import type { Config } from '../config/schema.ts';
import {
  type Experiment,
  type ExperimentArm,
  experimentConfig,
  experiments,
  findExperiment,
} from './catalogue.ts';

/** A field's value as it enters the digests below. */
const jsonOf = (config: Config, path: string) => JSON.stringify(getConfigValue(config, path));

/** A hash of an experiment: every arm and seed with its model and the config fields that differ from the defaults. */
function digestOf(experiment: Experiment, defaults: Config): string {
  const lines = experiment.arms.flatMap((arm) =>
    experiment.seeds.flatMap((seed) => {
      const config = experimentConfig(experiment, arm, seed);
      return [
        `${arm.name}, seed ${seed}`,
        ...(arm.rank === undefined ? [] : [JSON.stringify([experiment.model, arm.rank])]),
        ...describeConfig()
          .map(({ path }) => path)
          .filter((path) => jsonOf(config, path) !== jsonOf(defaults, path))
          .map((path) => `${path}=${jsonOf(config, path)}`),
      ];
    }),
  );
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

describe('the config of every experiment', () => {
  const file = new URL('catalogue.digests.json', import.meta.url);
  const present = () => {
    const defaults = defaultConfig();
    return {
      // A new field adds a line here. A changed default would change past experiments.
      defaults: Object.fromEntries(
        describeConfig().map(({ path }) => [path, jsonOf(defaults, path)]),
      ),
      experiments: Object.fromEntries(
        experiments.map((experiment) => [experiment.name, digestOf(experiment, defaults)]),
      ),
    };
  };

  it('matches catalogue.digests.json', () => {
    // After an intended change: DIGESTS=write npx vitest run src/experiments/catalogue.test.ts
    if (process.env.DIGESTS === 'write') {
      writeFileSync(file, `${JSON.stringify(present(), null, 2)}\n`);
    }
    expect(present()).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });
});

/** Pairs of arms that an experiment compares. */
function comparedArms({
  arms,
  comparisons,
}: Experiment): (readonly [ExperimentArm, ExperimentArm])[] {
  if (comparisons === undefined) {
    return arms.flatMap((one, i) => arms.slice(i + 1).map((other) => [one, other] as const));
  }
  return comparisons.flatMap(({ arm, against }) => {
    const [one, other] = [arm, against].map((name) => arms.find((found) => found.name === name));
    return one === undefined || other === undefined ? [] : [[one, other] as const];
  });
}

/** Paths of the config fields in which two arms differ. */
function differences(experiment: Experiment, one: ExperimentArm, other: ExperimentArm): string[] {
  const [first, second] = [one, other].map((arm) => experimentConfig(experiment, arm, 1));
  if (first === undefined || second === undefined) return [];
  return describeConfig()
    .map(({ path }) => path)
    .filter((path) => jsonOf(first, path) !== jsonOf(second, path));
}

const stalenessOf = ({ name }: ExperimentArm) => /^.*staleness \d+/.exec(name)?.[0];

describe('every experiment', () => {
  it('has a valid config for every arm, and no two equal arms', () => {
    for (const experiment of experiments) {
      const configs = experiment.arms.map((arm) => {
        const config = experimentConfig(experiment, arm, 7);
        expect(config.seed).toBe(7);
        return JSON.stringify([config, arm.rank]);
      });
      expect(new Set(configs).size).toBe(configs.length);
      expect(new Set(experiment.arms.map(({ name }) => name)).size).toBe(configs.length);
    }
  });

  it('compares only its own arms', () => {
    for (const { arms, comparisons = [] } of experiments) {
      const known = arms.map(({ name }) => name);
      for (const { arm, against, of } of comparisons) {
        expect(known).toContain(arm);
        expect(known).toContain(against);
        expect(of.length).toBeGreaterThan(0);
      }
    }
  });

  it('varies exactly the declared fields between compared arms', () => {
    for (const experiment of experiments) {
      if (experiment.varies === null) continue;
      const differing = new Set(
        comparedArms(experiment).flatMap(([one, other]) => differences(experiment, one, other)),
      );
      expect([experiment.name, ...[...differing].sort()]).toEqual([
        experiment.name,
        ...experiment.varies.toSorted(),
      ]);
    }
  });

  it('varies only the clip method between compared BAPO arms of equal staleness', () => {
    const clips = /^(algorithm\.(objective|clip_high)|bapo\.(reading|target))$/;
    for (const experiment of experiments.filter(({ name }) => name.startsWith('bapo-'))) {
      const pairs = comparedArms(experiment).filter(
        ([one, other]) => stalenessOf(one) === stalenessOf(other),
      );
      expect(pairs.length).toBeGreaterThan(2);
      for (const [one, other] of pairs) {
        const others = differences(experiment, one, other).filter((path) => !clips.test(path));
        expect([one.name, other.name, ...others]).toEqual([one.name, other.name]);
      }
    }
  });

  it('evaluates on all tasks after imitation, during training and at the end', () => {
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
    'has the same number of fresh episodes per update at every staleness in %s',
    (name) => {
      const staleness = findExperiment(name);
      for (const arm of staleness.arms) {
        const { rollout, algorithm, replay } = experimentConfig(staleness, arm, 1);
        const fresh = rollout.tasks_per_iteration * rollout.group_size;
        expect(fresh / algorithm.mini_batches).toBe(32);
        expect(algorithm.epochs).toBe(1);
        // A full buffer holds exactly what the share requires, at any staleness.
        const wanted = (fresh * replay.share) / (1 - replay.share);
        if (replay.share > 0) expect(replay.capacity * fresh).toBeCloseTo(wanted, 6);
      }
    },
  );
});
