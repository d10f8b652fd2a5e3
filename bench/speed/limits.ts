/** What this machine can do at most, measured with kernels that do one thing. */
import type { Gpu, KernelEntry, Recorder, Tensor } from '../../src/device/index.ts';
import { interleaved, type Rounds, spreadOf } from '../measure.ts';
import { repeatsFor } from './time-dispatches.ts';

export interface Limits {
  /** Multiply–adds in registers, two operations each, in GFLOP/s: the best of several loops. */
  readonly peakGflops: number;
  /**
   * Bytes read and written by a copying kernel in GB/s, the best of several: of a buffer that no cache
   * holds, and of a small one.
   */
  readonly memoryGbs: number;
  readonly cacheGbs: number;
  /** Microseconds of one more empty dispatch within a submission. */
  readonly dispatchMicros: number;
  /** Microseconds of one more submission, of many that are queued without waiting. */
  readonly submissionMicros: number;
  /** Microseconds from a submission to the moment that the host knows of its end. */
  readonly roundTripMicros: number;
  /** The same with 4 bytes read back. */
  readonly readbackMicros: number;
}

const THREADS = 64;
/** Operations of one thread and step: 4 lanes, a multiplication and an addition. */
const LANE_FLOPS = 8;
/** Loops with so many independent chains of multiply–adds. */
const CHAINS = [4, 8, 12];
const MIB = 2 ** 20;

const nothing: KernelEntry = {
  kernel: 'limits',
  code: /* wgsl */ `@compute @workgroup_size(1) fn nothing() {}`,
  entry: 'nothing',
};

/** Copies `each` vectors in each invocation: neighbours of one invocation, or of neighbouring ones. */
function copying(each: number, neighbours: 'own' | 'across'): KernelEntry {
  const at = (i: number) =>
    neighbours === 'own' ? `id.x * ${each}u + ${i}u` : `id.x + ${i}u * groups.x * ${THREADS}u`;
  const lines = Array.from({ length: each }, (_, i) => `  result[${at(i)}] = source[${at(i)}];`);
  const code = /* wgsl */ `
@group(0) @binding(0) var<storage, read> source: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;

@compute @workgroup_size(${THREADS})
fn copy(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
${lines.join('\n')}
}
`;
  return { kernel: `limits copy ${neighbours} ${each}`, code, entry: 'copy' };
}

/**
 * Multiply–adds on `chains` vectors that do not depend on each other, written out so that each stays
 * in a register. x ← 0.999·x + 0.001 stays bounded.
 */
function loop(chains: number, kind: 'fused' | 'separate'): KernelEntry {
  const all = (line: (c: number) => string) =>
    Array.from({ length: chains }, (_, c) => line(c)).join('\n');
  const next = (c: number) => (kind === 'fused' ? `fma(x${c}, a, b)` : `x${c} * a + b`);
  const code = /* wgsl */ `
struct Params { steps: u32 }
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(${THREADS})
fn multiply_add(@builtin(global_invocation_id) id: vec3u) {
  let a = vec4f(0.999);
  let b = vec4f(0.001);
${all((c) => `  var x${c} = vec4f(f32(id.x), ${c}.0, 1.0, 2.0);`)}
  for (var i = 0u; i < params.steps; i++) {
${all((c) => `    x${c} = ${next(c)};`)}
  }
  result[id.x] = ${Array.from({ length: chains }, (_, c) => `x${c}`).join(' + ')};
}
`;
  return { kernel: `limits ${kind} ${chains}`, code, entry: 'multiply_add' };
}

/** Measures the limits; takes a few seconds. */
export async function measureLimits(gpu: Gpu, rounds: Rounds): Promise<Limits> {
  const large = largestCopy(gpu);
  const small = Math.min(large, MIB / 8);
  const source = gpu.tensor('copied from', large);
  const result = gpu.tensor('copied to', large);
  const out = gpu.tensor('out', 4096 * THREADS);
  const empty = (d: Recorder) => d.dispatch(nothing, {}, {}, [1]);

  const steps = 2048;
  const groups = gpu.description.software ? 64 : 4096;
  const loops = CHAINS.flatMap((chains) =>
    (['fused', 'separate'] as const).map((kind) => ({
      record: (d: Recorder) => d.dispatch(loop(chains, kind), { result: out }, { steps }, [groups]),
      flops: groups * THREADS * steps * chains * LANE_FLOPS,
    })),
  );
  const copies = [large, small].flatMap((length) =>
    [4, 8].flatMap((each) =>
      (['own', 'across'] as const).map((neighbours) => ({
        length,
        record: (d: Recorder) => {
          const groups = length / 4 / each / THREADS;
          d.dispatch(copying(each, neighbours), { source, result }, {}, [groups]);
        },
      })),
    ),
  );

  const run = async (record: (d: Recorder) => void, read: readonly Read[] = []) => {
    await gpu.submit('limits', record, read);
    await gpu.idle();
  };
  const many = (record: (d: Recorder) => void, repeats: number) => (d: Recorder) => {
    for (let i = 0; i < repeats; i++) record(d);
  };
  const subjects = new Map<string, () => Promise<void>>();
  const repeats = new Map<string, number>();
  const repeated = async (name: string, record: (d: Recorder) => void) => {
    const count = await repeatsFor(gpu, record, rounds.milliseconds);
    repeats.set(name, count);
    subjects.set(name, () => run(many(record, count)));
  };
  for (const [i, { record }] of loops.entries()) await repeated(`loop ${i}`, record);
  for (const [i, { record }] of copies.entries()) await repeated(`copy ${i}`, record);
  const DISPATCHES = 1000;
  const SUBMISSIONS = 50;
  subjects.set('one dispatch', () => run(empty));
  subjects.set('dispatches', () => run(many(empty, DISPATCHES)));
  subjects.set('submissions', async () => {
    for (let i = 1; i < SUBMISSIONS; i++) void gpu.submit('limits', empty).catch(() => {});
    await run(empty);
  });
  subjects.set('readback', async () => {
    await gpu.submit('limits', empty, [{ tensor: out, length: 1 }]);
  });

  const samples = await interleaved(subjects, rounds);
  for (const tensor of [source, result, out]) gpu.free(tensor);
  // A limit is what the machine can do, not what it does while other programs run.
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
    cacheGbs: Math.max(bandwidth(large), bandwidth(small)),
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

/** Elements of a buffer that no cache holds: 64 MiB on a processor, 128 MiB on a graphics card. */
function largestCopy({ description }: Gpu): number {
  return ((description.software ? 64 : 128) * MIB) / 4;
}
