import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fast } from '../../scripts/tier.mjs';
import { runCost } from '../agents/cost.ts';
import { pretrainedShape } from '../agents/shape.ts';
import { parseConfig } from '../config/check.ts';
import { presetConfig } from '../config/presets.ts';
import { environmentFor } from '../envs/registry.ts';
import { trainBytePairs } from '../exchange/pretrained/byte-pair-training.ts';
import { adapterOf } from '../exchange/pretrained/defaults.ts';
import { modelPresets } from '../exchange/pretrained/model-presets.ts';
import {
  newTokenizerFiles,
  newWeightFiles,
  vocabularySize,
} from '../exchange/pretrained/new-model.ts';
import { adaptedModel, openModel } from '../exchange/pretrained/open-model.ts';
import { folderOf, testModel } from '../exchange/testing/pretrained.ts';
import { environmentTexts } from '../exchange/testing/tokenizer-texts.ts';
import { openNodeDevice } from '../kernels/open-device.node.ts';
import { createPolicy } from '../policy/policy.ts';
import { randomWeights } from '../policy/testing/architectures.ts';
import { type CreatePolicy, modelTypes, type PolicyShape } from '../policy/types.ts';
import { decodeCheckpoint, firstStudent, keptAgent } from '../runs/checkpoint.ts';
import { evaluateCommand } from './evaluate-command.ts';
import { exportCommand } from './export-command.ts';
import { type Machine, openMachine } from './machine.node.ts';
import { emptiedFolder } from './testing/commands.ts';
import { trainCommand } from './train-command.ts';

const folder = emptiedFolder();

let shared: Machine;
beforeAll(async () => {
  shared = await openMachine({ device: 'processor', threads: 1 });
});
afterAll(() => shared.close());

/** The folder of a small model. */
function modelAt(modelType: (typeof modelTypes)[number]): string {
  const place = join(folder, modelType);
  mkdirSync(place);
  for (const [name, bytes] of testModel(modelType)) writeFileSync(join(place, name), bytes);
  return place;
}

/** The files of a network with a byte-pair tokenizer that is trained on texts of the presets. */
function bytePairFiles() {
  const environments = modelPresets.map(({ preset }) => environmentFor(presetConfig(preset).env));
  const merges = trainBytePairs(environmentTexts(environments, 90, 1), 300);
  const shape: PolicyShape = {
    ...{ vocabulary: vocabularySize(merges), layers: 1, width: 16, heads: 2, kvHeads: 1 },
    ...{ ffnWidth: 32, tiedEmbeddings: true, valueHead: false },
  };
  const weights = newWeightFiles(shape, randomWeights(shape, 1), 4096);
  return [...newTokenizerFiles(merges), ...weights];
}

let bytePairs: ReturnType<typeof bytePairFiles> | undefined;

function bytePairModel(): string {
  bytePairs ??= bytePairFiles();
  const place = join(folder, 'byte-pairs');
  mkdirSync(place);
  for (const [name, bytes] of bytePairs) writeFileSync(join(place, name), bytes);
  return place;
}

async function run(
  command: typeof trainCommand | typeof evaluateCommand | typeof exportCommand,
  args: readonly string[],
  machine: Partial<Machine> = {},
) {
  const out: string[] = [];
  const log: string[] = [];
  const code = await command(args, {
    out: (line: string) => out.push(line),
    log: (line: string) => log.push(line),
    interrupted: () => false,
    open: async () => ({ ...shared, close: () => {}, ...machine }),
  });
  return { code, out, log };
}

const short = [
  ...['--set', 'rollout.tasks_per_iteration=1', '--set', 'rollout.group_size=3'],
  ...['--set', 'horizon.schedule=fixed', '--set', 'horizon.turns=2'],
  ...['--set', 'evaluation.interval=0', '--set', 'evaluation.horizon=1'],
  ...['--set', 'agent.max_action_tokens=6', '--set', 'algorithm.mini_batches=1'],
];

const few = [
  ...['--set', 'rollout.tasks_per_iteration=1', '--set', 'rollout.group_size=3'],
  ...['--set', 'evaluation.tasks=1', '--set', 'horizon.turns=2'],
  ...['--set', 'agent.max_action_tokens=8'],
];

/** Few tasks, so that the final evaluation is short. */
const maze = ['--set', 'env.id=maze/double-t-v1', ...short];

/** The fast tier tests one of each. */
const some = <T>(all: readonly T[]): readonly T[] => (fast ? all.slice(0, 1) : all);

