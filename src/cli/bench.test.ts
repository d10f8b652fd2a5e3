import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Dispatch } from '../../bench/speed/capture.ts';
import { measureLimits } from '../../bench/speed/limits.ts';
import { pytorchInputs } from '../../bench/speed/peers/pytorch.ts';
import type { SpeedReport } from '../../bench/speed/report.ts';
import { reportTables } from '../../bench/speed/tables.ts';
import { trainingCases } from '../../bench/speed/training-case.ts';
import { minimumWork } from '../../bench/speed/work.ts';
import type { Device, Dispatcher } from '../device/index.ts';
import { attentionBackward, attentionForward } from '../kernels/attention.ts';
import { frozenBackward, frozenForward } from '../kernels/frozen.ts';
import { gateUp, linearGradients, queryKeyValue } from '../kernels/layer.ts';
import { takeTurn } from '../kernels/turn.ts';

const root = join(import.meta.dirname, '../..');

describe('the PyTorch peer', () => {
  it('receives every value that its script reads', () => {
    const script = readFileSync(join(root, 'bench/speed/peers/pytorch.py'), 'utf8');
    const inputs = pytorchInputs(trainingCases.XS) as unknown as Record<string, unknown>;
    const objects: Record<string, unknown> = { case: inputs, ...inputs };
    const reads = [...script.matchAll(/\b(case|shape|optimizer|objective)\["(\w+)"\]/g)];
    const inCase = [...script.matchAll(/case\[name\].* for name in \(([^)]*)\)/g)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    );
    expect(reads.length).toBeGreaterThan(15);
    expect(inCase.length).toBe(5);
    for (const [text, object = '', key] of reads) {
      expect(objects[object], text).toHaveProperty(key ?? '');
    }
    for (const key of inCase) expect(inputs).toHaveProperty(key);
  });
});

describe('the minimum work of a kernel', () => {
  const heads = { heads: 2, kvHeads: 1, headDim: 8 };
  const [rows, inner, ffnWidth] = [10, 16, 24];
  const t = (length = 1e6) => ({ label: 't', length });
  const w = { precision: 'int4', words: t(32), scales: t(4) } as const;
  const attention = { q: t(), kv: t(), o: t(), lse: t(), spans: t() };
  const backward = { ...attention, keySpans: t(), dout: t(), dq: t(), dkv: t(), delta: t() };

  it.each<[string, (d: Dispatcher) => void, number[], number]>([
    [
      'layer.query_key_value',
      (d) => {
        const tensors = { x: t(), weights: t(), positions: t(), q: t(), kv: t() };
        queryKeyValue(d, tensors, { rows, inner }, heads);
      },
      [],
      2 * rows * inner * (16 + 16),
    ],
    [
      'layer.gate_up',
      (d) => gateUp(d, { x: t(), weights: t(), gateUp: t(), h: t() }, { rows, inner, ffnWidth }),
      [],
      2 * rows * inner * 2 * ffnWidth,
    ],
    [
      // The gradients of the inputs and of both matrices.
      'layer.gradients',
      (d) => {
        const tensors = { x: t(), weights: t(), dy: t(), dy2: t(), dx: t(), partial: t() };
        const sizes = { rows, inner, columns: 32, columns2: 16 };
        linearGradients(d, tensors, sizes, { splits: 2, stride: 1024 });
      },
      [],
      2 * 2 * rows * inner * (32 + 16),
    ],
    [
      'frozen.forward',
      (d) => frozenForward(d, { a: t(), w, c: t() }, { rows, inputs: 32, outputs: 8 }, false),
      [],
      2 * rows * 32 * 8,
    ],
    [
      'frozen.backward',
      (d) => frozenBackward(d, { a: t(), w, c: t() }, { rows, inputs: 32, outputs: 8 }, false),
      [],
      2 * rows * 32 * 8,
    ],
    [
      // Two rows with two and three keys: q·k and p·v.
      'attention.forward_alone',
      (d) => attentionForward(d, attention, { rows: 2, alone: true }, heads),
      [0, 2, 8, 3],
      2 * (2 + 3) * 16 * 2,
    ],
    [
      // Two rows of one sequence: 5 products, of which 2 are counted here.
      'attention.backward_query',
      (d) => attentionBackward(d, backward, { rows: 2, keyRows: 2 }, heads),
      [0, 1, 0, 2],
      2 * 3 * 16 * 2,
    ],
    [
      'attention.backward_kv',
      (d) => attentionBackward(d, backward, { rows: 2, keyRows: 2 }, heads),
      [0, 2, 1, 2],
      2 * 3 * 16 * 3,
    ],
    [
      // Three new tokens after two cached ones, and one more that is generated: 3 + 4 + 5 + 6 keys.
      'turn.turn',
      (d) => {
        const shape = { vocabulary: 13, padded: 16, layers: 2, width: 16, ...heads, ffnWidth };
        const tensors = { parameters: t(), index: t(), caches: t(), tokens: t() };
        const sizes = { contexts: 1, newTokens: 3, episodes: 1, width: 2 };
        takeTurn(
          d,
          { ...tensors, logps: t(), entropies: t() },
          { ...shape, tiedEmbeddings: true },
          {
            ...{ embedding: 0, query: 0, keyValue: 0, attentionOutput: 0, gateUp: 0, down: 0 },
            ...{ matrices: 0, attentionNorm: 0, feedForwardNorm: 0, gains: 0, finalNorm: 0 },
            head: 0,
          },
          { ...sizes, cacheLength: 1024, parameters: 1 },
          { endTokens: [0], temperature: 1, seed: 1 },
        );
      },
      [0, 3, 2, 0, 0, 1],
      2 * (4 * 2 * 16 * (16 + 16 + 16 + 3 * ffnWidth) + 2 * 16 * 16) + 2 * 2 * 18 * 16 * 2,
    ],
  ])('counts the operations of %s', (name, record, index, flops) => {
    const found: Pick<Dispatch, 'kernel' | 'tensors' | 'params'>[] = [];
    record({
      kind: 'gpu',
      dispatch: (kernel, tensors, params) => found.push({ kernel, tensors, params }),
    });
    const call = found.find(({ kernel }) => `${kernel.kernel}.${kernel.entry}` === name);
    if (call === undefined) throw new Error(`${name} was not dispatched`);
    const work = minimumWork(call, Uint32Array.from(index));
    expect(work.flops).toBe(flops);
    expect(work.bytes).toBeGreaterThan(0);
  });
});

