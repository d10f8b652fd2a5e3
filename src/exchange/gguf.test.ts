import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLlamaCpp } from '../../scripts/llama-cpp.mjs';
import type { Device } from '../device/index.ts';
import { TestRandom } from '../kernels/reference/random.ts';
import { testDevices } from '../kernels/testing.ts';
import { createPolicy, type Policy } from '../policy/policy.ts';
import { randomWeights, smallArchitectures } from '../policy/testing/architectures.ts';
import type { PolicyShape, TrainingBatch } from '../policy/types.ts';
import { type GgufPrecision, ggufFile } from './gguf.ts';
import { toLlama } from './llama-tensors.ts';

/** The part of node-llama-cpp's API that is used here. */
interface LlamaCpp {
  getLlama(options: object): Promise<{
    loadModel(options: object): Promise<{
      createContext(options: object): Promise<{
        getSequence(): {
          controlledEvaluate(
            input: readonly (number | [number, object])[],
          ): Promise<
            ({ next?: { token?: number; probabilities?: Map<number, number> } } | undefined)[]
          >;
        };
      }>;
      dispose(): Promise<void>;
    }>;
    dispose(): Promise<void>;
  }>;
}

/** GPT-2's characters for bytes: printable bytes stand for themselves, others map to 256 and above. */
function byteLetters(): string[] {
  const prints = (b: number) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  let moved = 256;
  return Array.from({ length: 256 }, (_, b) => String.fromCharCode(prints(b) ? b : moved++));
}

/** All bytes, some pairs of lowercase letters, and an end token. */
function tokenizer() {
  const letters = byteLetters();
  const pairs = Array.from({ length: 51 }, (_, i) => {
    const [a, b] = ['abcdefgh'.charAt(i % 8), 'stuvwxy'.charAt(Math.floor(i / 8))];
    return `${a} ${b}`;
  });
  const tokens = [...letters, ...pairs.map((pair) => pair.replace(' ', '')), '<|end|>'];
  const end = tokens.length - 1;
  return {
    ...{
      tokens,
      merges: pairs,
      special: new Set([end]),
      bos: null,
      end,
      pad: null,
      template: null,
    },
    pre: 'gpt-2' as const,
  };
}

const vocabulary = tokenizer().tokens.length;

/** Two sizes of each block, one of them larger than a kernel's tile. */
const shapes = smallArchitectures.flatMap(({ what, shape }) =>
  [
    { width: 32, heads: 2, kvHeads: 1, headDim: 16, ffnWidth: 64, layers: shape.layers },
    { width: 96, heads: 6, kvHeads: 3, headDim: 32, ffnWidth: 160, layers: shape.layers + 1 },
  ].map(({ headDim, ...size }): { what: string; shape: PolicyShape } => {
    const { architecture } = shape;
    if (!architecture) throw new RangeError('no architecture');
    const { sliding } = architecture;
    // llama.cpp derives Qwen2's head_dim from its width.
    const own = architecture.modelType === 'qwen2' ? size.width / size.heads : headDim;
    const layers = Array.from({ length: size.layers }, (_, l) => (l + 1) % 6 !== 0);
    return {
      what: `${what}, width ${size.width}`,
      shape: {
        ...shape,
        ...size,
        vocabulary,
        architecture: {
          ...architecture,
          headDim: own,
          embeddingScale: architecture.embeddingScale === 1 ? 1 : Math.sqrt(size.width),
          sliding: sliding && { ...sliding, tokens: 24, layers },
        },
      },
    };
  }),
);

const CONTEXT = 128;
const GREEDY = 64;
const capacity = {
  ...{ tokens: CONTEXT, rows: CONTEXT, lossRows: CONTEXT, updateRows: CONTEXT },
  ...{ episodes: 1, context: CONTEXT },
};

/** Next-token log-probabilities (tokens, vocabulary) after every token. */
async function ownLogps(policy: Policy, tokens: Uint32Array): Promise<Float32Array> {
  const rows = Uint32Array.from(tokens, (_, i) => i);
  const batch: TrainingBatch = {
    tokens,
    sequenceStarts: Uint32Array.of(0, tokens.length),
    rows,
    targets: tokens,
    ...{ behaviorLogps: new Float32Array(rows.length), advantages: new Float32Array(rows.length) },
    weights: new Float32Array(rows.length),
  };
  const [logps] = await policy.distributions([batch], 1);
  return logps ?? new Float32Array(0);
}

