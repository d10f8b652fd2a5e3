import { afterAll, beforeAll, expect, test } from 'vitest';
import { shaderOf } from '../../../scripts/wgsl.mjs';
import type { Gpu, KernelEntry, Tensor } from '../index.ts';
import { openNodeGpu } from './node.ts';

/** Slow work: `turns` dependent multiply–adds per element. */
const spin: KernelEntry = {
  kernel: 'spin',
  entry: 'main',
  code: shaderOf(/* wgsl */ `
    struct Params { turns: u32 }
    @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    @group(0) @binding(1) var<uniform> params: Params;
    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) id: vec3u) {
      var value = x[id.x];
      for (var i = 0u; i < params.turns; i++) { value = fma(value, 0.999, 0.5); }
      x[id.x] = value;
    }`),
};
const WORKGROUPS = 64;

let gpu: Gpu;
let x: Tensor;
beforeAll(async () => {
  gpu = await openNodeGpu();
  x = gpu.tensor('x', 64 * WORKGROUPS);
  await run('warm-up', 1);
});
afterAll(() => gpu.close());

function run(label: string, turns: number, times = 1): Promise<ArrayBuffer[]> {
  return gpu.submit(
    label,
    (d) => {
      for (let i = 0; i < times; i++) d.dispatch(spin, { x }, { turns }, [WORKGROUPS]);
    },
    [{ tensor: x, length: 4 }],
  );
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a profile distinguishes busy time from idle time', async () => {
  gpu.startProfile();
  await run('long', 20_000, 2);
  await pause(150);
  await run('short', 10);
  const profile = await gpu.stopProfile();
  const { long, short } = profile.bySubmission;
  expect(profile).toMatchObject({ submissions: 2, dispatches: 3, readBytes: 32 });
  expect(profile.uploadBytes).toBe(3 * 256);
  expect(long?.count).toBe(1);
  expect(profile.busyMs).toBeCloseTo((long?.busyMs ?? 0) + (short?.busyMs ?? 0), 6);
  expect(profile.busyMs).toBeLessThan(profile.wallMs - 140);
  expect(profile.recordMs).toBeGreaterThan(0);
});

test('busy time grows in proportion to the work', async () => {
  const busy = async (turns: number) => {
    gpu.startProfile();
    await run('work', turns);
    return (await gpu.stopProfile()).busyMs;
  };
  // Other programs lengthen measurements. Sums stay in proportion, but minima do not: under a constant load, a
  // short measurement is interrupted less often than a long one.
  let [more, less] = [0, 0];
  let ratio = Number.NaN;
  for (let round = 0; round < 3 || (round < 50 && !(ratio > 2 && ratio < 8)); round++) {
    more += await busy(40_000);
    less += await busy(10_000);
    ratio = more / less;
  }
  expect(ratio).toBeGreaterThan(2);
  expect(ratio).toBeLessThan(8);
});

test('queued submissions are not counted twice', async () => {
  gpu.startProfile();
  await Promise.all(Array.from({ length: 4 }, () => run('queued', 20_000)));
  const profile = await gpu.stopProfile();
  expect(profile.bySubmission.queued?.count).toBe(4);
  expect(profile.busyMs).toBeLessThanOrEqual(profile.wallMs);
});

test('the kernel detail times every dispatch, even across several query sets', async () => {
  if (!gpu.description.features.includes('timestamp-query')) {
    expect(() => gpu.startProfile('kernel')).toThrow(/no timestamps/);
    return;
  }
  gpu.startProfile('kernel');
  await run('many', 1, 2100);
  const { byKernel, busyMs, dispatches } = await gpu.stopProfile();
  expect(dispatches).toBe(2100);
  expect(byKernel['spin.main()']?.count).toBe(2100);
  expect(byKernel['spin.main()']?.busyMs).toBeGreaterThan(0);
  expect(byKernel['spin.main()']?.busyMs).toBeLessThanOrEqual(busyMs);
});

test('a profile cannot be started twice or stopped twice', async () => {
  gpu.startProfile();
  expect(() => gpu.startProfile()).toThrow(/stop it first/);
  const empty = await gpu.stopProfile();
  expect(empty).toMatchObject({ busyMs: 0, submissions: 0, bySubmission: {} });
  await expect(gpu.stopProfile()).rejects.toThrow(/start one first/);
});
