import { afterAll, describe, expect, it } from 'vitest';
import { fast } from '../../scripts/tier.mjs';
import { presetConfig } from '../config/presets.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import { openNodeProcessor } from '../device/processor/node.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { processorKernels } from '../kernels/processor/index.ts';
import { createPolicy } from '../policy/policy.ts';
import { Trainer } from '../training/trainer.ts';
import type { Cure } from './cures.ts';
import {
  firstDifference,
  iterationsOf,
  judge,
  nothingPlayed,
  type Played,
  withEvent,
} from './judge.ts';
import { type AutopsyRow, performAutopsy, type Runs } from './perform.ts';
import { type AutopsyPlan, costOf, forkConfig, forksOf, planAutopsy } from './plan.ts';

const config = setConfigValues(presetConfig('maze'), [
  ['seed', '3'],
  ['rollout.tasks_per_iteration', '3'],
  ['rollout.group_size', '2'],
  ['horizon.schedule', 'fixed'],
  ['horizon.turns', '4'],
  ['policy.width', '8'],
  ['policy.ffn_width', '16'],
  ['evaluation.interval', '3'],
  ['evaluation.tasks', '2'],
  ['stopping.success', '0'],
]);

const bonus: Cure = {
  name: 'algorithm.entropy_coef = 0.5',
  mode: 'bootstrapping_at_horizon',
  set: [['algorithm.entropy_coef', '0.5']],
  freshOptimizer: false,
};
const fresh: Cure = {
  ...{ name: 'a fresh optimizer', mode: null, set: [] },
  freshOptimizer: true,
};

const planOf = (over: Partial<AutopsyPlan> = {}): AutopsyPlan => ({
  ...{ mode: 'bootstrapping_at_horizon', config, after: 2, to: 5 },
  ...{ seeds: [3], cures: [bonus, fresh] },
  ...over,
});

const timeless = ({ iteration, metrics }: AutopsyRow) => [
  iteration,
  Object.entries(metrics).filter(([key]) => !key.startsWith('time/')),
];

