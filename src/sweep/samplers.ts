/** Samplers choose the values of a sweep's trials. */
import { Draws } from './random.ts';
import { draw, gridCount, gridValue, type Parameter, type Value, type Values } from './space.ts';
import { compareObservations, type Observation, tpe } from './tpe.ts';

/** Values of `method` in W&B sweep files; `bayes` is a tree-structured Parzen estimator. */
export const samplers = ['grid', 'random', 'bayes'] as const;
export type Sampler = (typeof samplers)[number];

/** Seed of all draws, so that the same file gives the same trials. */
const SEED = 1;

/** Number of initial random trials of `bayes` (Optuna's default). */
const STARTUP_TRIALS = 10;

/** The number of combinations in a grid; 0 if a dimension is continuous. */
export function gridSize(parameters: readonly Parameter[]): number {
  return parameters.reduce((size, { dimension }) => size * (gridCount(dimension) ?? 0), 1);
}

/**
 * The grid combination of a trial; the last parameter changes fastest.
 *
 * @param number trial number, from 1
 */
export function gridTrial(parameters: readonly Parameter[], number: number): Values {
  let left = number - 1;
  const chosen: [string, Value][] = [];
  for (const { path, dimension } of parameters.toReversed()) {
    const count = gridCount(dimension) ?? 1;
    chosen.push([path, gridValue(dimension, left % count)]);
    left = Math.floor(left / count);
  }
  return Object.fromEntries(chosen.reverse());
}

/** Draws every parameter independently. @param number trial number, from 1 */
export function randomTrial(parameters: readonly Parameter[], number: number, seed = SEED): Values {
  const draws = new Draws(seed, number);
  return Object.fromEntries(
    parameters.map(({ path, dimension }) => [path, draw(dimension, draws)]),
  );
}

/**
 * Proposes a trial from the results so far.
 *
 * @param number trial number, from 1
 * @param observations results of earlier trials, including pending ones
 */
export function bayesTrial(
  parameters: readonly Parameter[],
  number: number,
  observations: readonly Observation[],
  seed = SEED,
): Values {
  const known = observations.filter(({ standing }) => standing !== 'pending');
  if (known.length < STARTUP_TRIALS) return randomTrial(parameters, number, seed);
  return tpe(parameters, observations.toSorted(compareObservations), new Draws(seed, number));
}
