import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-web';
import { describe, expect, it } from 'vitest';
import { policyShape } from '../agents/shape.ts';
import type { ConfigInput } from '../config/schema.ts';
import type { KeptAgent } from '../runs/checkpoint.ts';
import { exportOnnx } from './onnx.ts';
import { decodeModel } from './onnx-format.ts';
import { randomAgent, referenceOutputs } from './testing/agents.ts';

const small = { layers: 2, width: 32, heads: 4, kv_heads: 4, ffn_width: 48 };
const agents: readonly { what: string; config: ConfigInput }[] = [
  { what: 'plain', config: { policy: small } },
  { what: 'grouped-query attention', config: { policy: { ...small, kv_heads: 2 } } },
  {
    what: 'multi-query attention and tied embeddings',
    config: { policy: { ...small, kv_heads: 1, tied_embeddings: true } },
  },
  {
    what: 'a value head, one layer',
    config: { policy: { ...small, layers: 1 }, algorithm: { advantage: 'gae' } },
  },
];

/** Logits (L, V) and values (L) of the float64 reference for one sequence. */
const reference = ({ config, vocabulary, weights }: KeptAgent, tokens: readonly number[]) =>
  referenceOutputs({ shape: policyShape(config, vocabulary.length), weights }, tokens);

const int64 = (values: readonly number[], dims: readonly number[]) =>
  new Tensor('int64', BigInt64Array.from(values, BigInt), dims);

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.type !== 'float32') throw new TypeError('not a tensor of 32-bit floats');
  return tensor.data as Float32Array;
}

function expectClose(found: ArrayLike<number>, wanted: readonly number[]) {
  expect(found.length).toBe(wanted.length);
  const worst = wanted.reduce((most, x, i) => Math.max(most, Math.abs(x - (found[i] ?? NaN))), 0);
  expect(worst).toBeLessThan(1e-4);
}

const tokensOf = (length: number, vocabulary: number, seed: number) =>
  Array.from({ length }, (_, i) => (7 * i * i + 3 * i + seed) % vocabulary);

describe('the exported graph', () => {
  it.each(agents)('matches the reference’s logits and values: $what', async ({ config }) => {
    const checkpoint = randomAgent(config, 5);
    const session = await InferenceSession.create(exportOnnx(checkpoint, { cache: false }));
    const tokens = tokensOf(11, checkpoint.vocabulary.length, 1);
    const found = await session.run({
      input_ids: int64(tokens, [1, 11]),
      attention_mask: int64(new Array(11).fill(1), [1, 11]),
      position_ids: int64([...tokens.keys()], [1, 11]),
    });
    const wanted = reference(checkpoint, tokens);
    expectClose(floats(found.logits), wanted.logits.flat());
    if (session.outputNames.includes('values')) expectClose(floats(found.values), wanted.values);
    expect(session.outputNames.includes('values')).toBe(config.algorithm?.advantage === 'gae');
  });

  it.each(agents)(
    'reads a batch of padded sequences, in parts, with a cache: $what',
    async ({ config }) => {
      const checkpoint = randomAgent(config, 6);
      const { vocabulary } = checkpoint;
      const session = await InferenceSession.create(exportOnnx(checkpoint, { cache: true }));
      // The first sequence has three tokens fewer and is padded on the left.
      const sequences = [tokensOf(6, vocabulary.length, 2), tokensOf(9, vocabulary.length, 3)];
      const pads = [3, 0];
      const row = (s: number, t: number) => t - (pads[s] ?? 0);
      const { kv_heads, heads, width, layers } = checkpoint.config.policy;
      let caches: Record<string, Tensor> = {};
      for (let l = 0; l < layers; l++) {
        for (const of of ['key', 'value']) {
          const dims = [2, kv_heads, 0, width / heads];
          caches[`past_key_values.${l}.${of}`] = new Tensor('float32', new Float32Array(0), dims);
        }
      }
      const logits: number[][][] = [[], []];
      for (const [from, to] of [
        [0, 5],
        [5, 6],
        [6, 9],
      ] as const) {
        const columns = Array.from({ length: to - from }, (_, i) => from + i);
        const each = (value: (s: number, t: number) => number) =>
          sequences.flatMap((_, s) => columns.map((t) => value(s, t)));
        const found = await session.run({
          ...caches,
          input_ids: int64(
            each((s, t) => sequences[s]?.[row(s, t)] ?? 0),
            [2, to - from],
          ),
          attention_mask: int64(
            sequences.flatMap((_, s) =>
              Array.from({ length: to }, (_, t) => Number(row(s, t) >= 0)),
            ),
            [2, to],
          ),
          position_ids: int64(
            each((s, t) => Math.max(0, row(s, t))),
            [2, to - from],
          ),
        });
        const values = floats(found.logits);
        expect(found.logits?.dims).toEqual([2, to - from, vocabulary.length]);
        for (const s of [0, 1]) {
          for (const [i, t] of columns.entries()) {
            if (row(s, t) < 0) continue;
            const start = (s * columns.length + i) * vocabulary.length;
            logits[s]?.push([...values.subarray(start, start + vocabulary.length)]);
          }
        }
        caches = Object.fromEntries(
          Object.keys(caches).map((name) => {
            const present = found[name.replace('past_key_values', 'present')];
            if (present === undefined) throw new TypeError(`no output for ${name}`);
            return [name, present];
          }),
        );
      }
      for (const [s, tokens] of sequences.entries()) {
        expectClose(logits[s]?.flat() ?? [], reference(checkpoint, tokens).logits.flat());
      }
    },
  );

  it('has unique names and the agent’s metadata', () => {
    const checkpoint = randomAgent({ policy: { ...small, kv_heads: 2 } }, 7);
    const { nodes, initializers, metadata } = decodeModel(
      exportOnnx(checkpoint, { cache: true }),
      () => {},
    );
    const names = nodes.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const values = [...nodes.flatMap(({ output }) => output), ...initializers.keys()];
    expect(new Set(values).size).toBe(values.length);
    expect(names).toContain('/layers.1/self_attn/q_proj/MatMul');
    expect(JSON.parse(metadata.get('config') ?? '')).toEqual(checkpoint.config);
    expect(JSON.parse(metadata.get('vocabulary') ?? '')).toEqual(checkpoint.vocabulary);
  });

  // ONNX's own checker is a Python package, which `npm test` installs; it sets these variables.
  const { PALESTRA_PYTHON: python, PALESTRA_PYTHON_PACKAGES: packages } = process.env;
  it.skipIf(packages === undefined)('passes ONNX’s own checker and strict shape inference', () => {
    const folder = mkdtempSync(join(tmpdir(), 'palestra-onnx-'));
    try {
      const files = agents.flatMap(({ config }, i) =>
        [true, false].map((cache) => {
          const file = join(folder, `${i}-${cache}.onnx`);
          writeFileSync(file, exportOnnx(randomAgent(config, i), { cache }));
          return file;
        }),
      );
      const program = `
import onnx, sys
for file in sys.argv[1:]:
    onnx.checker.check_model(file, full_check=True)
    inferred = onnx.shape_inference.infer_shapes(onnx.load(file), strict_mode=True, data_prop=True)
    onnx.checker.check_model(inferred)
`;
      const { status, stderr } = spawnSync(python ?? '', ['-c', program, ...files], {
        env: { ...process.env, PYTHONPATH: packages },
      });
      expect(stderr.toString()).toBe('');
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
