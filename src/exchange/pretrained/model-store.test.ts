import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { pretrainedShape } from '../../agents/shape.ts';
import { presetConfig } from '../../config/presets.ts';
import { setConfigValues } from '../../config/text.ts';
import { parameterLayout } from '../../policy/layout.ts';
import { modelTypes } from '../../policy/types.ts';
import { encodeCheckpoint } from '../../runs/checkpoint.ts';
import { memoryDisk } from '../testing/file-system.ts';
import { folderOf, testModel, testShape } from '../testing/pretrained.ts';
import { adapterOf, modelMethod, modelSettings } from './defaults.ts';
import { modelPresets } from './model-presets.ts';
import { ModelMissingError, ModelStore, ModelStoreError } from './model-store.ts';
import { answerModelRequest, type ModelRequest } from './model-work.ts';
import { adaptedModel, openModel } from './open-model.ts';

const blobs = (files: ReadonlyMap<string, Uint8Array>) =>
  new Map([...files].map(([name, bytes]) => [name, new Blob([new Uint8Array(bytes)])]));

function storeOf({ disk, root }: ReturnType<typeof memoryDisk>, free?: () => number) {
  const left = free ?? (() => disk.capacity - disk.used());
  return new ModelStore(
    root,
    async () => left(),
    (work) => work(),
  );
}

const ask = (store: ModelStore, request: ModelRequest) =>
  answerModelRequest(request, {
    store: async () => store,
    downloads: () => Promise.reject(new Error('no request of this file downloads')),
    onProgress: () => {},
    signal: new AbortController().signal,
  });

describe('ModelStore', () => {
  it.each(modelTypes)('stores, lists, opens and removes a model of the type %s', async (type) => {
    const store = storeOf(memoryDisk());
    const files = testModel(type);
    const { digest } = await openModel(folderOf(files));
    const fractions: number[] = [];
    const stray = new Map([...blobs(files), ['pytorch_model.bin', new Blob(['no'])]]);
    const model = await store.add('Tiny', stray, (fraction) => fractions.push(fraction));
    const shape = testShape(type);
    expect(model).toMatchObject({ digest, name: 'Tiny', modelType: type, contextLength: 4096 });
    expect(model.shape).toMatchObject({ layers: shape.layers, width: 32 });
    expect(model.parameters).toBeGreaterThan(shape.vocabulary * 32);
    expect(fractions.at(-1)).toBe(1);
    expect(await store.list()).toEqual([model]);
    const { opened, folder } = await store.openModel(model);
    expect(opened.digest).toBe(digest);
    expect(folder('pytorch_model.bin')).toBeNull();
    await store.remove(digest);
    expect(await store.list()).toEqual([]);
    await expect(store.openModel(model)).rejects.toThrow(ModelMissingError);
  });

  it('stores only one copy of a model', async () => {
    const store = storeOf(memoryDisk());
    await store.add('one', blobs(testModel('llama')), () => {});
    const again = await store.add('two', blobs(testModel('llama')), () => {});
    expect(again.name).toBe('one');
    await store.add('other', blobs(testModel('llama', 2)), () => {});
    expect((await store.list()).map(({ name }) => name)).toEqual(['one', 'other']);
  });

  it.each([
    ['before the copy', undefined],
    ['during the copy', () => Number.POSITIVE_INFINITY],
  ])('reports a full disk %s and leaves no files', async (_, free) => {
    const memory = memoryDisk(1000);
    const adding = storeOf(memory, free).add('a', blobs(testModel('llama')), () => {});
    await expect(adding).rejects.toThrow(ModelStoreError);
    await expect(adding).rejects.toThrow(/needs .* of storage, and the browser has/);
    expect(memory.disk.used()).toBe(0);
  });

  it('removes the remains of interrupted copies', async () => {
    const memory = memoryDisk();
    const store = storeOf(memory);
    const partial = 'a'.repeat(64);
    await memory.root.getDirectoryHandle(partial, { create: true });
    await expect(store.openModel({ name: 'a', digest: partial })).rejects.toThrow(
      ModelMissingError,
    );
    // The page was closed while the last file was written.
    const kept = await store.add('b', blobs(testModel('llama')), () => {});
    const files = blobs(testModel('qwen2'));
    const { digest } = await store.add('c', files, () => {});
    const folder = await memory.root.getDirectoryHandle(digest);
    await folder.removeEntry('palestra.json');
    await folder.getFileHandle('palestra.json', { create: true });
    expect(await store.list()).toEqual([kept]);
    await expect(memory.root.getDirectoryHandle(partial)).rejects.toThrow();
    await expect(memory.root.getDirectoryHandle(digest)).rejects.toThrow();
    expect((await store.add('d', files, () => {})).name).toBe('d');
  });

  it('removes nothing while another tab copies a model', async () => {
    const memory = memoryDisk();
    const free = async () => memory.disk.capacity;
    const busy = new ModelStore(memory.root, free, (work, otherwise) => (otherwise ?? work)());
    const partial = 'a'.repeat(64);
    await memory.root.getDirectoryHandle(partial, { create: true });
    expect(await busy.list()).toEqual([]);
    await expect(memory.root.getDirectoryHandle(partial)).resolves.toBeDefined();
  });
});

