/** The same network, exported as ONNX with a cache, decoded by onnxruntime-web. */
import * as ort from 'onnxruntime-web/webgpu';
import { policySettings } from '../../../src/agents/shape.ts';
import { parseConfig } from '../../../src/config/check.ts';
import { exportOnnx } from '../../../src/exchange/onnx.ts';
import type { PolicyShape } from '../../../src/policy/types.ts';
import { CONTEXT, contexts, DECODED, type Decoder } from '../own-decode.ts';
import { caseWeights } from '../training-case.ts';

/** Where the page serves the package's WebAssembly. */
const WASM_PATH = '/packages/onnxruntime-web/dist/';

type Feeds = Record<string, ort.Tensor>;

/** The policy of this shape with the weights that all peers use. */
function network(shape: PolicyShape): Uint8Array {
  const config = parseConfig({
    policy: policySettings(shape),
    // Without a value head.
    algorithm: { advantage: 'grpo' },
  });
  const words = Array.from({ length: shape.vocabulary }, (_, i) => `word${i}`);
  const checkpoint = {
    config,
    vocabulary: words,
    bpe: null,
    weights: caseWeights(shape),
    iteration: 0,
    turns: 0,
    tokens: 0,
  };
  return exportOnnx(checkpoint, { cache: true });
}

/** @throws {Error} if onnxruntime-web cannot start the provider. */
export async function ortDecoder(
  shape: PolicyShape,
  episodes: number,
  provider: 'webgpu' | 'wasm',
): Promise<Decoder> {
  ort.env.wasm.wasmPaths = WASM_PATH;
  ort.env.wasm.numThreads = navigator.hardwareConcurrency;
  ort.env.logLevel = 'error';
  const session = await ort.InferenceSession.create(network(shape), {
    executionProviders: [provider],
    // Keys and values stay on the device between tokens.
    preferredOutputLocation: Object.fromEntries(
      cacheNames(shape).map(([, present]) => [
        present,
        provider === 'webgpu' ? 'gpu-buffer' : 'cpu',
      ]),
    ),
  });
  const tokens = contexts(shape, episodes);
  const read = tokens.filter((_, i) => i % CONTEXT < CONTEXT - 1);
  const last = tokens.filter((_, i) => i % CONTEXT === CONTEXT - 1);
  const filled = await session.run(
    inputs(episodes, read, CONTEXT - 1, 0, emptyCache(shape, episodes)),
  );
  filled.logits?.dispose();
  const context = cacheOf(shape, filled);
  return {
    run: async () => {
      const written = new Uint32Array(episodes * DECODED);
      let cache = context;
      let next: Uint32Array = last;
      for (let t = 0; t < DECODED; t++) {
        const past = CONTEXT - 1 + t;
        const found = await session.run(inputs(episodes, next, 1, past, cache));
        if (cache !== context) dispose(cache);
        cache = cacheOf(shape, found);
        next = mostProbable(found.logits, episodes, shape.vocabulary);
        next.forEach((token, e) => {
          written[e * DECODED + t] = token;
        });
      }
      dispose(cache);
      return written;
    },
    close: async () => {
      dispose(context);
      await session.release();
    },
  };
}

/** Names of each layer's keys and values as input and as output. */
function cacheNames({ layers }: PolicyShape): [string, string][] {
  return Array.from({ length: layers }, (_, l) =>
    ['key', 'value'].map((of): [string, string] => [
      `past_key_values.${l}.${of}`,
      `present.${l}.${of}`,
    ]),
  ).flat();
}

function emptyCache(shape: PolicyShape, episodes: number): Feeds {
  const size = [episodes, shape.kvHeads, 0, shape.width / shape.heads];
  return Object.fromEntries(
    cacheNames(shape).map(([past]) => [past, new ort.Tensor('float32', new Float32Array(0), size)]),
  );
}

/** A run's outputs as the next run's inputs. */
function cacheOf(shape: PolicyShape, found: Readonly<Record<string, ort.Tensor>>): Feeds {
  return Object.fromEntries(
    cacheNames(shape).map(([past, present]) => [past, found[present] as ort.Tensor]),
  );
}

function dispose(cache: Feeds): void {
  for (const tensor of Object.values(cache)) tensor.dispose();
}

function inputs(
  episodes: number,
  tokens: Uint32Array,
  length: number,
  past: number,
  cache: Feeds,
): Feeds {
  const int64 = (columns: number, of: (i: number) => number) =>
    new ort.Tensor(
      'int64',
      BigInt64Array.from({ length: episodes * columns }, (_, i) => BigInt(of(i))),
      [episodes, columns],
    );
  return {
    input_ids: int64(length, (i) => tokens[i] ?? 0),
    attention_mask: int64(past + length, () => 1),
    position_ids: int64(length, (i) => past + (i % length)),
    ...cache,
  };
}

/** (episodes) the most probable token of each row of logits (episodes, 1, vocabulary). */
function mostProbable(
  logits: ort.Tensor | undefined,
  episodes: number,
  vocabulary: number,
): Uint32Array {
  const values = logits?.data as Float32Array;
  return Uint32Array.from({ length: episodes }, (_, e) => {
    let best = 0;
    for (let v = 1; v < vocabulary; v++) {
      if ((values[e * vocabulary + v] ?? 0) > (values[e * vocabulary + best] ?? 0)) best = v;
    }
    return best;
  });
}