describe('measureLimits', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('keeps dispatches short and buffers small on a slow GPU, and compiles each kernel once', async () => {
    // Milliseconds: each dispatch of a loop takes as long as a GPU of 50 GFLOP/s needs.
    let now = 0;
    let longest = 0;
    let most = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const texts: string[] = [];
    const codes = new Set<unknown>();
    const dispatch: Dispatcher['dispatch'] = ({ kernel, code }, _tensors, { steps }, [groups]) => {
      if (!codes.has(code)) texts.push(code.text);
      codes.add(code);
      const chains = Number(kernel.split(' ').at(-1));
      const ms = steps === undefined ? 0.01 : (groups * 64 * steps * chains * 8) / 50e6;
      longest = Math.max(longest, ms);
      now += ms;
    };
    const device: Partial<Device> = {
      kind: 'gpu',
      description: {
        ...{ name: 'a slow GPU', detail: '', software: false, threads: 0, features: [] },
        room: { total: Number.POSITIVE_INFINITY, tensor: 2 ** 31 },
      },
      tensor: (label, length) => {
        most = Math.max(most, 4 * length);
        return { label, length };
      },
      free: () => {},
      submit: async (_label, record) => {
        now += 0.1;
        const ignore = () => {};
        record({ kind: 'gpu', dispatch, clear: ignore, copy: ignore, piece: ignore });
        return [];
      },
      idle: async () => {},
    };
    const rounds = { rounds: 2, least: 2, budget: 100, milliseconds: 4 };
    const { peakGflops } = await measureLimits(device as Device, rounds);
    expect(peakGflops).toBeCloseTo(50, 0);
    expect(longest).toBeLessThan(30);
    expect(most).toBe(64 * 2 ** 20);
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('reportTables', () => {
  it('relates a training step to the peak of the device that ran it', () => {
    const time = { median: 1, least: 1, greatest: 1 };
    const names = [
      'Palestra',
      'Palestra, processor, 2 threads',
      'jax-js (webgpu)',
      'jax-js (wasm)',
      'PyTorch 2, 2 threads',
    ];
    const limits = { peakGflops: 1000 };
    const processor = { limits: { peakGflops: 20 }, kernels: { linear: [], all: [] } };
    const report = {
      measured: {},
      limits,
      onProcessor: [
        { ...processor, name: 'processor, 2 threads', loop: { shares: {}, preset: 'maze' } },
      ],
      stepS: {
        ...{ name: 'S', tokens: 1, flops: 10e6 },
        rows: names.map((name) => ({ name, time, measurements: 1, losses: [] })),
      },
    } as unknown as SpeedReport;
    const shares = names.map((name) => {
      const row = reportTables(report)
        .split('\n')
        .find((line) => line.startsWith(`| ${name} |`));
      return row?.split(' | ')[4];
    });
    expect(shares).toEqual(['1%', '50%', '1%', '–', '–']);
  });
});
