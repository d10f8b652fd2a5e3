/** The machine's limits, measured with kernels that each do only one thing. */
import { shaderOf } from '../../scripts/wgsl.mjs';
import type { Device, KernelEntry, Recorder, Tensor } from '../../src/device/index.ts';
import { type V128, v128 } from '../../src/device/processor/assembler.ts';
import {
  type ProcessorKernel,
  type ProcessorKernels,
  wasmFunction,
} from '../../src/device/processor/kernel.ts';
import { interleaved, type Rounds, spreadOf } from '../measure.ts';
import { repeatsFor } from './time-dispatches.ts';

export interface Limits {
  /** Multiply–adds in registers, two operations each, in GFLOP/s: the best of several loops. */
  readonly peakGflops: number;
  /**
   * Bandwidth of a copying kernel in GB/s (bytes read and written), best of several: with a buffer larger
   * than any cache, and with a small one.
   */
  readonly memoryGbs: number;
  readonly cacheGbs: number;
  /** Microseconds per additional empty dispatch within a submission. */
  readonly dispatchMicros: number;
  /** Microseconds per additional submission, if many are queued without waiting. */
  readonly submissionMicros: number;
  /** Microseconds from a submission until the host knows that it has finished. */
  readonly roundTripMicros: number;
  /** The same, with 4 bytes read back. */
  readonly readbackMicros: number;
}

const THREADS = 64;
/** Operations per thread and step: a multiplication and an addition on each of 4 lanes. */
const LANE_FLOPS = 8;
/** Numbers of independent chains of multiply–adds in the measured loops. */
const CHAINS = [4, 8, 12];
const MIB = 2 ** 20;

const nothing: KernelEntry = {
  kernel: 'limits',
  code: shaderOf(/* wgsl */ `@compute @workgroup_size(1) fn nothing() {}`),
  entry: 'nothing',
};

/**
 * Copies `each` vectors per invocation: adjacent vectors belong to one invocation or to adjacent ones. All
 * loads precede the first store, because a compiler may not reorder them.
 */
function copying(each: number, neighbors: 'own' | 'across'): KernelEntry {
  const at = (i: number) =>
    neighbors === 'own' ? `id.x * ${each}u + ${i}u` : `id.x + ${i}u * groups.x * ${THREADS}u`;
  const all = (line: (i: number) => string) => Array.from({ length: each }, (_, i) => line(i));
  const lines = [
    ...all((i) => `  let v${i} = source[${at(i)}];`),
    ...all((i) => `  result[${at(i)}] = v${i};`),
  ];
  const code = shaderOf(/* wgsl */ `
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;

@compute @workgroup_size(${THREADS})
fn copy(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
${lines.join('\n')}
}
`);
  return { kernel: `limits copy ${neighbors} ${each}`, code, entry: 'copy' };
}

/**
 * Multiply–adds on `chains` independent vectors, unrolled so that each stays in a register.
 * x ← 0.999·x + 0.001 stays bounded. All lanes start from different values: a compiler may compute
 * equal ones once.
 */
function loop(chains: number, kind: 'fused' | 'separate'): KernelEntry {
  const all = (line: (c: number) => string) =>
    Array.from({ length: chains }, (_, c) => line(c)).join('\n');
  const next = (c: number) => (kind === 'fused' ? `fma(x${c}, a, b)` : `x${c} * a + b`);
  const code = shaderOf(/* wgsl */ `
struct Params { steps: u32 }
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(${THREADS})
fn multiply_add(@builtin(global_invocation_id) id: vec3u) {
  let a = vec4f(0.999);
  let b = vec4f(0.001);
${all((c) => `  var x${c} = f32(id.x) + vec4f(${[0, 1, 2, 3].map((lane) => `${4 * c + lane}.0`)});`)}
  for (var i = 0u; i < params.steps; i++) {
${all((c) => `    x${c} = ${next(c)};`)}
  }
  result[id.x] = ${Array.from({ length: chains }, (_, c) => `x${c}`).join(' + ')};
}
`);
  return { kernel: `limits ${kind} ${chains}`, code, entry: 'multiply_add' };
}

/**
 * The equivalent on a CPU: the same loops and copies, without fused multiply–adds, which WebAssembly's
 * fixed-width SIMD lacks.
 */
