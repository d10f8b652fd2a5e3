import { Template } from '@huggingface/jinja';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../../device/index.ts';
import { environmentFor } from '../../envs/registry.ts';
import { TestRandom } from '../../kernels/reference/random.ts';
import { testDevices } from '../../kernels/testing.ts';
import { mergedWeights } from '../../policy/merge.ts';
import { createPolicy } from '../../policy/policy.ts';
import {
  type Adapter,
  adapterTargets,
  modelTypes,
  type PolicyShape,
  type TokenPolicy,
  type TrainingBatch,
  type WeightTensor,
} from '../../policy/types.ts';
import { decodeSafeTensors, encodeSafeTensors } from '../../runs/safetensors.ts';
import { fromLlama } from '../llama-tensors.ts';
import { folderOf, type ModelFiles, testModel } from '../testing/pretrained.ts';
import { ASSENT, instructionMessage } from '../trajectories/trajectory-file.ts';
import { chatFrame } from './chat-template.ts';
import { mergedReader, mergedSafeTensors } from './merged.ts';
import { adaptedModel, openModel } from './open-model.ts';
import { openPeft, peftFiles } from './peft.ts';

const capacity = {
  ...{ tokens: 48, rows: 48, lossRows: 48, updateRows: 48 },
  ...{ episodes: 1, context: 48 },
};
const adapter: Adapter = { rank: 4, alpha: 8, targets: adapterTargets, base: 'f32' };

let device: Device;
beforeAll(async () => {
  const processor = testDevices.find(({ kinds }) => kinds.includes('processor'));
  if (!processor) throw new RangeError('no device');
  device = await processor.open();
});
afterAll(() => device.close());

/** Log-probabilities of all next tokens at every position. */
async function logpsOf(policy: TokenPolicy, tokens: Uint32Array): Promise<Float32Array> {
  const zeros = new Float32Array(tokens.length);
  const batch: TrainingBatch = {
    tokens,
    sequenceStarts: Uint32Array.of(0, tokens.length),
    rows: Uint32Array.from(tokens, (_, i) => i),
    targets: tokens,
    ...{ behaviorLogps: zeros, advantages: zeros, weights: zeros },
  };
  const [logps] = await policy.distributions([batch], 1);
  return logps ?? new Float32Array(0);
}

function largest(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? 0))), 0);
}

/** An adapter with random A and B. */
async function randomAdapter(policy: TokenPolicy): Promise<Map<string, WeightTensor>> {
  const random = new TestRandom(5);
  const present = await policy.readWeights();
  const { shape } = policy;
  const weights = new Map(
    [...present].map(([name, tensor]) => [
      name,
      { shape: tensor.shape, values: random.floats(tensor.values.length).map((x) => 0.2 * x) },
    ]),
  );
  // Converts to PEFT's layout and back, so that B is 0 outside the blocks of its parts.
  const peft = await openPeft(folderOf(peftFiles(shape as never, weights, 'test')));
  return peft.read(shape);
}

const without = (files: ModelFiles, name: string) => {
  const rest = new Map(files);
  rest.delete(name);
  return rest;
};
const changed = (files: ModelFiles, name: string, to: Readonly<Record<string, unknown>>) => {
  const before = JSON.parse(new TextDecoder().decode(files.get(name))) as object;
  return new Map(files).set(name, new TextEncoder().encode(JSON.stringify({ ...before, ...to })));
};