describe('train --model', () => {
  it.each(some(modelTypes))('trains an adapter for a model of type %s', async (modelType) => {
    const args = ['--model', modelAt(modelType), ...maze, '--updates', '2', '--json'];
    const { code, out, log } = await run(trainCommand, [...args, '--lora-rank', '8']);
    expect(log.join('\n')).toContain(`${modelType}, `);
    expect(code).toBe(0);
    const rows: Record<string, unknown>[] = out.map((line) => JSON.parse(line));
    expect(rows).toHaveLength(3);
    for (const row of rows.slice(0, 2)) {
      expect(Number.isFinite(row['policy/loss'])).toBe(true);
      expect(row['policy/skipped_updates'] ?? 0).toBe(0);
    }
    const { config, model } = rows[2] ?? {};
    expect(parseConfig(config)).toMatchObject({
      agent: { format: 'react', max_action_tokens: 6 },
      imitation: { epochs: 0 },
    });
    expect(model).toMatchObject({ adapter: { rank: 8, alpha: 16, base: 'f16' } });
  });

  it.each(some(modelPresets.map(({ name }) => name)))('trains with the preset %s', async (name) => {
    // All presets but one use fewer episodes, because the test runs on the processor.
    const episodes = name === 'smollm2-wordle' ? [] : few;
    const args = ['--model', bytePairModel(), '--preset', name, '--updates', '2', '--json'];
    const { code, out, log } = await run(trainCommand, [...args, ...episodes]);
    expect(log.join('\n')).toContain('estimate: ');
    expect(log.join('\n')).toContain('weights frozen in f16');
    expect(code).toBe(0);
    const rows: Record<string, unknown>[] = out.map((line) => JSON.parse(line));
    expect(rows.map(({ iteration }) => iteration)).toEqual([1, 2, 2]);
    for (const row of rows) {
      const numbers = Object.values(row).filter((value) => typeof value === 'number');
      expect(numbers.length).toBeGreaterThan(4);
      expect(numbers.every(Number.isFinite)).toBe(true);
    }
    expect(rows[2]?.config).toMatchObject({
      agent: { format: 'react', max_action_tokens: episodes === few ? 8 : 48 },
      algorithm: { advantage: 'grpo', entropy_coef: 0, mini_batches: 2 },
      optimizer: { learning_rate: 0.0002 },
    });
  });

  it.skipIf(fast)('trains with a preset in int4 if the model does not fit in float16', async () => {
    const args = ['--model', modelAt('llama'), '--preset', 'smollm2-wordle', '--updates', '1'];
    const first = await run(trainCommand, [...args, ...few, '--json']);
    const { config: settled } = JSON.parse(first.out.at(-1) ?? '{}');
    const config = parseConfig(settled);
    const opened = await openModel(folderOf(testModel('llama')));
    const model = adaptedModel(opened, 'test', adapterOf({ base: 'f16' }));
    const { bytes } = runCost(config, pretrainedShape(model, config));
    const room = { ...shared.room, total: bytes - 1 };
    const second = await run(trainCommand, [...args, ...few, '--json'], { room });
    expect(second.log.join('\n')).toContain('weights frozen in int4');
    expect(second.code).toBe(0);
    const asked = [...args, ...few, '--base', 'f16'];
    expect((await run(trainCommand, asked, { room })).log.at(-1)).toContain('offers at most');
  });

  it.each(some(['int4', 'f16'] as const))(
    'estimates the peak memory of training in %s',
    async (base) => {
      const { device } = await openNodeDevice('processor', 1);
      let allocated = 0;
      let peak = 0;
      Object.defineProperty(device.counters, 'bufferBytes', {
        get: () => allocated,
        set(bytes: number) {
          allocated = bytes;
          peak = Math.max(peak, bytes);
        },
      });
      const create: CreatePolicy = (...args) => createPolicy(device, ...args);
      const args = ['--model', modelAt('llama'), '--base', base, '--updates', '2', '--json'];
      const wordle = ['--preset', 'smollm2-wordle', ...few];
      const { code, out } = await run(trainCommand, [...args, ...wordle], { createPolicy: create });
      device.close();
      expect(code).toBe(0);
      const config = parseConfig(JSON.parse(out.at(-1) ?? '{}').config);
      const opened = await openModel(folderOf(testModel('llama')));
      const shape = pretrainedShape(adaptedModel(opened, 'test', adapterOf({ base })), config);
      expect(peak).toBe(runCost(config, shape).bytes);
    },
  );

  it('asks for a model if the preset needs one, and lists the presets for an unknown name', async () => {
    const needs = await run(trainCommand, ['--preset', 'smollm2-wordle', '--updates', '1']);
    expect(needs.log).toEqual([
      '--preset smollm2-wordle trains a pretrained model; name its folder with --model DIR',
    ]);
    expect(needs.code).toBe(2);
    const unknown = await run(trainCommand, ['--model', folder, '--preset', 'llama-chess']);
    expect(unknown.log).toHaveLength(1);
    for (const { name } of modelPresets) expect(unknown.log[0]).toContain(name);
    expect(unknown.code).toBe(2);
  });

  it('resumes an adapter bit-identically, evaluates and exports it, and starts new runs from it', async () => {
    const model = modelAt('llama');
    const at = (name: string) => join(folder, name);
    const base = ['--model', model, ...maze, '--base', 'int4', '--json'];
    const rate = ['--set', 'optimizer.learning_rate=0.01'];
    const whole = [...base, ...rate, '--updates', '3', '--save', at('whole')];
    expect((await run(trainCommand, whole)).code).toBe(0);
    const first = [...base, ...rate, '--updates', '2', '--save', at('first')];
    expect((await run(trainCommand, first)).code).toBe(0);
    const resume = ['--resume', at('first'), '--model', model, '--updates', '3', '--json'];
    const resumed = await run(trainCommand, [...resume, '--save', at('second')]);
    expect(resumed.log.at(-1)).toBeDefined();
    expect(resumed.code).toBe(0);
    const [uninterrupted, again] = ['whole', 'second'].map((name) =>
      firstStudent(decodeCheckpoint(readFileSync(at(name)))),
    );
    expect(again?.weights).toEqual(uninterrupted?.weights);
    expect(again?.training?.secondMoments).toEqual(uninterrupted?.training?.secondMoments);
    // The checkpoint contains only the adapter.
    expect([...(again?.weights.keys() ?? [])].every((name) => name.includes('lora'))).toBe(true);
    expect(again?.vocabulary).toEqual([]);
    expect(() => keptAgent(decodeCheckpoint(readFileSync(at('second'))))).toThrow(
      'which only a command with --model can use',
    );

    const checkpoint = ['--checkpoint', at('second')];
    const evaluated = await run(evaluateCommand, [
      ...[...checkpoint, '--model', model, '--tasks', '2', '--k', '1', '--format', 'json'],
    ]);
    expect(evaluated.code).toBe(0);
    expect(evaluated.out.join('')).toContain('maze/double-t-v1');
    const lacking = await run(evaluateCommand, checkpoint);
    expect(lacking.code).toBe(2);
    expect(lacking.log.at(-1)).toContain('only a command with --model can use');

    const files = {
      adapter: ['adapter_config.json', 'adapter_model.safetensors'],
      merged: ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json'],
      'gguf-f16': ['model.gguf'],
      'gguf-q8_0': ['model.gguf'],
    };
    for (const [format, names] of Object.entries(files)) {
      const to = ['--out', at(format), '--model', model, '--format', format];
      const exported = await run(exportCommand, [...checkpoint, ...to]);
      expect(exported.log).toEqual([]);
      expect(exported.code).toBe(0);
      for (const name of ['README.md', 'palestra.json', ...names]) {
        expect(existsSync(join(at(format), name))).toBe(true);
      }
      // The weights of the base model have a separate license.
      expect(readFileSync(join(at(format), 'README.md'), 'utf8')).toContain(
        format === 'adapter' ? 'license: mit' : 'license: other',
      );
    }
    // New runs can start from the merged model and from the adapter.
    const start = [...maze, '--updates', '1', '--json'];
    expect((await run(trainCommand, ['--model', at('merged'), ...start])).code).toBe(0);
    const adapted = ['--model', model, '--adapter', at('adapter'), ...start];
    expect((await run(trainCommand, adapted)).code).toBe(0);
  });

  it('rejects unusable options and files with an error that names them', async () => {
    const model = modelAt('llama');
    const other = modelAt('qwen2');
    const refused = async (args: readonly string[], what: string) => {
      const { code, log } = await run(trainCommand, [...args, ...maze, '--updates', '1']);
      expect(log.at(-1)).toContain(what);
      expect(code).toBe(2);
    };
    await refused(['--model', join(folder, 'none')], 'no such folder');
    await refused(['--lora-rank', '8'], '--lora-rank needs --model DIR');
    await refused(
      ['--model', model, '--lora-rank', '6'],
      '--lora-rank must be a multiple of 4 from 4 to 256, got "6"',
    );
    await refused(['--model', model, '--lora-targets', 'lm_head'], 'choose from q_proj');
    await refused(['--model', model, '--init', model], 'choose one');
    await refused(['--model', model, '--adapter', model], 'adapter_config.json is missing');
    await refused(['--model', model, '--preset', 'critique-rl'], 'recipe');

    const kept = join(folder, 'kept');
    const saved = ['--model', model, ...maze, '--updates', '1', '--save', kept];
    expect((await run(trainCommand, saved)).code).toBe(0);
    const resumed = async (args: readonly string[]) => {
      const { code, log } = await run(trainCommand, ['--resume', kept, '--updates', '2', ...args]);
      expect(code).toBe(2);
      return log.at(-1);
    };
    expect(await resumed([])).toContain('only a command with --model can use');
    expect(await resumed(['--model', other])).toContain('files differ from those of');
    expect(await resumed(['--model', model, '--lora-rank', '8'])).toContain('omit --lora-rank');
  });
});