export const processorLimits: ProcessorKernels = {
  'limits.nothing': () => {},
  ...Object.fromEntries(CHAINS.map((chains) => processorLoop(chains))),
  'limits copy own 4.copy': (call) => {
    const length = call.words('source').length;
    const args = { source: call.address('source'), result: call.address('result') };
    // A unit of work is 16 KiB.
    call.share(processorCopy, args, length / 4096, length);
  },
};

const processorCopy = wasmFunction(
  'limits copy',
  { source: 'i32', result: 'i32' },
  (f, { source, result, begin, end }) => {
    f.for(begin.shl(14), end.shl(14), 16, (at) => {
      f.store(result.add(at), f.load(source.add(at)));
    });
  },
);

function processorLoop(chains: number): [string, ProcessorKernel] {
  const multiplyAdd = wasmFunction(
    `limits loop of ${chains}`,
    { result: 'i32', steps: 'i32' },
    (f, { result, steps, begin, end }) => {
      f.for(begin, end, 1, (unit) => {
        const values = Array.from({ length: chains }, (_, c) => f.v128(c));
        f.for(0, steps, 1, () => {
          for (const x of values) x.set(x.mul(0.999).add(0.001));
        });
        const [first, ...others] = values;
        const sum = others.reduce<V128>((a, b) => a.add(b), first ?? v128(0));
        f.store(result.add(unit.shl(4)), sum);
      });
    },
  );
  return [
    `limits separate ${chains}.multiply_add`,
    (call) => {
      const { steps = 0 } = call.params;
      const units = SOFTWARE_GROUPS * THREADS;
      const args = { result: call.address('result'), steps };
      call.share(multiplyAdd, args, units, 4 * units * steps * chains);
    },
  ];
}

/** Workgroups of a loop on a CPU. */
const SOFTWARE_GROUPS = 64;
/** Workgroups of a loop on a GPU: four times the invocations that an H100 holds at once. */
const GPU_GROUPS = 16384;
/** Load applied before measuring on a GPU. */
const WARM_UP_MS = 1000;
/** Duration of a dispatch of the longest loop. A browser resets a GPU that is busy for seconds. */
const DISPATCH_MS = 20;
/** Steps of a loop: at first, and at most. */
const LEAST_STEPS = 8;
const MOST_STEPS = 2048;
/** Buffer sizes of copies that may fit into a cache. */
const CACHED_BYTES = [MIB / 2, 2 * MIB, 8 * MIB, 16 * MIB];