/** The policy's greedy continuation of a prompt. */
async function ownGreedy(policy: Policy, prompt: Uint32Array): Promise<number[]> {
  const { tokens } = await policy.generate({
    ...{ slots: Uint32Array.of(0), cachedLengths: Uint32Array.of(0), newTokens: prompt },
    newTokenStarts: Uint32Array.of(0, prompt.length),
    ...{ maxNewTokens: GREEDY, keepCache: true, endTokens: [vocabulary], temperature: 0 },
    random: {
      ...{ seed: 1, iterations: Uint32Array.of(0), episodes: Uint32Array.of(0) },
      offsets: Uint32Array.of(0),
    },
  });
  return Array.from(tokens);
}

const found = findLlamaCpp();

describe.skipIf(found === null)('a GGUF file in llama.cpp', () => {
  const folder = mkdtempSync(join(tmpdir(), 'palestra-gguf-'));
  let llama: Awaited<ReturnType<LlamaCpp['getLlama']>>;
  let device: Device;
  beforeAll(async () => {
    const { getLlama } = (await import(
      /* @vite-ignore */ pathToFileURL(found ?? '').href
    )) as LlamaCpp;
    llama = await getLlama({ ...{ build: 'never', gpu: false, logLevel: 'error' }, maxThreads: 1 });
    const processor = testDevices.find(({ kinds }) => kinds.includes('processor'));
    if (!processor) throw new RangeError('no device');
    device = await processor.open();
  });
  afterAll(async () => {
    await llama.dispose();
    device.close();
    rmSync(folder, { recursive: true });
  });

  async function opened(shape: PolicyShape, precision: GgufPrecision, seed: number) {
    const weights = randomWeights(shape, seed);
    const path = join(folder, `${shape.architecture?.modelType}-${shape.width}-${precision}.gguf`);
    const stored = toLlama(shape, weights);
    const read = async (name: string) => stored.get(name)?.values ?? new Float32Array(0);
    const bytes = await ggufFile(shape, read, {
      ...{ name: 'random', contextLength: CONTEXT, precision, tokenizer: tokenizer() },
    });
    writeFileSync(path, bytes);
    const model = await llama.loadModel({ modelPath: path, gpuLayers: 0, useMmap: false });
    const policy = await createPolicy(device, shape, capacity, 1);
    policy.writeWeights(weights);
    return { model, policy };
  }

  it.each(shapes)(
    'gives the policy’s probabilities and greedy text in f32: $what',
    async ({ shape }) => {
      const { model, policy } = await opened(shape, 'f32', 3);
      // A float32 key–value cache, like the policy's.
      const settings = {
        ...{ contextSize: CONTEXT, threads: 1 },
        experimentalKvCacheKeyType: 'F32',
        experimentalKvCacheValueType: 'F32',
        flashAttention: false,
      };
      const context = await model.createContext(settings);
      const sequence = context.getSequence();
      const random = new TestRandom(7);
      const prompt = random.wholes(48, vocabulary - 1);
      const own = await ownLogps(policy, prompt);
      const results = await sequence.controlledEvaluate(
        Array.from(prompt, (token) => [token, { generateNext: { probabilities: true } }]),
      );
      let largest = 0;
      results.forEach((result, t) => {
        for (const [token, probability] of result?.next?.probabilities ?? []) {
          const difference = Math.log(probability) - (own[t * vocabulary + token] ?? 0);
          largest = Math.max(largest, Math.abs(difference));
        }
        expect(result?.next?.probabilities?.size).toBe(vocabulary);
      });
      // GGML evaluates GELU with a float16 lookup table.
      const gelu = shape.architecture?.activation === 'gelu_pytorch_tanh';
      expect(largest).toBeLessThan(gelu ? 5e-3 : 1e-3);

      const greedy: number[] = [];
      let [last] = results.slice(-1);
      for (let i = 0; i < GREEDY; i++) {
        const [best] = last?.next?.probabilities ?? [];
        const token = best?.[0] ?? -1;
        greedy.push(token);
        [last] = await sequence.controlledEvaluate([
          [token, { generateNext: { probabilities: true } }],
        ]);
      }
      if (gelu) {
        // The lookup table can change which of two almost equally probable tokens is greedy, so each
        // token need only be about as probable as the policy's most probable one.
        const after = await ownLogps(policy, Uint32Array.of(...prompt, ...greedy));
        for (const [i, token] of greedy.entries()) {
          const from = (prompt.length + i - 1) * vocabulary;
          const row = after.subarray(from, from + vocabulary);
          expect(Math.max(...row) - (row[token] ?? 0)).toBeLessThan(5e-3);
        }
      } else {
        expect(greedy).toEqual(await ownGreedy(policy, prompt));
      }
      await model.dispose();
      policy.destroy();
    },
  );
});