describe.each(modelTypes)('a model of the type %s', (modelType) => {
  const files = testModel(modelType);

  it('has the same logits with a new adapter as without one', async () => {
    const opened = await openModel(folderOf(files));
    const model = adaptedModel(opened, 'test', adapter);
    const under = await createPolicy(device, model.shape, capacity, 3, model.weights);
    const plain = await createPolicy(device, opened.shape, capacity, 3);
    const { tensors } = decodeSafeTensors(files.get('model.safetensors') ?? new Uint8Array());
    plain.writeWeights(fromLlama(opened.shape, tensors));
    const tokens = new TestRandom(2).wholes(40, opened.shape.vocabulary);
    expect(largest(await logpsOf(under, tokens), await logpsOf(plain, tokens))).toBeLessThan(1e-4);
    under.destroy();
    plain.destroy();
  });

  it('keeps its adapter when exported and imported, and its logits when merged', async () => {
    const opened = await openModel(folderOf(files));
    const model = adaptedModel(opened, 'test', adapter);
    const policy = await createPolicy(device, model.shape, capacity, 3, model.weights);
    const trained = await randomAdapter(policy);
    policy.writeWeights(trained);
    const tokens = new TestRandom(2).wholes(40, opened.shape.vocabulary);
    const logps = await logpsOf(policy, tokens);

    const peft = await openPeft(folderOf(peftFiles(model.shape, trained, 'test')));
    expect(peft.form).toEqual({ rank: 4, alpha: 8, targets: adapterTargets });
    const again = await peft.read(model.shape);
    for (const [name, { values }] of trained) expect(again.get(name)?.values).toEqual(values);

    const read = mergedReader(opened, model.shape, trained);
    const { tensors } = decodeSafeTensors(await mergedSafeTensors(model.shape, read));
    const merged = fromLlama(opened.shape, tensors);
    const wanted = mergedWeights(model.shape, await networkOf(files, opened.shape), trained);
    for (const [name, { values }] of wanted) {
      const found = merged.get(name)?.values ?? new Float32Array(0);
      // Half a unit in the last place of float16's 11-bit significand.
      const apart = values.findIndex(
        (value, i) => Math.abs(value - (found[i] ?? 0)) > 2 ** -11 * Math.abs(value) + 2 ** -25,
      );
      // Gemma's norm weights are stored minus 1, which changes their rounding.
      if (!name.includes('norm')) expect(apart).toBe(-1);
    }
    const plain = await createPolicy(device, opened.shape, capacity, 3);
    plain.writeWeights(merged);
    expect(largest(await logpsOf(plain, tokens), logps)).toBeLessThan(0.05);
    policy.destroy();
    plain.destroy();
  });

  it.each(['maze/double-t-v1', 'wordle/wordle-v1', 'textcraft/textcraft-v1'] as const)(
    'reads dialogues of %s as its chat template renders them',
    async (id) => {
      const { texts } = await openModel(folderOf(files));
      const environment = environmentFor({ id, options: {}, mixture: [] });
      const model = adaptedModel(await openModel(folderOf(files)), 'test', adapter);
      const tokenizer = model.tokenizerFor(environment, 'react');
      const { frame } = tokenizer;
      const { observation } = environment.reset(environment.trainTasks[0] ?? '');
      const action = 'Thought: the word Action: move up';
      const tokens = [
        ...frame.opening,
        ...tokenizer.encode(observation),
        ...frame.action,
        ...tokenizer.encode(action),
        ...frame.closing,
        ...frame.observation,
        ...tokenizer.encode('the second observation'),
        ...frame.action,
      ];
      const rendered = new Template(texts.template).render({
        ...texts.special,
        messages: [
          { role: 'user', content: instructionMessage(environment.instruction) },
          { role: 'assistant', content: ASSENT },
          { role: 'user', content: observation },
          { role: 'assistant', content: action },
          { role: 'user', content: 'the second observation' },
        ],
        add_generation_prompt: true,
        enable_thinking: false,
      });
      const whole = tokenizer.encode(rendered);
      if (modelType === 'qwen3') {
        // Its template leaves the empty thought out of earlier answers; training keeps it.
        expect(whole.length).toBeLessThan(tokens.length);
        expect(whole.slice(-frame.action.length)).toEqual([...frame.action]);
      } else expect(tokens).toEqual(whole);
      expect(frame.ends).toContain(frame.closing[0]);
    },
  );
});

async function networkOf(files: ModelFiles, shape: PolicyShape) {
  const { tensors } = decodeSafeTensors(files.get('model.safetensors') ?? new Uint8Array());
  return fromLlama(shape, tensors);
}

describe('a model split into several files', () => {
  const files = testModel('qwen2');
  const { tensors } = decodeSafeTensors(files.get('model.safetensors') ?? new Uint8Array());
  const names = [...tensors.keys()];
  const part = (from: number, to: number) =>
    encodeSafeTensors({ tensors: new Map([...tensors].slice(from, to)), metadata: new Map() });
  const split = without(files, 'model.safetensors')
    .set('a.safetensors', part(0, 5))
    .set('b.safetensors', part(5, names.length))
    .set(
      'model.safetensors.index.json',
      new TextEncoder().encode(
        JSON.stringify({
          weight_map: Object.fromEntries(
            names.map((name, i) => [name, i < 5 ? 'a.safetensors' : 'b.safetensors']),
          ),
        }),
      ),
    );

  it('is read as one', async () => {
    const { weights } = await openModel(folderOf(split));
    expect([...weights.tensors.keys()].sort()).toEqual([...names].sort());
  });

  it('is rejected if a file is missing or outside the folder', async () => {
    await expect(openModel(folderOf(without(split, 'b.safetensors')))).rejects.toThrow(
      'b.safetensors, which model.safetensors.index.json names, is missing',
    );
    const index = { weight_map: { x: '../b.safetensors' } };
    await expect(
      openModel(folderOf(changed(split, 'model.safetensors.index.json', index))),
    ).rejects.toThrow('must name .safetensors files in its folder');
  });
});