/** Measures the limits; takes a few seconds. */
export async function measureLimits(device: Device, rounds: Rounds): Promise<Limits> {
  const computes = device.description.software || device.kind === 'processor';
  const groups = computes ? SOFTWARE_GROUPS : GPU_GROUPS;
  const out = device.tensor('out', 4 * groups * THREADS);
  const empty = (d: Recorder) => d.dispatch(nothing, {}, {}, [1]);
  const run = async (record: (d: Recorder) => void, read: readonly Read[] = []) => {
    await device.submit('limits', record, read);
    await device.idle();
  };
  const kinds: readonly ('fused' | 'separate')[] =
    device.kind === 'processor' ? ['separate'] : ['fused', 'separate'];
  // Each kernel is made once: a device compiles every new one.
  const kernels = CHAINS.flatMap((chains) =>
    kinds.map((kind) => ({ chains, kernel: loop(chains, kind) })),
  );
  const loopsOf = (steps: number) =>
    kernels.map(({ chains, kernel }) => ({
      record: (d: Recorder) => d.dispatch(kernel, { result: out }, { steps }, [groups]),
      flops: groups * THREADS * steps * chains * LANE_FLOPS,
    }));
  const { steps, gflops } = await probe(async (steps) => {
    const longest = loopsOf(steps).at(-1);
    if (longest) await run(longest.record);
    return longest?.flops ?? Number.NaN;
  });
  const loops = loopsOf(steps);
  const large = largestCopy(device, gflops);
  // Caches differ in size, and a copy that is too small does not saturate the machine.
  const smaller = CACHED_BYTES.map((bytes) => bytes / 4).filter((length) => length < large);
  const source = device.tensor('copied from', large);
  const result = device.tensor('copied to', large);
  const copies = (device.kind === 'processor' ? [4] : computes ? [4, 8] : [8, 16]).flatMap((each) =>
    (device.kind === 'processor' ? (['own'] as const) : (['own', 'across'] as const)).flatMap(
      (neighbors) => {
        const kernel = copying(each, neighbors);
        return [large, ...smaller].map((length) => ({
          length,
          record: (d: Recorder) =>
            d.dispatch(kernel, { source, result }, {}, [length / 4 / each / THREADS]),
        }));
      },
    ),
  );

  const many = (record: (d: Recorder) => void, repeats: number) => (d: Recorder) => {
    for (let i = 0; i < repeats; i++) record(d);
  };
  const subjects = new Map<string, () => Promise<void>>();
  const repeats = new Map<string, number>();
  const repeated = async (name: string, record: (d: Recorder) => void) => {
    const count = await repeatsFor(device, record, rounds.milliseconds);
    repeats.set(name, count);
    subjects.set(name, () => run(many(record, count)));
  };
  // An idle device runs at a low clock rate and takes about a second to speed up.
  const load = loops[0];
  if (load && !computes) {
    const started = performance.now();
    while (performance.now() - started < WARM_UP_MS) await run(load.record);
  }
  for (const [i, { record }] of loops.entries()) await repeated(`loop ${i}`, record);
  for (const [i, { record }] of copies.entries()) await repeated(`copy ${i}`, record);
  const DISPATCHES = 1000;
  const SUBMISSIONS = 50;
  subjects.set('one dispatch', () => run(empty));
  subjects.set('dispatches', () => run(many(empty, DISPATCHES)));
  subjects.set('submissions', async () => {
    for (let i = 1; i < SUBMISSIONS; i++) void device.submit('limits', empty).catch(() => {});
    await run(empty);
  });
  subjects.set('readback', async () => {
    await device.submit('limits', empty, [{ tensor: out, length: 1 }]);
  });

  const samples = await interleaved(subjects, rounds, { apart: !computes });
  for (const tensor of [source, result, out]) device.free(tensor);
  // The best value counts, because other programs only slow it down.
  const best = (name: string) => spreadOf(samples.get(name) ?? []).least;
  const roundTrip = best('one dispatch');
  const each = (name: string) =>
    Math.max(1e-6, best(name) - roundTrip) / (repeats.get(name) ?? Number.NaN);
  const bandwidth = (length: number) =>
    Math.max(
      ...copies.map((copy, i) =>
        copy.length === length ? (8 * length) / each(`copy ${i}`) / 1e6 : 0,
      ),
    );
  return {
    peakGflops: Math.max(...loops.map(({ flops }, i) => flops / each(`loop ${i}`) / 1e6)),
    memoryGbs: bandwidth(large),
    cacheGbs: Math.max(...[large, ...smaller].map(bandwidth)),
    dispatchMicros: (1000 * (best('dispatches') - roundTrip)) / (DISPATCHES - 1),
    submissionMicros: (1000 * (best('submissions') - roundTrip)) / (SUBMISSIONS - 1),
    roundTripMicros: 1000 * roundTrip,
    readbackMicros: 1000 * best('readback'),
  };
}

interface Read {
  readonly tensor: Tensor;
  readonly length: number;
}

/**
 * Finds the number of steps that takes about `DISPATCH_MS`, starting with few for the sake of slow devices.
 *
 * @param run runs a loop of `steps` steps and returns its operations
 */
async function probe(run: (steps: number) => Promise<number>) {
  await run(LEAST_STEPS); // compiles
  for (let steps = LEAST_STEPS; ; steps *= 4) {
    const started = performance.now();
    const flops = await run(steps);
    const elapsed = performance.now() - started;
    if (elapsed < DISPATCH_MS / 4 && steps < MOST_STEPS) continue;
    const fitting = Math.round((steps * DISPATCH_MS) / elapsed);
    return {
      steps: Math.min(MOST_STEPS, Math.max(LEAST_STEPS, fitting)),
      gflops: flops / elapsed / 1e6,
    };
  }
}

/** GFLOP/s that only GPUs with dedicated memory reach. */
const LARGE_GPU = 2000;

/** Elements of a buffer larger than any cache: 256 MiB on a large GPU, otherwise 64 MiB. */
function largestCopy({ description, kind }: Device, gflops: number): number {
  const bytes = 256 * MIB;
  const large = kind !== 'processor' && !description.software && gflops > LARGE_GPU;
  return (large && description.room.tensor >= bytes ? bytes : 64 * MIB) / 4;
}