describe('answerModelRequest', () => {
  it('plans the same run as the command line', async () => {
    const store = storeOf(memoryDisk());
    const model = await store.add('Tiny', blobs(testModel('qwen2')), () => {});
    const config = presetConfig('maze');
    const answer = await ask(store, { kind: 'plan', model, config, set: [], rank: 8 });
    if (answer.kind !== 'plan') throw new Error(JSON.stringify(answer));
    const { memory, config: planned } = answer.plan;
    expect(planned.agent).toMatchObject({ format: 'react', max_action_tokens: 64 });
    expect(planned.agent.context_length).toBeGreaterThan(config.agent.context_length);
    expect(planned.algorithm.advantage).toBe('grpo');
    expect(planned.optimizer.learning_rate).toBe(0.0002);
    expect(answer.plan.operations).toBeGreaterThan(1e9);
    expect(memory.int4).toBeLessThan(memory.f16 ?? 0);
    expect(memory.f16).toBeLessThan(memory.f32 ?? 0);
  });

  it.each([
    [presetConfig('critique-rl'), /recipe: must be reinforcement or evolution for a pretrained/],
    [
      { ...presetConfig('maze'), env: { id: 'remote/openenv-v1', options: {}, mixture: [] } },
      /env.id: must not be an environment on a server/,
    ],
  ])('refuses settings that cannot train a pretrained model', async (config, problem) => {
    const store = storeOf(memoryDisk());
    const model = await store.add('Tiny', blobs(testModel('llama')), () => {});
    const answer = await ask(store, { kind: 'plan', model, config, set: [], rank: 8 });
    expect(answer).toMatchObject({ kind: 'refused', message: expect.stringMatching(problem) });
  });

  it.each(modelPresets)('plans the preset $name', async ({ preset, set }) => {
    const store = storeOf(memoryDisk());
    const model = await store.add('Tiny', blobs(testModel('llama')), () => {});
    const config = presetConfig(preset);
    const answer = await ask(store, { kind: 'plan', model, config, set, rank: 8 });
    if (answer.kind !== 'plan') throw new Error(JSON.stringify(answer));
    expect(answer.plan.config).toMatchObject({
      env: { id: config.env.id },
      agent: { format: 'react', max_action_tokens: 48 },
      rollout: { tasks_per_iteration: 4, group_size: 8 },
      stopping: { iterations: 100 },
    });
  });

  const text = (value: string) => new TextEncoder().encode(value);
  it.each([
    ['an empty folder', () => new Map(), 'config.json is missing'],
    [
      'another architecture',
      () => testModel('llama').set('config.json', text('{"model_type": "bert"}')),
      'in config.json, model_type',
    ],
    ['no chat template', () => testModel('llama').set('tokenizer_config.json', text('{}')), 'chat'],
    [
      'truncated weights',
      () => {
        const files = testModel('llama');
        const whole = files.get('model.safetensors') ?? new Uint8Array();
        return files.set('model.safetensors', whole.slice(0, -10));
      },
      'model.safetensors is invalid: it is cut off',
    ],
    [
      'a damaged tokenizer',
      () => testModel('llama').set('tokenizer.json', text('{')),
      'tokenizer.json',
    ],
  ])('rejects %s with one sentence', async (_, files, reason) => {
    const answer = await ask(storeOf(memoryDisk()), {
      ...{ kind: 'add', name: 'a' },
      files: blobs(files()),
    });
    expect(answer).toEqual({ kind: 'refused', message: expect.stringContaining(reason) });
  });
});

it('exports the adapter of a checkpoint', async () => {
  const store = storeOf(memoryDisk());
  const model = await store.add('Tiny', blobs(testModel('llama')), () => {});
  const base = { name: model.name, digest: model.digest, adapter: adapterOf({ rank: 4 }) };
  const { opened } = await store.openModel(base);
  const config = setConfigValues(presetConfig('maze'), [...modelSettings, ...modelMethod()]);
  const shape = pretrainedShape(adaptedModel(opened, base.name, base.adapter), config);
  const weights = new Map(
    [...parameterLayout(shape).slots.values()].map(({ name, shape: size, length }) => [
      name,
      { shape: size, values: new Float32Array(length) },
    ]),
  );
  const student = { vocabulary: [], bpe: null, base, weights, training: null };
  const checkpoint = encodeCheckpoint({
    ...{ config, iteration: 1, turns: 1, tokens: 1, trainer: null },
    students: new Map([['agent', student]]),
  });
  const answer = await ask(store, { kind: 'export', checkpoint, format: 'adapter' });
  if (answer.kind !== 'exported') throw new Error(JSON.stringify(answer));
  expect(Object.keys(unzipSync(answer.zip))).toEqual(
    expect.arrayContaining(['adapter_config.json', 'adapter_model.safetensors', 'README.md']),
  );
});