describe('an unusable model', () => {
  const files = testModel('llama');
  const rejected = (given: ModelFiles) => expect(openModel(folderOf(given))).rejects;

  it.each(['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors'])(
    'is rejected if %s is missing',
    async (name) => {
      await rejected(without(files, name)).toThrow(`${name} is missing`);
    },
  );

  it.each([
    ['model_type', { model_type: 'mamba' }],
    ['rope_scaling', { rope_scaling: { type: 'linear', factor: 2 } }],
    ['hidden_act', { hidden_act: 'relu' }],
    ['attention_bias', { attention_bias: true }],
    ['num_hidden_layers', { num_hidden_layers: 0 }],
  ])('is rejected with an error that names the field %s', async (field, change) => {
    await rejected(changed(files, 'config.json', change)).toThrow(`in config.json, ${field}`);
  });

  it('is rejected if its weights are truncated, have another shape or do not match its config', async () => {
    const whole = files.get('model.safetensors') ?? new Uint8Array();
    for (const length of [0, 7, 40, whole.length - 1]) {
      await rejected(new Map(files).set('model.safetensors', whole.slice(0, length))).toThrow(
        'model.safetensors is invalid: it ',
      );
    }
    await rejected(changed(files, 'config.json', { intermediate_size: 96 })).toThrow(
      'config.json implies [96, 32]',
    );
    await rejected(changed(files, 'config.json', { num_hidden_layers: 1 })).toThrow(
      'have an unexpected tensor "model.layers.1.',
    );
    await rejected(changed(files, 'config.json', { num_hidden_layers: 3 })).toThrow(
      'no tensor model.layers.2.',
    );
  });

  it('is rejected if it has no chat template', async () => {
    await rejected(changed(files, 'tokenizer_config.json', { chat_template: null })).toThrow(
      'it has no chat template',
    );
  });

  it('is rejected if a width does not fit the base precision', async () => {
    const opened = await openModel(folderOf(files));
    expect(() =>
      adaptedModel({ ...opened, shape: { ...opened.shape, ffnWidth: 48 } }, 'test', {
        ...adapter,
        base: 'int4',
      }),
    ).toThrow('must be a multiple of 32 for a frozen base in int4');
  });
});

describe('a chat template', () => {
  const frame = (template: string) => chatFrame(template, {}, []);

  it('is split into the texts around its messages', () => {
    expect(
      frame(
        "<s>{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}</s>{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}",
      ),
    ).toEqual({
      opening: '<s>[user]',
      action: '</s>[assistant]',
      between: '</s>[user]',
    });
  });

  it('is rejected if later messages change earlier ones', () => {
    expect(() =>
      frame(
        "{{ messages | length }}{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}</s>{% endfor %}[assistant]",
      ),
    ).toThrow('changes earlier messages');
    expect(() =>
      frame(
        "{% for m in messages %}[{{ m['role'] }}{{ loop.index }}]{{ m['content'] }}</s>{% endfor %}",
      ),
    ).toThrow('changes earlier messages');
  });

  it('is rejected if it leaves out messages, raises an exception or has a syntax error', () => {
    expect(() => frame("{{ messages[0]['content'] }}")).toThrow('leaves out or repeats a message');
    expect(() => frame("{{ raise_exception('no chats') }}")).toThrow(
      'cannot be rendered: no chats',
    );
    expect(() => frame('{% for %}')).toThrow('cannot be rendered');
  });
});

describe('a PEFT adapter', () => {
  const model = async () =>
    adaptedModel(await openModel(folderOf(testModel('llama'))), 't', adapter);
  const filesOf = async () => {
    const { shape, weights } = await model();
    const policy = await createPolicy(device, shape, capacity, 3, weights);
    const files = peftFiles(shape, await policy.readWeights(), 't');
    policy.destroy();
    return files;
  };

  it.each([
    ['peft_type', { peft_type: 'IA3' }],
    ['use_dora', { use_dora: true }],
    ['modules_to_save', { modules_to_save: ['lm_head'] }],
    ['rank_pattern', { rank_pattern: { q_proj: 8 } }],
    ['target_modules', { target_modules: 'all-linear' }],
    ['target_modules', { target_modules: ['embed_tokens'] }],
    ['r', { r: 'four' }],
    ['r', { r: 2 }],
    ['r', { r: 260 }],
    ['lora_alpha', { lora_alpha: 0 }],
    ['lora_alpha', { lora_alpha: 2 ** 40 }],
  ])('is rejected with an error that names the field %s', async (field, change) => {
    const files = changed(await filesOf(), 'adapter_config.json', change);
    await expect(openPeft(folderOf(files))).rejects.toThrow(`in adapter_config.json, ${field}`);
  });

  it('is rejected for another model', async () => {
    const { shape } = await model();
    const peft = await openPeft(folderOf(await filesOf()));
    await expect(peft.read({ ...shape, ffnWidth: 96 })).rejects.toThrow('this model needs [');
    await expect(peft.read({ ...shape, layers: 3 })).rejects.toThrow('has no tensor');
  });
});
