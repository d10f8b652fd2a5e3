import fc from 'fast-check';
import { unzipSync, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../config/schema.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import type { PolicyShape } from '../policy/types.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../runs/checkpoint.ts';
import { decodeSafeTensors, encodeSafeTensors } from '../runs/safetensors.ts';
import { checkpointOf } from '../runs/testing/checkpoints.ts';
import { keptAgentOf } from './agent.ts';
import {
  type AgentFiles,
  exportAgent,
  isAgentFileError,
  readAgentFile,
  readAgentFiles,
  zipAgent,
} from './agent-files.ts';
import { llamaConfig } from './llama-config.ts';
import { llamaTensors } from './llama-tensors.ts';
import { randomAgent, referenceOutputs } from './testing/agents.ts';
import { llamaForward } from './testing/llama.ts';
import { wordsJson } from './tokenizer-json.ts';

const small = { layers: 2, width: 32, heads: 4, kv_heads: 2, ffn_width: 48 };
const kinds: readonly { what: string; config: ConfigInput }[] = [
  { what: 'grouped-query attention', config: { policy: small } },
  { what: 'tied embeddings', config: { policy: { ...small, kv_heads: 4, tied_embeddings: true } } },
  { what: 'a value head', config: { policy: small, algorithm: { advantage: 'gae' } } },
];
const options = { report: null, license: 'MIT' };

const bytesOf = (files: AgentFiles, name: string) => files.get(name) ?? new Uint8Array();
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe('an exported agent', () => {
  it.each(kinds)('round-trips byte for byte through each exported file: $what', ({ config }) => {
    const files = exportAgent(randomAgent(config, 1), options);
    const ways = [
      readAgentFile(zipAgent(files)),
      readAgentFiles(files),
      readAgentFile(bytesOf(files, 'model.onnx')),
      readAgentFile(bytesOf(files, 'model_with_cache.onnx')),
    ];
    for (const agent of ways) {
      const again = exportAgent(keptAgentOf(agent), options);
      expect([...again.keys()]).toEqual([...files.keys()]);
      for (const [name, bytes] of again) expect(bytes, name).toEqual(files.get(name));
    }
    expect(zipAgent(exportAgent(keptAgentOf(ways[0] ?? readAgentFiles(files)), options))).toEqual(
      zipAgent(files),
    );
  });

  it('round-trips through a checkpoint', () => {
    const checkpoint = randomAgent({ policy: small }, 2);
    // A checkpoint of this version needs no settings replaced.
    const file = encodeCheckpoint(checkpointOf(checkpoint));
    expect(keptAgentOf(readAgentFile(file))).toEqual(checkpoint);
    expect(decodeCheckpoint(file).notes).toEqual([]);
  });

  it.each(kinds)('matches Hugging Face’s Llama equations: $what', ({ config }) => {
    const checkpoint = randomAgent(config, 3);
    const files = exportAgent(checkpoint, options);
    const { tensors } = decodeSafeTensors(bytesOf(files, 'model.safetensors'));
    const settings = JSON.parse(new TextDecoder().decode(bytesOf(files, 'config.json')));
    const tokens = [2, 7, 1, 9, 3, 8, 8];
    const found = llamaForward(settings, tensors, tokens);
    const wanted = referenceOutputs(readAgentFiles(files), tokens).logits;
    for (const [t, row] of wanted.entries()) {
      for (const [i, x] of row.entries()) expect(found[t]?.[i]).toBeCloseTo(x, 10);
    }
  });

  it('is sampled by transformers from all tokens', () => {
    const files = exportAgent(randomAgent({ policy: small }, 5), options);
    const settings = JSON.parse(new TextDecoder().decode(bytesOf(files, 'generation_config.json')));
    expect(settings).toMatchObject({ do_sample: true, top_k: 0, top_p: 1 });
  });

  it('has a model card with its license, environment and method', () => {
    const card = new TextDecoder().decode(
      bytesOf(exportAgent(randomAgent({ policy: small, seed: 9 }, 4), options), 'README.md'),
    );
    for (const said of [
      'license: mit',
      'maze/double-t-v1',
      '| Seed | 9 |',
      'GRPO',
      'Not evaluated',
    ]) {
      expect(card).toContain(said);
    }
  });
});

describe('an imported Llama checkpoint', () => {
  const shape: PolicyShape = {
    vocabulary: 11,
    layers: 2,
    width: 16,
    heads: 4,
    kvHeads: 2,
    ffnWidth: 24,
    tiedEmbeddings: true,
    valueHead: false,
  };
  const vocabulary = ['<pad>', '<unk>', '<obs>', '<act>', '<end>', 'a', 'b', 'c', 'd', 'e', 'f'];
  const random = new TestRandom(8);
  const tensors = new Map(
    llamaTensors(shape).map(({ name, shape: dims }) => [
      name,
      { shape: dims, values: random.floats(dims.reduce((product, n) => product * n, 1)) },
    ]),
  );
  const settings = llamaConfig(shape, { contextLength: 32, padToken: 0, endToken: 4 });
  const files = (changed: Readonly<Record<string, unknown>> = {}, saved = tensors) =>
    new Map([
      ['config.json', json({ ...settings, ...changed })],
      ['tokenizer.json', json(wordsJson(vocabulary))],
      ['model.safetensors', encodeSafeTensors({ tensors: saved, metadata: new Map() })],
    ]);

  it('gives the same outputs as the original', () => {
    const agent = readAgentFiles(files());
    expect(agent.run).toBeNull();
    expect(agent.shape).toEqual(shape);
    const tokens = [2, 5, 3, 7, 4, 10];
    const found = referenceOutputs(agent, tokens).logits;
    for (const [t, row] of llamaForward(settings, tensors, tokens).entries()) {
      for (const [i, x] of row.entries()) expect(found[t]?.[i]).toBeCloseTo(x, 10);
    }
  });

  it('is accepted if it omits default settings and stores rotary frequencies', () => {
    const { head_dim, attention_bias, mlp_bias, rope_scaling, rope_theta, ...rest } = settings;
    const omitted = [head_dim, attention_bias, mlp_bias, rope_scaling, rope_theta];
    expect(omitted).not.toContain(undefined);
    const saved = new Map(tensors).set('model.rotary_emb.inv_freq', {
      shape: [2],
      values: Float32Array.of(1, 0.1),
    });
    const short = files({}, saved).set('config.json', json(rest));
    expect(readAgentFiles(short).shape).toEqual(shape);
  });

  it.each([
    [{ rms_norm_eps: 1e-6 }, 'rms_norm_eps is 0.000001'],
    [{ rope_theta: 500000 }, 'rope_theta is 500000'],
    [{ rope_scaling: { type: 'linear' } }, 'rope_scaling is {"type":"linear"}'],
    [{ hidden_act: 'gelu' }, 'hidden_act is "gelu"'],
    [{ attention_bias: true }, 'attention_bias is true'],
    [{ head_dim: 8 }, 'head_dim is 8'],
    [{ model_type: 'qwen2' }, 'model_type is "qwen2"'],
    [{ model_type: 'gpt2' }, 'model_type'],
    [{ num_hidden_layers: 1e9 }, 'num_hidden_layers'],
    [{ num_hidden_layers: 3 }, 'has no tensor model.layers.2.self_attn.q_proj.weight'],
    [{ num_hidden_layers: 1 }, 'an unexpected tensor "model.layers.1.'],
    [{ num_key_value_heads: 4 }, 'k_proj.weight has shape [8, 16]; config.json implies [16, 16]'],
    [{ num_key_value_heads: 3 }, 'kv_heads (3) must divide heads (4)'],
    [{ tie_word_embeddings: false }, 'has no tensor lm_head.weight'],
    [{ vocab_size: 12 }, 'model.embed_tokens.weight has shape [11, 16]'],
    [{ intermediate_size: 22 }, 'ffn_width (22) must be a multiple of 4'],
  ])('is rejected with the reason: %j', (changed, reason) => {
    expect(() => readAgentFiles(files(changed))).toThrow(reason);
  });

  it('is rejected if a file is missing, and cannot become a checkpoint if it names no environment', () => {
    expect(() => keptAgentOf(readAgentFiles(files()))).toThrow('name its environment');
    const some = files();
    some.delete('tokenizer.json');
    expect(() => readAgentFiles(some)).toThrow('tokenizer.json is missing');
  });
});

describe('importing a malformed file', () => {
  const tiny = { layers: 1, width: 8, heads: 1, kv_heads: 1, ffn_width: 8 };
  const files = exportAgent(randomAgent({ policy: tiny }, 5), options);
  const zip = zipAgent(files);
  const onnx = bytesOf(files, 'model.onnx');

  /** Returns null if the file is read, or the one-sentence error; rethrows any other error. */
  function readOrRefused(read: () => unknown): string | null {
    try {
      read();
      return null;
    } catch (error) {
      if (!isAgentFileError(error)) throw error;
      expect(error.message).toMatch(/^This (agent|checkpoint) cannot be (read|used): [^\n]+\.$/);
      // The longest message names every environment.
      expect(error.message.length).toBeLessThan(1000);
      return error.message;
    }
  }

  const damages = (length: number) =>
    fc.array(fc.tuple(fc.nat(length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  const damaged = (bytes: Uint8Array, changes: readonly (readonly [number, number])[]) => {
    const copy = Uint8Array.from(bytes);
    for (const [at, value] of changes) copy[at] = value;
    return copy;
  };

  it.each([
    ['zip', zip],
    ['ONNX', onnx],
    ['checkpoint', encodeCheckpoint(checkpointOf(randomAgent({ policy: tiny }, 5)))],
  ] as const)(
    'fails cleanly after truncation, and succeeds or fails cleanly after mutation: %s',
    (_, bytes) => {
      fc.assert(
        fc.property(damages(bytes.length), (changes) => {
          readOrRefused(() => readAgentFile(damaged(bytes, changes)));
        }),
        { numRuns: 400 },
      );
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), (length) => {
          expect(readOrRefused(() => readAgentFile(bytes.subarray(0, length)))).not.toBeNull();
        }),
        { numRuns: 200 },
      );
    },
  );

  it.each(['config.json', 'tokenizer.json', 'model.safetensors'])(
    'returns an agent or throws a one-sentence error after mutation: %s',
    (name) => {
      const bytes = bytesOf(files, name);
      fc.assert(
        fc.property(damages(Math.min(bytes.length, 3000)), (changes) => {
          readOrRefused(() => readAgentFiles(new Map(files).set(name, damaged(bytes, changes))));
        }),
        { numRuns: 300 },
      );
      fc.assert(
        fc.property(fc.json({ maxDepth: 4 }), (text) => {
          const other = new Map(files).set(name, new TextEncoder().encode(text));
          expect(readOrRefused(() => readAgentFiles(other))).not.toBeNull();
        }),
        { numRuns: 200 },
      );
    },
  );

  it('fails cleanly for random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(readOrRefused(() => readAgentFile(bytes))).not.toBeNull();
      }),
      { numRuns: 1000 },
    );
  });

  it('fails before it allocates the size that a file claims', () => {
    const huge = new Uint8Array(64);
    new DataView(huge.buffer).setBigUint64(0, 2n ** 60n, true);
    huge[8] = 0x7b;
    expect(readOrRefused(() => readAgentFile(huge))).toContain('its header length');
    const bomb = zipSync({ 'model.safetensors': new Uint8Array(100) });
    // The file's size in the zip's directory, 24 bytes into its entry.
    const view = new DataView(bomb.buffer);
    const entry = bomb.findIndex(
      (_, i) => i + 4 <= bomb.length && view.getUint32(i, true) === 0x02014b50,
    );
    view.setUint32(entry + 24, 0xfffffff0, true);
    expect(readOrRefused(() => readAgentFile(bomb))).toContain('4294967280 bytes; the limit is');
  });

  it('names an unknown operator in the error', () => {
    const text = new TextDecoder('latin1').decode(onnx);
    // The operator's type, preceded by its length.
    const at = text.indexOf('\u0007Softmax') + 1;
    const changed = damaged(
      onnx,
      [...'Hardmax'].map((c, i) => [at + i, c.charCodeAt(0)] as const),
    );
    expect(readOrRefused(() => readAgentFile(changed))).toContain('operator "Hardmax"');
  });

  it('fails if the graph differs from an exported one', () => {
    const text = new TextDecoder('latin1').decode(onnx);
    const at = text.lastIndexOf('Sigmoid');
    const changed = damaged(
      onnx,
      [...'Softmax'].map((c, i) => [at + i, c.charCodeAt(0)] as const),
    );
    expect(readOrRefused(() => readAgentFile(changed))).toContain('differs from Palestra’s export');
  });
});

describe('zipAgent', () => {
  it('stores large files uncompressed and rejects more than a zip can hold', () => {
    const large = new Uint8Array(2 ** 26 + 1);
    const zip = zipAgent(new Map([['weights', large]]));
    expect(zip.length).toBeGreaterThan(large.length);
    expect(unzipSync(zip).weights).toEqual(large);
    const huge = { length: 2 ** 32 } as Uint8Array;
    expect(() => zipAgent(new Map([['weights', huge]]))).toThrow(/too many for a zip/);
  });
});
