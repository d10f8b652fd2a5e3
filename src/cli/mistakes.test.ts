import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../envs/testing/load-all.ts';
import { findExperiment } from '../experiments/catalogue.ts';
import { claimsCommand } from './claims-command.ts';
import { critiqueDataCommand } from './critique-data-command.ts';
import { diagnoseCommand } from './diagnose-command.ts';
import { evaluateCommand } from './evaluate-command.ts';
import { exportCommand } from './export-command.ts';
import { pretrainModelCommand } from './pretrain-model-command.ts';
import { reproduceCommand } from './reproduce-command.ts';
import { serveCommand } from './serve-command.ts';
import { suiteCommand } from './suite-command.ts';
import { sweepCommand } from './sweep-command.ts';
import { readCode, testFolder } from './testing/commands.ts';
import { trainCommand } from './train-command.ts';
import { workCommand } from './work-command.ts';

const folder = testFolder();

const commands = {
  train: trainCommand,
  evaluate: evaluateCommand,
  export: exportCommand,
  diagnose: diagnoseCommand,
  sweep: sweepCommand,
  work: workCommand,
  serve: serveCommand,
  reproduce: reproduceCommand,
  claims: claimsCommand,
  'critique-data': critiqueDataCommand,
  suite: suiteCommand,
  'pretrain-model': pretrainModelCommand,
};

/** Runs a command line that must fail before it computes anything. */
async function run(line: string): Promise<{ code: number; log: readonly string[] }> {
  const [name = '', ...args] = line.split(' ').map((word) => word.replace('DIR', folder));
  const log: string[] = [];
  const code = await commands[name as keyof typeof commands](args, {
    out: () => {},
    log: (text) => log.push(text),
    interrupted: () => true,
    open: () => Promise.reject(new Error('a device was opened')),
    stopped: AbortSignal.abort(),
    root: process.cwd(),
    readCode,
    find: findExperiment,
    program: 'none',
    cores: 1,
  });
  return { code, log };
}

/** The message must be one line of at most two sentences: what is wrong, and what to do. */
function expectOneMessage(log: readonly string[]): string {
  expect(log).toHaveLength(1);
  const [message = ''] = log;
  expect(message).not.toMatch(/\n|^Error|\bat .*:\d+:\d+|undefined/);
  expect(message.split(/(?<=[.?!])\s+(?=\p{Lu})/u).length).toBeLessThanOrEqual(2);
  return message;
}

describe('a mistyped command line', () => {
  it.each([
    ['train --presett maze', 'unknown option --presett. Did you mean --preset?'],
    ['train --pre-set maze', 'unknown option --pre-set. Did you mean --preset?'],
    ['train --Preset maze', 'unknown option --Preset. Did you mean --preset?'],
    ['train -preset maze', 'unknown option -preset. Did you mean --preset?'],
    ['train --update 3', 'unknown option --update. Did you mean --updates?'],
    ['train --udpates=3', 'unknown option --udpates. Did you mean --updates?'],
    ['train --sed 3', 'unknown option --sed. Did you mean --seed?'],
    ['train --save_every 3', 'unknown option --save_every. Did you mean --save-every?'],
    ['train --saveevery 3', 'unknown option --saveevery. Did you mean --save-every?'],
    ['train --rollout-log x', 'unknown option --rollout-log. Did you mean --rollout-logs?'],
    ['train --list-preset', 'unknown option --list-preset. Did you mean --list-presets?'],
    ['train --hlep', 'unknown option --hlep. Did you mean --help?'],
    ['train --verbose', 'unknown option --verbose; --help lists the options'],
    ['pretrain-model --dialoges 9', 'unknown option --dialoges. Did you mean --dialogues?'],
    ['evaluate --checkpont a', 'unknown option --checkpont. Did you mean --checkpoint?'],
    ['evaluate --envs a', 'unknown option --envs. Did you mean --env?'],
    ['evaluate --task 3', 'unknown option --task. Did you mean --tasks?'],
    ['export --licence MIT', 'unknown option --licence. Did you mean --license?'],
    ['sweep a.yaml --worker 2', 'unknown option --worker. Did you mean --workers?'],
    ['work --queu x', 'unknown option --queu. Did you mean --queue?'],
    ['serve --prot 1', 'unknown option --prot. Did you mean --port?'],
    ['reproduce bapo --arms x', 'unknown option --arms. Did you mean --arm?'],
    ['claims --wirte', 'unknown option --wirte. Did you mean --write?'],
    ['suite --ot x', 'unknown option --ot. Did you mean --out?'],
    [
      'evaluate --checkpoint x --suite --tasks 3',
      '--suite cannot be combined with --env or --tasks',
    ],
    ['critique-data --cout 3', 'unknown option --cout. Did you mean --count?'],
    ['diagnose x --jsn', 'unknown option --jsn. Did you mean --json?'],
    ['train maze', 'unexpected argument "maze"; train takes options only'],
    ['train preset=maze', 'unexpected argument "preset=maze". Did you mean --preset?'],
    ['sweep a.yaml b.yaml', 'unexpected argument "b.yaml"; sweep takes one FILE.yaml'],
    ['train --seed', '--seed needs a value: --seed N'],
    ['train --preset --json', '--preset needs a value: --preset NAME'],
    ['train --json=yes', '--json takes no value, got "yes"'],
    ['evaluate', /^--checkpoint FILE is required: /],
    ['export --checkpoint a', /^--out PLACE is required: /],
    ['sweep', /^FILE\.yaml is required: /],
    ['diagnose', /^PATH… is required: /],
    ['work', /^--out DIR is required: /],
  ])('is rejected: %s', async (line, message) => {
    const { code, log } = await run(line);
    expect(code).toBe(2);
    const said = expectOneMessage(log);
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });
});