describe('performAutopsy on the CPU', () => {
  const device = openNodeProcessor(processorKernels, 1);
  let destroyed = 0;
  const made: Config[] = [];
  const counted = (run: Trainer) => {
    made.push(run.config);
    const destroy = run.destroy.bind(run);
    run.destroy = () => {
      destroyed += 1;
      destroy();
    };
    return run;
  };
  const create = (of: Config) =>
    Trainer.create({
      config: of,
      createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
    });
  const runs: Runs = {
    create: async (of) => counted(await create(of)),
    resume: async (checkpoint, of) =>
      counted(
        await Trainer.resume(checkpoint, {
          config: of,
          createPolicy: (shape, capacity, seed) => createPolicy(device, shape, capacity, seed),
        }),
      ),
  };

  afterAll(() => device.close());

  async function played(plan: AutopsyPlan): Promise<Played> {
    let all = nothingPlayed(plan);
    for await (const event of performAutopsy(plan, runs)) all = withEvent(all, event);
    return all;
  }

  /** The run itself, never interrupted. */
  async function uninterrupted(of: Config, iterations: number): Promise<AutopsyRow[]> {
    const run = await create(of);
    const rows: AutopsyRow[] = [];
    while (rows.length < iterations) {
      const { iteration, metrics } = await run.iterate();
      rows.push({ iteration, metrics });
    }
    run.destroy();
    return rows;
  }

  it('replays the run bit for bit without a cure, and diverges from it with one', async () => {
    made.length = 0;
    destroyed = 0;
    const plan = planOf();
    const { shared, forks } = await played(plan);
    const rows = await uninterrupted(config, 5);
    const [asItWas, withBonus, withFresh] = forks;
    expect([...shared, ...(asItWas?.rows ?? [])].map(timeless)).toEqual(rows.map(timeless));
    expect(firstDifference(rows, { shared, forks })).toBeNull();
    // Until its first update a fork matches the run; after it, they differ.
    for (const fork of [withBonus, withFresh]) {
      expect(fork?.rows.map(({ iteration }) => iteration)).toEqual([3, 4, 5]);
      const [first, second] = fork?.rows ?? [];
      expect(first?.metrics['rollout/turns']).toBe(rows[2]?.metrics['rollout/turns']);
      expect(second?.metrics['policy/entropy']).not.toBe(rows[3]?.metrics['policy/entropy']);
    }
    expect(forks.every(({ end }) => end?.problem === null && end.greedy !== null)).toBe(true);
    expect(iterationsOf({ shared, forks })).toBe(costOf(plan));
    expect(destroyed).toBe(made.length);
  });

  it('changes only the settings of the remedy', async () => {
    made.length = 0;
    await played(planOf({ to: 3 }));
    const [shared, asItWas, withBonus, withFresh] = made;
    const end = { ...config.stopping, iterations: 3, turns: 0, tokens: 0 };
    expect(shared).toEqual({ ...config, stopping: end });
    expect([asItWas, withFresh]).toEqual([shared, shared]);
    expect(withBonus).toEqual({ ...shared, algorithm: { ...config.algorithm, entropy_coef: 0.5 } });
  });

  it('runs forks from scratch with the run’s seed if they share no iterations', async () => {
    const { shared, forks } = await played(planOf({ after: 0, to: 2, cures: [bonus] }));
    expect(shared).toEqual([]);
    expect(forks[0]?.rows.map(timeless)).toEqual((await uninterrupted(config, 2)).map(timeless));
    const own = setConfigValues(config, bonus.set);
    expect(forks[1]?.rows.map(timeless)).toEqual((await uninterrupted(own, 2)).map(timeless));
  });

  it('samples different tokens after the forking point if the seed differs', async () => {
    const { shared, forks } = await played(planOf({ seeds: [3, 4], cures: [], to: 4 }));
    expect(shared).toHaveLength(2);
    const [own, other] = forks.map(({ rows }) => rows.map(timeless));
    expect(other).toHaveLength(2);
    expect(other).not.toEqual(own);
  });

  it('stops at once when cancelled, and frees its memory', async () => {
    made.length = 0;
    destroyed = 0;
    let left = 3;
    let events = 0;
    for await (const _ of performAutopsy(planOf(), runs, () => left-- > 0)) events += 1;
    expect(events).toBe(2);
    expect(destroyed).toBe(made.length);
  });

  it.skipIf(fast)('confirms the cause in a run whose learning rate was raised', async () => {
    const turned = setConfigValues(presetConfig('maze'), [
      ['stopping.success', '0'],
      ['changes', '16:optimizer.learning_rate=0.05'],
    ]);
    const rows = await uninterrupted(turned, 18);
    const [finding] = diagnose({ rows, evaluations: [], facts: turned }).findings;
    if (finding === undefined) throw new Error('nothing was found');
    expect(finding).toMatchObject({ mode: 'learning_rate_too_high', onset: 16 });
    const plan = planAutopsy(finding, turned, 18, { iterations: 20 });
    const tested = plan.cures.filter(({ name }) => name === 'optimizer.learning_rate = 0.005');
    expect(tested).toHaveLength(1);
    const own = { ...plan, cures: tested };
    const trial = judge(own, await played(own));
    // The change in iteration 16 is replayed only in the unchanged fork.
    expect(trial?.asItWas.success.mean).toBeLessThan(0.4);
    expect(trial?.cures[0]?.success.mean).toBeGreaterThan(0.6);
    expect(trial?.outcome).toBe('proved');
  });

  it('reports why a fork could not be played, and continues with the next fork', async () => {
    const wider: Cure = { ...bonus, name: 'wider', set: [['policy.width', '16']] };
    const plan = planOf({ cures: [wider, bonus], to: 3 });
    const { forks } = await played(plan);
    expect(forksOf(plan).map((fork) => forkConfig(plan, fork).policy.width)).toEqual([8, 16, 8]);
    expect(forks[1]?.end).toMatchObject({
      greedy: null,
      problem: expect.stringMatching(/checkpoint/),
    });
    expect(forks[2]?.end?.problem).toBeNull();
  });
});

describe('firstDifference', () => {
  const row = (iteration: number, loss: number): AutopsyRow => ({
    iteration,
    metrics: { iteration, 'policy/loss': loss, 'time/seconds': loss },
  });

  it('returns null for the run itself, and the first differing iteration for another run', () => {
    const again = { shared: [row(1, 1)], forks: [{ rows: [row(2, -0), row(3, 3)], end: null }] };
    expect(firstDifference([row(1, 1), row(2, 0)], again)).toBeNull();
    expect(firstDifference([row(1, 1), row(2, 0.1), row(3, 4)], again)).toBe(2);
    expect(firstDifference([{ iteration: 1, metrics: { 'rollout/score': 1 } }], again)).toBeNull();
  });
});
