import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { shaderOf } from '../../../scripts/wgsl.mjs';
import type { Gpu, KernelEntry } from '../index.ts';
import { openNodeGpu } from './node.ts';

/** x ← factor·x + 1, so that the result depends on the order of dispatches. */
const next: KernelEntry = {
  kernel: 'next',
  entry: 'main',
  code: shaderOf(/* wgsl */ `
    struct Params { factor: u32 }
    @group(0) @binding(0) var<storage, read_write> x: array<u32>;
    @group(0) @binding(1) var<uniform> params: Params;
    @compute @workgroup_size(1)
    fn main() { x[0] = params.factor * x[0] + 1u; }`),
};

// Slow devices need more submissions. A constant clock makes every device look fast.
beforeAll(() => void vi.spyOn(performance, 'now').mockReturnValue(0));
afterAll(() => vi.restoreAllMocks());

let gpu: Gpu;
beforeAll(async () => {
  gpu = await openNodeGpu();
});
afterAll(() => gpu.close());

it('copies between dispatches, in order, and rejects a copy that does not fit', async () => {
  const x = gpu.tensor('x', 1);
  const from = gpu.tensor('from', 4);
  gpu.upload(from, Uint32Array.of(1, 10, 100, 1000));
  const [data] = await gpu.submit(
    'test',
    (d) => {
      d.copy(from, 2, x, 1);
      d.dispatch(next, { x }, { factor: 2 }, [1]);
      d.copy(x, 0, from, 1);
      d.dispatch(next, { x }, { factor: 3 }, [1]);
    },
    [{ tensor: from, length: 4 }],
  );
  expect(new Uint32Array(data ?? new ArrayBuffer(0))).toEqual(Uint32Array.of(201, 10, 100, 1000));
  expect(new Uint32Array(await gpu.read(x))).toEqual(Uint32Array.of(604));
  await expect(gpu.submit('test', (d) => d.copy(from, 3, x, 2))).rejects.toThrow(/from \(4\)/);
});

it('reads results that exceed the largest buffer, and frees large staging buffers', async () => {
  const length = 5 * 2 ** 20;
  const large = gpu.tensor('large', length);
  const small = gpu.tensor('small', 2);
  gpu.upload(large, Uint32Array.of(7), length - 1);
  gpu.upload(small, Uint32Array.of(1, 2));
  const before = { ...gpu.counters };
  const read = [large, small, large].map((tensor) => ({ tensor, length: tensor.length }));
  const results = async () =>
    (await gpu.submit('read', () => {}, [...read, { tensor: small, length: 0 }])).map((data) =>
      new Uint32Array(data).slice(-2),
    );
  const expected = [[0, 7], [1, 2], [0, 7], []].map((values) => Uint32Array.from(values));
  expect(await results()).toEqual(expected);
  expect(gpu.counters.bufferBytes).toBe(before.bufferBytes);

  const limits = gpu.description.limits as { maxBufferSize: number };
  const { maxBufferSize } = limits;
  limits.maxBufferSize = 4 * length + 8;
  try {
    expect(await results()).toEqual(expected);
  } finally {
    limits.maxBufferSize = maxBufferSize;
  }
  expect(gpu.counters.buffers - before.buffers).toBeLessThanOrEqual(1);
  expect(gpu.counters.readBytes - before.readBytes).toBe(2 * (2 * 4 * length + 8));
  gpu.free(large);
  gpu.free(small);
});

it('splits a submission that would run too long, with the same results', async () => {
  const x = gpu.tensor('x', 1);
  const run = async (work: number) => {
    gpu.upload(x, Uint32Array.of(0));
    const before = gpu.counters.submissions;
    const [data] = await gpu.submit(
      'cut',
      (d) => {
        for (let i = 0; i < 6; i++) {
          d.piece(work);
          d.dispatch(next, { x }, { factor: i }, [1]);
        }
      },
      [{ tensor: x, length: 1 }],
    );
    const submissions = gpu.counters.submissions - before;
    return { submissions, value: new Uint32Array(data ?? new ArrayBuffer(0))[0] };
  };
  const expected = [0, 1, 2, 3, 4, 5].reduce((value, factor) => factor * value + 1, 0);
  // Before the first measurement, each piece is submitted alone.
  expect(await run(1)).toEqual({ submissions: 6, value: expected });
  await gpu.idle();
  expect(await run(1)).toEqual({ submissions: 1, value: expected });
  // At the measured rate, this much work takes minutes.
  expect(await run(1e9)).toEqual({ submissions: 6, value: expected });
});

it('splits dispatches that exceed the uniform buffer into several submissions', async () => {
  const x = gpu.tensor('x', 1);
  const before = gpu.counters.submissions;
  const [data] = await gpu.submit(
    'many',
    (d) => {
      for (let i = 0; i < 9000; i++) d.dispatch(next, { x }, { factor: 1 }, [1]);
    },
    [{ tensor: x, length: 1 }],
  );
  expect(new Uint32Array(data ?? new ArrayBuffer(0))).toEqual(Uint32Array.of(9000));
  expect(gpu.counters.submissions - before).toBe(2);
});

it('caches bind groups by tensor and discards them with the tensor', async () => {
  for (let i = 1; i <= 3; i++) {
    const x = gpu.tensor('x', 1);
    const before = gpu.counters.bindGroups;
    for (let k = 0; k < 2; k++)
      await gpu.submit('t', (d) => d.dispatch(next, { x }, { factor: 1 }, [1]));
    expect(new Uint32Array(await gpu.read(x))).toEqual(Uint32Array.of(2));
    expect(gpu.counters.bindGroups - before).toBe(1);
    gpu.free(x);
  }
});