describe('a mistyped name or value', () => {
  it.each([
    ['train --preset mase', 'no preset is called "mase". Did you mean maze?'],
    ['train --preset critiquerl', 'no preset is called "critiquerl". Did you mean critique-rl?'],
    ['train --method GRPO', 'no method is called "GRPO". Did you mean grpo?'],
    ['train --method grp', 'no method is called "grp". Did you mean grpo?'],
    [
      'train --device gpu',
      /^--device does not accept "gpu"; choose one of auto, webgpu, processor$/,
    ],
    ['train --device procesor', '--device does not accept "procesor". Did you mean processor?'],
    [
      'train --set learning_rate=1',
      /^learning_rate: unknown key\. Did you mean .*\boptimizer\.learning_rate\b.*\?$/,
    ],
    ['train --set optimiser.learning_rate=1', /Did you mean optimizer\.learning_rate\?$/],
    ['train --set optimizer.learning-rate=1', /Did you mean optimizer\.learning_rate\?$/],
    ['train --set optimizer.learning_rte=1', /Did you mean optimizer\.learning_rate\?$/],
    ['train --set group_size=4', /Did you mean rollout\.group_size\?$/],
    ['train --set clip_high=2', /Did you mean algorithm\.clip_high\?$/],
    ['train --set rolout.group_size=4', /Did you mean rollout\.group_size\?$/],
    [
      'train --set algorithm.advantage=grop',
      /^algorithm\.advantage: must be one of .*, got "grop"\. Did you mean \w+\?$/,
    ],
    [
      'train --set optimizer.learning_rate',
      /^--set must be KEY=VALUE, got "optimizer\.learning_rate"$/,
    ],
    [
      'train --set optimizer.learning_rate=fast',
      /^optimizer\.learning_rate: must be a number from .*, got "fast"$/,
    ],
    ['train --updates -3', /^stopping\.iterations: must be a whole number from 1 .*, got -3$/],
    ['train --updates 1.5', /^stopping\.iterations: must be a whole number/],
    ['train --seed x', /^seed: must be a whole number .*, got "x"$/],
    ['train --save-every two', /^--save-every must be a whole number .*, got "two"$/],
    ['train --threads 0', '--threads must be a whole number from 1 to 256, got "0"'],
    [
      'train --device webgpu --threads 2',
      /^--threads applies to the processor only; add --device processor$/,
    ],
    ['train --set env.id=maze/double-t', /^env\.id: .*Did you mean maze\/double-t-v1\?$/],
    [
      'train --set env.options.sizes=9 --set env.id=maze/generated-v2',
      /^env\.options\.sizes: maze\/generated-v2 has no such option\. Did you mean size\?$/,
    ],
    [
      'train --published',
      /^--published selects the settings of a method’s paper; name the method with --method$/,
    ],
    ['train --preset maze --config DIR/a.json', /choose one$/],
    ['train --config DIR/none.json', /cannot be read \(ENOENT\)$/],
    ['train --resume DIR/none.safetensors', /cannot be read \(ENOENT\)$/],
    ['train --save DIR/none/a.safetensors', /the folder .* does not exist$/],
    [
      'evaluate --checkpoint a --env maze/double-t',
      /^no environment is called "maze\/double-t"\. Did you mean maze\/double-t-v1\?$/,
    ],
    [
      'evaluate --checkpoint a --format jsn',
      /^--format does not accept "jsn"\. Did you mean json\?$/,
    ],
    ['evaluate --checkpoint DIR/none', /no such file or folder$/],
    ['export --checkpoint DIR/none --out DIR/a', /no such file or folder$/],
    ['serve --port 70000', '--port must be a whole number from 0 to 65535, got "70000"'],
    ['serve --texts origninal', '--texts does not accept "origninal". Did you mean original?'],
    ['reproduce bapo-wordl', /^no experiment is called "bapo-wordl"\. Did you mean bapo-wordle\?$/],
    ['reproduce bapo --shard 3/2', /^--shard must be I\/N with I from 1 to N, got "3\/2"$/],
    ['work --out DIR/none --run 1', /none contains no sweep/],
    ['sweep DIR/none.yaml', /cannot be read \(ENOENT\)$/],
    ['sweep DIR/none.yaml --print k9s', '--print does not accept "k9s". Did you mean k8s?'],
    ['critique-data --count 1 --out x --preset critque-rl', /Did you mean critique-rl\?$/],
  ])('is rejected: %s', async (line, message) => {
    const { code, log } = await run(line);
    expect(log).not.toEqual([]);
    expect(code).toBe(2);
    const said = expectOneMessage(log);
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });
});

