/**
 * What every preset costs on this machine: the time before its first iteration and the mean of an
 * iteration, evaluations at their interval included. The lab's gallery scales these by the pace of
 * the visitor's machine.
 */
import { presetConfig, presets } from '../src/runs/presets.ts';
import { type CreatePolicy, ReinforcementLearning } from '../src/training/reinforcement.ts';

/** Iterations that are measured of each preset, after one that is not. */
const ITERATIONS = 4;

/** In seconds, to the hundredth. */
export interface PresetCost {
  /** Before the first iteration: weights, kernels, imitation. */
  readonly startSeconds: number;
  readonly iterationSeconds: number;
}

export interface PresetRow extends PresetCost {
  readonly name: string;
}

export async function* presetRows(createPolicy: CreatePolicy): AsyncGenerator<PresetRow> {
  for (const { name } of presets) yield await measure(name, createPolicy);
}

async function measure(name: string, createPolicy: CreatePolicy): Promise<PresetRow> {
  const config = presetConfig(name);
  const { interval } = config.evaluation;
  // Evaluations are timed by themselves and added at their interval.
  const alone = { ...config, evaluation: { ...config.evaluation, interval: 1_000_000 } };
  const started = performance.now();
  const run = await ReinforcementLearning.create({ config: alone, createPolicy });
  await run.iterate();
  const first = performance.now();
  for (let i = 0; i < ITERATIONS; i++) await run.iterate();
  const last = performance.now();
  await run.evaluate();
  const evaluated = performance.now();
  run.destroy();
  const iteration = (last - first) / ITERATIONS;
  const share = interval > 0 ? (evaluated - last) / interval : 0;
  return {
    name,
    startSeconds: hundredths(Math.max(0, first - started - iteration)),
    iterationSeconds: hundredths(iteration + share),
  };
}

function hundredths(milliseconds: number): number {
  return Math.round(milliseconds / 10) / 100;
}
