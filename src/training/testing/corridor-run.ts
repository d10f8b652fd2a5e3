import { corridor } from '../../agents/testing/corridor.ts';
import { TabularPolicy } from '../../agents/testing/tabular-policy.ts';
import { parseConfig } from '../../config/check.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Environment } from '../../envs/types.ts';
import { createRun } from '../create-run.ts';
import type { IterationResult, Trainer } from '../trainer.ts';

/** The corridor without `boom` in its vocabulary, so that no action throws. */
export const quietCorridor = {
  ...corridor(),
  lexicon: corridor().lexicon.filter((lexeme) => lexeme !== 'boom'),
} as Environment;

/** Four groups of eight episodes; two epochs of three mini-batches. */
const base = {
  seed: 5,
  rollout: { tasks_per_iteration: 4, group_size: 8 },
  horizon: { schedule: 'fixed', turns: 12 },
  algorithm: { epochs: 2, mini_batches: 3, entropy_coef: 0 },
  optimizer: { learning_rate: 1, warmup_updates: 0 },
  evaluation: { interval: 2 },
} as const satisfies ConfigInput;

/** A run on the corridor with a tabular policy; `over` overrides the base section by section. */
export async function corridorRun(over: ConfigInput = {}, environment = quietCorridor) {
  const merged = Object.fromEntries(
    Object.entries({ ...base, ...over }).map(([key, value]) => [
      key,
      typeof value === 'object' ? { ...Reflect.get(base, key), ...value } : value,
    ]),
  );
  const made: TabularPolicy[] = [];
  const seeds: number[] = [];
  const run = await createRun({
    config: parseConfig(merged),
    environment,
    createPolicy: async (shape, capacity, seed) => {
      const policy = new TabularPolicy(shape, capacity);
      made.push(policy);
      seeds.push(seed);
      return policy;
    },
  });
  const [policy] = made;
  if (policy === undefined) throw new Error('no policy was created');
  return { run, policy, seeds };
}

/** Runs some iterations. */
export async function iterate(run: Trainer, iterations: number): Promise<IterationResult[]> {
  const results: IterationResult[] = [];
  for (let i = 0; i < iterations; i++) results.push(await run.iterate());
  return results;
}

/** A metric row without wall-clock times. */
export function timeless(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !key.startsWith('time/')));
}
