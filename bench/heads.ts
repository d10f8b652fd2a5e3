/**
 * Finds the attention heads with which a trained maze agent reads the walls: trains the maze preset on
 * several seeds, ablates each head in turn, and measures greedy success and the probability of moving into a
 * wall.
 *
 *     node scripts/run.mjs bench/heads.ts [--seeds 5]
 *
 * Writes `docs/results/heads.json`.
 */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { presetConfig } from '../src/config/presets.ts';
import { openNodeProcessor } from '../src/device/processor/node.ts';
import { loadEnvironments } from '../src/envs/registry.ts';
import { processorKernels } from '../src/kernels/processor/index.ts';
import { createPolicy } from '../src/policy/policy.ts';
import type { WeightTensor } from '../src/policy/types.ts';
import { evaluate } from '../src/training/evaluate.ts';
import { readPolicy } from '../src/training/look/policy-reading.ts';
import { Trainer } from '../src/training/trainer.ts';

interface Measured {
  /** Share of the 25 starts that greedy play solves. */
  readonly success: number;
  /** Mean probability, over the 25 cells, of a move into a wall. */
  readonly wall: number;
}

const ACTIONS = ['move up', 'move down', 'move left', 'move right'];
const WALLS = ['above you', 'below you', 'to your left', 'to your right'];

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '5' } } });
await loadEnvironments();
const device = await openNodeProcessor(processorKernels);

async function measure(trainer: Trainer): Promise<Measured> {
  const { environment, config, agent } = trainer;
  const { metrics } = await evaluate(config, environment, agent, 0, () => {});
  const observations = environment.trainTasks.map((task) => environment.reset(task).observation);
  const read = await readPolicy(agent, {
    situations: observations.map((observation) => ({ turns: [], observation })),
    ...{ actions: ACTIONS, most: 1, search: false },
  });
  let wall = 0;
  for (const [cell, observation] of observations.entries()) {
    for (const [move, words] of WALLS.entries()) {
      if (observation.includes(words)) wall += read[cell]?.actions?.[move] ?? 0;
    }
  }
  return { success: metrics['eval/success_rate'] ?? 0, wall: wall / observations.length };
}

/** The same weights with a head's rows of the output projection set to zero. */
function without(
  weights: ReadonlyMap<string, WeightTensor>,
  layer: number,
  head: number,
  headDim: number,
): Map<string, WeightTensor> {
  const name = `layers.${layer}.attention_output`;
  const output = weights.get(name);
  if (output === undefined) throw new Error(`no ${name}`);
  const [, width = 0] = output.shape;
  const off = output.values.slice();
  off.fill(0, head * headDim * width, (head + 1) * headDim * width);
  return new Map([...weights, [name, { ...output, values: off }]]);
}

const runs = [];
for (let seed = 1; seed <= Number(values.seeds); seed++) {
  const config = { ...presetConfig('maze'), seed };
  const trainer = await Trainer.create({
    config,
    createPolicy: (shape, capacity, from) => createPolicy(device, shape, capacity, from),
  });
  while (!trainer.finished) await trainer.iterate();
  const { policy } = trainer.agent;
  const { layers, heads, width } = policy.shape;
  const weights = await policy.readWeights();
  const whole = await measure(trainer);
  const off = [];
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      policy.writeWeights(without(weights, layer, head, width / heads));
      off.push({ layer, head, ...(await measure(trainer)) });
    }
  }
  const result = { seed, iterations: trainer.iteration, whole, off };
  console.log(JSON.stringify(result));
  runs.push(result);
  trainer.destroy();
}
device.close();
writeFileSync(
  'docs/results/heads.json',
  `${JSON.stringify({ preset: 'maze', device: 'processor', runs }, null, 2)}\n`,
);
