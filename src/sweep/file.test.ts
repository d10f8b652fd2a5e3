import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSweep } from './file.ts';

const head = 'method: random\nmetric: {name: eval/success_rate, goal: maximize}\nrun_cap: 6\n';
const read = (text: string) => readSweep(text, 'test').sweep;
const parameters = (text: string) => read(`${head}parameters:\n${text}`).parameters;

describe('readSweep', () => {
  it('separates seeds from the parameters and divides run_cap by the number of seeds', () => {
    const sweep = read(`${head}parameters:
  seed: {values: [3, 4]}
  optimizer: {parameters: {learning_rate: {min: 0.001, max: 0.1}}}
`);
    expect(sweep.seeds).toEqual([3, 4]);
    expect(sweep.trials).toBe(3);
    expect(sweep.parameters.map(({ path }) => path)).toEqual(['optimizer.learning_rate']);
  });

  it('distinguishes integers from floats as W&B does', () => {
    const [whole, dense, span] = parameters(`
  rollout.group_size: {min: 2, max: 8}
  algorithm.clip_high: {min: 1.0, max: 2.0}
  optimizer.learning_rate: {distribution: log_uniform_values, min: 1e-4, max: 1e-2}
`).map(({ dimension }) => dimension);
    expect(whole).toMatchObject({ whole: true, low: 2, high: 8 });
    expect(dense).toMatchObject({ whole: false, scale: 'linear', low: 1, high: 2 });
    expect(span).toMatchObject({ scale: 'log', low: Math.log(1e-4), high: Math.log(1e-2) });
  });

  it('reads log_uniform, inv_log_uniform, quantized and normal distributions', () => {
    const dimensions = parameters(`
  optimizer.learning_rate: {distribution: log_uniform, min: -9, max: -5}
  optimizer.weight_decay: {distribution: inv_log_uniform, min: 2, max: 5}
  algorithm.clip_high: {distribution: q_uniform, min: 1, max: 2, q: 0.25}
  algorithm.gamma: {distribution: normal, mu: 0.9, sigma: 0.01}
`).map(({ dimension }) => dimension);
    expect(dimensions).toMatchObject([
      { scale: 'log', low: -9, high: -5 },
      { scale: 'log', low: -5, high: -2 },
      { scale: 'linear', quantum: 0.25 },
      { normal: { mu: 0.9, sigma: 0.01 } },
    ]);
  });

  it('counts the combinations of a grid, and derives rungs from min_iter or max_iter', () => {
    const sweep = read(`
method: grid
metric: {name: rollout/score, goal: maximize}
parameters:
  algorithm.epochs: {min: 1, max: 4}
  algorithm.clip_high: {values: [1.2, 1.5]}
early_terminate: {type: hyperband, max_iter: 27, s: 2, eta: 3}
`);
    expect(sweep.trials).toBe(8);
    expect(sweep.halving?.rungs).toEqual([3, 9]);
    const up = read(
      `${head}parameters: {preset: {values: [maze, wordle]}}\nearly_terminate: {type: hyperband, min_iter: 2}`,
    );
    expect(up.halving?.rungs.slice(0, 4)).toEqual([2, 6, 18, 54]);
  });

  it('notes ignored keys and runs that run_cap leaves unused', () => {
    const { notes } = readSweep(
      `program: train.py\n${head.replace('6', '7')}parameters: {preset: {values: [maze]}, seed: {values: [1, 2]}}`,
      'test',
    );
    expect(notes).toEqual([
      'program: ignored, because Palestra starts the runs itself, without W&B',
      'run_cap: 3 trials with 2 seeds each make 6 runs, 1 fewer than it allows',
    ]);
  });

  it.each([
    ['[1, 2]', 'a sweep file is a mapping with method, metric and parameters'],
    ['a: b: c', /^this is not YAML: /],
    ['methods: grid', /^methods: unknown key\. Did you mean method\?/],
    [
      `${head.replace('random', 'hill')}`,
      /^method: must be one of grid, random, bayes, got "hill"/,
    ],
    [head, 'parameters: is missing'],
    [
      `${head.replace('eval/', '')}parameters: {preset: {value: maze}}`,
      /^metric.name: no metric is called "success_rate". Did you mean .*eval\/success_rate/,
    ],
    [
      `${head.replace('run_cap: 6\n', '')}parameters: {preset: {value: maze}}`,
      'run_cap: is missing; method random would never end without it',
    ],
  ])('rejects %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it.each([
    ['  optimizer.lr: {min: 0.1, max: 1}', /^parameters.optimizer.lr: unknown key; known keys/],
    [
      '  algorithm: {parameters: {clip_high: {min: 1.2, max: 20.0}}}',
      /^parameters.algorithm.clip_high: must be a number from .*, got 20$/,
    ],
    [
      '  algorithm.clip_high: {min: 2, max: 1.5}',
      /^parameters.algorithm.clip_high.max: must be at/,
    ],
    ['  algorithm.clip_high: {}', /clip_high: has no values; give value, values, or min and max$/],
    [
      '  algorithm.clip_high: {values: []}',
      /^parameters.algorithm.clip_high.values: must be a list/,
    ],
    [
      '  algorithm.clip_high: 1.5',
      'parameters.algorithm.clip_high: must be a mapping of keys, got 1.5',
    ],
    [
      '  algorithm.clip_high: {values: [1.5], min: 1}',
      /min: does not belong to the distribution cat/,
    ],
    [
      '  algorithm.clip_high: {distribution: beta}',
      /^parameters.algorithm.clip_high.distribution: /,
    ],
    [
      '  optimizer.learning_rate: {distribution: log_uniform_values, min: 0, max: 1}',
      /learning_rate.min: must be greater than 0/,
    ],
    ['  preset: {values: [maize]}', /^parameters.preset: .*maize/],
    [
      '  preset: {value: maze}\n  published: {value: true}',
      /^parameters.published: selects the settings of a method’s paper; add method, or omit it$/,
    ],
    ['  preset: {value: {toString: 1}}', /^parameters.preset: must be a name, got /],
    ['  seed: {min: 1, max: 3}', /^parameters: has only seeds/],
    [
      '  preset: {value: maze}\n  seed: {min: 1, max: 3}',
      /^parameters.seed: must be a whole number from 0 to 4294967295 or a list/,
    ],
    [
      '  preset: {values: [maze, wordle], probabilities: [0.5, 0.6]}',
      /^parameters.preset.probabilities: must be 2 numbers/,
    ],
  ])('rejects the parameter %j', (text, message) => {
    expect(() => parameters(text)).toThrow(message);
  });

  it('rejects a file that takes too much memory to parse', () => {
    expect(() => read(`${head}parameters: [${','.repeat(60_000)}]`)).toThrow(
      /this file has 60,\d+ characters; the limit is 60,000/,
    );
  });

  it('reads the example in examples/sweeps', () => {
    const sweep = read(readFileSync('examples/sweeps/maze.yaml', 'utf8'));
    expect(sweep.trials).toBe(12);
    expect(sweep.halving?.rungs.slice(0, 2)).toEqual([5, 15]);
  });
});
