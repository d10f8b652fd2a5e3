/** What a sweep tries next. */
import { Draws } from './random.ts';
import { draw, gridValues, type Parameter, type Value, type Values } from './space.ts';
import { compareObservations, type Observation, tpe } from './tpe.ts';

/** The methods of W&B's sweep files; `bayes` is done by a tree-structured Parzen estimator. */
export const samplers = ['grid', 'random', 'bayes'] as const;
export type Sampler = (typeof samplers)[number];

/** The seed of a sweep's draws: the same file tries the same trials. */
const SEED = 1;

/** Trials that `bayes` draws at random before it looks at what came out (Optuna's default). */
export const STARTUP_TRIALS = 10;

/** Every combination of a grid, the last parameter changing fastest. */
export function gridSize(parameters: readonly Parameter[]): number {
  return parameters.reduce((size, { dimension }) => size * (gridValues(dimension)?.length ?? 0), 1);
}

/**
 * The combination of a trial.
 *
 * @param number of the trial, from 1
 */
export function gridTrial(parameters: readonly Parameter[], number: number): Values {
  let left = number - 1;
  const chosen: [string, Value][] = [];
  for (const { path, dimension } of parameters.toReversed()) {
    const values = gridValues(dimension) ?? [];
    chosen.push([path, values[left % values.length] ?? null]);
    left = Math.floor(left / values.length);
  }
  return Object.fromEntries(chosen.reverse());
}

/** Every parameter drawn by itself. @param number of the trial, from 1 */
export function randomTrial(parameters: readonly Parameter[], number: number, seed = SEED): Values {
  const draws = new Draws(seed, number);
  return Object.fromEntries(
    parameters.map(({ path, dimension }) => [path, draw(dimension, draws)]),
  );
}

/**
 * What came out so far says where to look.
 *
 * @param number of the trial, from 1
 * @param observations of earlier trials, those that are still under way among them
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