describe('a mistake in a sweep file', () => {
  const body = `metric: {name: rollout/score, goal: maximize}
run_cap: 4
parameters:
  preset: {value: maze}
  optimizer.learning_rate: {distribution: log_uniform_values, min: 0.0001, max: 0.01}
`;
  it.each([
    [`methd: random\n${body}`, /methd: unknown key\. Did you mean method\?$/],
    [
      `method: rndom\n${body}`,
      /method: must be one of grid, random, bayes, got "rndom"\. Did you mean random\?$/,
    ],
    [
      `method: random\n${body}  learning_rate: {value: 1}\n`,
      /Did you mean .*optimizer\.learning_rate.*\?$/,
    ],
    [
      `method: random\n${body.replace('maze', 'maz')}`,
      /no preset is called "maz"\. Did you mean maze\?$/,
    ],
    [
      `method: random\n${body.replace('log_uniform_values', 'log_unifrom_values')}`,
      /Did you mean log_uniform_values\?$/,
    ],
    [
      `method: random\n${body.replace('rollout/score', 'rollout/scor')}`,
      /Did you mean rollout\/score\?$/,
    ],
    [`method: random\n${body.replace('max:', 'mx:')}`, /Did you mean max\?$/],
    [`method: grid\n${body}`, /is continuous and cannot be in a grid; give values/],
    [`method: random\n${'['.repeat(20_000)}`, /this file is nested too deeply$/],
    [
      `method: random\nparameters: ${'{a: '.repeat(5000)}1${'}'.repeat(5000)}`,
      /nested too deeply$/,
    ],
    ['- a', /a sweep file is a mapping with method, metric and parameters$/],
  ])('is rejected: file %#', async (text, message) => {
    const file = join(folder, 'sweep.yaml');
    writeFileSync(file, text);
    const { code, log } = await run('sweep DIR/sweep.yaml --page --out DIR/out');
    expect(code).toBe(2);
    expect(expectOneMessage(log)).toMatch(message);
  });

  it.each([1e-8, 1e-12, 1e-300])(
    'is found in an oversized grid without building the grid, for q = %s',
    async (q) => {
      writeFileSync(
        join(folder, 'grid.yaml'),
        `method: grid\n${body}  algorithm.entropy_coef: {distribution: q_uniform, min: 0, max: 1, q: ${q}}\n`.replace(
          'distribution: log_uniform_values, min: 0.0001, max: 0.01',
          'value: 0.001',
        ),
      );
      const { code, log } = await run(`sweep DIR/grid.yaml --print slurm --out DIR/grid${q}`);
      // With run_cap, only the first combinations are needed.
      expect([code, log]).toEqual([0, []]);
      const whole = `method: grid\nmetric: {name: rollout/score, goal: maximize}\nparameters:\n  preset: {value: maze}\n  algorithm.entropy_coef: {distribution: q_uniform, min: 0, max: 1, q: ${q}}\n`;
      writeFileSync(join(folder, 'whole.yaml'), whole);
      const refused = await run('sweep DIR/whole.yaml --page --out DIR/whole');
      expect(refused.code).toBe(2);
      expect(expectOneMessage(refused.log)).toMatch(
        /make a grid of .* trials with 1 seed each; the limit is 10000 runs/,
      );
    },
  );
});
