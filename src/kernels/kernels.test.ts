import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byTier, fast, thorough } from '../../scripts/tier.mjs';
import { signaturesOf } from '../../scripts/wgsl.mjs';
import { type Device, type Dispatcher, KernelArgumentError, type Tensor } from '../device/index.ts';
import { openNodeGpu } from '../device/webgpu/node.ts';
import { adamw, adamwScratch } from './adamw.ts';
import type { Operation, Sizes, TensorData, Tolerance, Trial } from './operation.ts';
import { processorKernels } from './processor/index.ts';
import { pretrainedKernels } from './processor/pretrained.ts';
import { sumParts } from './reduce.ts';
import { TestRandom } from './reference/random.ts';
import { at, type Values } from './reference/values.ts';
import { kernelRegistry } from './registry.ts';
import { optimizerColumns, placesOf } from './tables.ts';
import { runAndRead, testDevices, upload } from './testing.ts';

/**
 * Guard elements past each tensor's end, which no kernel may overwrite. Float guards are NaN, so a
 * kernel that reads them returns NaN.
 */
const CANARIES = 64;

function lacks(device: Device, { feature }: Operation): boolean {
  return feature !== undefined && !device.description.features.includes(feature);
}

function withCanaries(data: TensorData): TensorData {
  const Kind = data instanceof Float32Array ? Float32Array : Uint32Array;
  const longer = new Kind(data.length + CANARIES);
  longer.fill(data instanceof Float32Array ? Number.NaN : 0xdeadbeef);
  longer.set(data);
  return longer;
}

/**
 * Runs a trial on a device. Returns the contents of every tensor, the dispatched entries, and
 * whether the operation has a variant for another kind of device.
 */
async function run(
  device: Device,
  operation: Operation,
  sizes: Sizes,
  trial: Trial,
  kind = device.kind,
): Promise<{ results: Map<string, TensorData>; entries: Set<string>; asked: boolean }> {
  const tensors: Record<string, Tensor> = {};
  for (const [name, data] of Object.entries(trial.tensors)) {
    const tensor = device.tensor(name, data.length + CANARIES);
    device.upload(tensor, withCanaries(data));
    tensors[name] = tensor;
  }
  const entries = new Set<string>();
  let asked = false;
  const names = Object.keys(trial.tensors);
  const buffers = await device.submit(
    'trial',
    (recorder) => {
      const dispatch: Dispatcher['dispatch'] = (kernel, ...rest) => {
        entries.add(`${kernel.kernel}.${kernel.entry}`);
        recorder.dispatch(kernel, ...rest);
      };
      const dispatcher = {
        get kind() {
          asked = true;
          return kind;
        },
        dispatch,
      };
      operation.call(dispatcher, tensors, { ...sizes, ...trial.derived });
    },
    Object.values(tensors).map((tensor) => ({ tensor, length: tensor.length })),
  );
  await device.idle();
  device.check();
  const results = new Map<string, TensorData>();
  names.forEach((name, i) => {
    const before = trial.tensors[name];
    const buffer = buffers[i];
    if (before === undefined || buffer === undefined) throw new Error(`${name} was not read`);
    const after =
      before instanceof Float32Array ? new Float32Array(buffer) : new Uint32Array(buffer);
    const canaries = after.subarray(before.length);
    expect(canaries.length, name).toBe(CANARIES);
    expect(bits(canaries), `${name} was written past its end`).toEqual(
      bits(withCanaries(before).subarray(before.length)),
    );
    results.set(name, after.subarray(0, before.length));
  });
  return { results, entries, asked };
}

function bits(data: TensorData): Uint32Array {
  return new Uint32Array(data.buffer, data.byteOffset, data.length).slice();
}

function expectClose(name: string, got: Values, expected: Values, tolerance: Tolerance): void {
  expect(got.length, `${name}'s length`).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const error = Math.abs(at(got, i) - at(expected, i));
    const allowed = tolerance.absolute + tolerance.relative * Math.abs(at(expected, i));
    // Elements expected to be NaN must stay unset; any other NaN compares as false and fails.
    if (Number.isNaN(at(expected, i)) && Number.isNaN(at(got, i))) continue;
    if (!(error <= allowed)) {
      expect.fail(
        `${name}[${i}] is ${at(got, i)}, expected ${at(expected, i)}: off by ${error}, allowed ${allowed}`,
      );
    }
  }
}

/** Checks a trial's results, and that a second run gives the same bits. */
async function expectReference(
  device: Device,
  operation: Operation,
  sizes: Sizes,
  trial: Trial,
): Promise<void> {
  const { results, entries, asked } = await run(device, operation, sizes, trial);
  for (const [name, before] of Object.entries(trial.tensors)) {
    const got = results.get(name);
    if (got === undefined) throw new Error(`${name} was not read`);
    const expected = trial.expected[name];
    if (expected !== undefined) expectClose(name, got, expected, operation.tolerance);
    else expect(bits(got), `${name} is an input`).toEqual(bits(before));
  }
  if (!isEmpty(trial)) {
    expect([...entries].sort()).toEqual([...operation.entries].sort());
  }
  // A second run must give the same bits, as must the variant for the other kind of device.
  for (const kind of asked && device.kind === 'quads'
    ? (['quads', 'gpu'] as const)
    : [device.kind]) {
    const again = (await run(device, operation, sizes, trial, kind)).results;
    for (const [name, got] of results) {
      expect(bits(again.get(name) ?? new Float32Array()), name).toEqual(bits(got));
    }
  }
}

/**
 * Above this number of elements, only `DIFFERENCES` of them are differentiated: each costs two
 * forward passes.
 */
const MOST_ELEMENTS = byTier(40, 150, 150);
const DIFFERENCES = byTier(3, 12, 40);

/** Central finite differences at all elements, or at evenly spread ones if there are many. */
function finiteDifferences(
  values: Values,
  loss: (values: Float64Array) => number,
): Map<number, number> {
  const h = 1e-5;
  const differences = new Map<number, number>();
  const moved = Float64Array.from(values);
  const step = values.length > MOST_ELEMENTS ? values.length / DIFFERENCES : 1;
  for (let k = 0; k < values.length; k += step) {
    const i = Math.floor(k);
    moved[i] = at(values, i) + h;
    const above = loss(moved);
    moved[i] = at(values, i) - h;
    const below = loss(moved);
    moved[i] = at(values, i);
    differences.set(i, (above - below) / (2 * h));
  }
  return differences;
}

const differences = new Map<string, { values: Values; all: ReadonlyMap<number, number> }>();

/** Computed from the reference alone, so once for all devices. */
function differencesOf(
  { name }: Operation,
  sizes: Sizes,
  { of, values, loss }: NonNullable<Trial['gradients']>[number],
): ReadonlyMap<number, number> {
  const key = `${name}, ${of}, ${title(sizes)}`;
  const known = differences.get(key) ?? { values, all: finiteDifferences(values, loss) };
  differences.set(key, known);
  // A trial has the same inputs on every kind of device.
  expect(values).toEqual(known.values);
  return known.all;
}

function title(sizes: Sizes): string {
  return Object.entries(sizes)
    .map(([name, size]) => `${name} ${size}`)
    .join(', ');
}

function isEmpty(trial: Trial): boolean {
  return Object.values(trial.expected).every((values) => values?.length === 0);
}

/** A tensor for host-side checks, of which only the length is read. */
function lengthOnly(label: string, length: number): Tensor {
  return { label, length };
}
const nowhere: Dispatcher = { kind: 'gpu', dispatch: () => {} };

/** A trial for checking arguments without a device; tensors have `spare` elements too many. */
function hostSide(operation: Operation, sizes: Sizes, spare: number) {
  const trial = operation.trial(sizes, new TestRandom(3), nowhere.kind);
  const tensors = Object.fromEntries(
    Object.entries(trial.tensors).map(([name, data]) => [
      name,
      lengthOnly(name, data.length + spare),
    ]),
  );
  return { trial, tensors, all: { ...sizes, ...trial.derived } };
}

const operations = kernelRegistry.map((operation) => [operation.name, operation] as const);
const titled = (all: readonly Sizes[]) => all.map((sizes) => [title(sizes), sizes] as const);

describe.each(testDevices)('on $on', ({ kinds, open }) => {
  // GPU-only operations need a device that runs GPU kernels.
  const here = operations.filter(([, { gpuOnly }]) => !gpuOnly || kinds.includes('gpu'));
  // Every size compiles new pipelines on a GPU, so the fast tier runs only two sizes.
  const fewer = fast && !kinds.includes('processor');
  const casesOf = ({ cases }: Operation) => (fewer ? cases.slice(1, 3) : cases);
  const largeOf = ({ large }: Operation) => (fewer || large === undefined ? [] : [large]);
  let device: Device;
  beforeAll(async () => {
    device = await open();
  });
  afterAll(() => device?.close());

  describe.each(here)('%s', (_, operation: Operation) => {
    it.for(titled([...casesOf(operation), ...largeOf(operation)]))(
      'matches its float64 reference: %s',
      async ([, sizes], { skip }) => {
        skip(lacks(device, operation), 'the device lacks the feature');
        const trial = operation.trial(sizes, new TestRandom(1), device.kind);
        await expectReference(device, operation, sizes, trial);
      },
    );

    const [first] = operation.cases;
    const differentiable =
      first !== undefined &&
      (operation.trial(first, new TestRandom(1), 'gpu').gradients ?? []).length > 0;
    if (differentiable) {
      it.for(titled(casesOf(operation)))(
        'matches finite differences of the forward reference: %s',
        async ([, sizes], { skip }) => {
          skip(lacks(device, operation), 'the device lacks the feature');
          const trial = operation.trial(sizes, new TestRandom(2), device.kind);
          const { results } = await run(device, operation, sizes, trial);
          for (const gradient of trial.gradients ?? []) {
            const { of, values, analytic, output } = gradient;
            expect(analytic.length, of).toBe(values.length);
            const got = results.get(output);
            const expected = trial.expected[output];
            if (got === undefined || expected === undefined) throw new Error(`no ${output}`);
            for (const [i, difference] of differencesOf(operation, sizes, gradient)) {
              const exact = at(analytic, i);
              const error = Math.abs(exact - difference);
              if (!(error <= 1e-7 * Math.max(1, Math.abs(exact)))) {
                expect.fail(`reference ∂${of}[${i}] is ${exact}, differences give ${difference}`);
              }
              // Subtract the initial contents that the kernel added to.
              const underneath: number = at(expected, i) - exact;
              const { relative, absolute } = operation.tolerance;
              const allowed = absolute + 1e-6 + relative * Math.abs(at(expected, i));
              if (!(Math.abs(at(got, i) - underneath - difference) <= allowed)) {
                expect.fail(
                  `kernel's ∂${of}[${i}] is ${at(got, i) - underneath}, differences give ${difference}`,
                );
              }
            }
          }
        },
      );
    }
  });
});

/** Whether an operation has a one-dimensional grid of more than `fold` workgroups. */
function folds({ call }: Operation, sizes: Sizes, { tensors, derived }: Trial, fold: number) {
  let found = false;
  const dispatch: Dispatcher['dispatch'] = (_kernel, _tensors, _params, [x, y]) => {
    found ||= y === undefined && x > fold;
  };
  const lengths = Object.entries(tensors).map(([name, { length }]) => [
    name,
    lengthOnly(name, length),
  ]);
  call({ kind: 'gpu', dispatch }, Object.fromEntries(lengths), { ...sizes, ...derived });
  return found;
}

/** Kernels with an explicit guard against surplus workgroups; others check bounds per element. */
const guarded = ['adamw', 'layer.gradients', 'rmsnorm.backward_parts', 'statistics', 'turn'];

describe('on WebGPU, with grids folded after two workgroups', () => {
  const FOLD = 2;
  const some = operations.filter(
    ([, { entries }]) =>
      !fast || entries.some((name) => guarded.some((one) => name.startsWith(one))),
  );
  let device: Device;
  beforeAll(async () => {
    device = await openNodeGpu({ fold: FOLD });
  });
  afterAll(() => device?.close());

  it.each(some)('%s matches its float64 reference', async (_, operation) => {
    if (lacks(device, operation)) return;
    const { cases, large } = operation;
    for (const sizes of large === undefined || fast ? cases : [...cases, large]) {
      const trial = operation.trial(sizes, new TestRandom(1), device.kind);
      if (!folds(operation, sizes, trial, FOLD)) continue;
      await expectReference(device, operation, sizes, trial);
    }
  });
});

describe('on WebGPU, with grids of more than 65,535 workgroups', () => {
  let device: Device;
  beforeAll(async () => {
    device = await openNodeGpu();
  });
  afterAll(() => device?.close());

  it.skipIf(fast)('sums parts of 4.2 million elements', async () => {
    const length = 65_536 * 64 + 100;
    const { partial, y } = upload(device, {
      partial: Float32Array.from({ length: 2 * length }, (_, i) => i % length),
      y: new Float32Array(length),
    });
    const sums = await runAndRead(device, { y }, (recorder) =>
      sumParts(recorder, { partial, y }, { length, parts: 2 }, false),
    );
    expect(sums.y.findIndex((sum, i) => sum !== 2 * i)).toBe(-1);
  });

  it.runIf(thorough)('updates 16.8 million parameters', async () => {
    const length = 65_536 * 256 + 100;
    const tensors = upload(device, {
      parameters: new Float32Array(length),
      grads: new Float32Array(length).fill(1),
      m: new Float32Array(length),
      v: new Float32Array(length),
      state: new Float32Array(optimizerColumns.length),
      scratch: new Float32Array(adamwScratch(length)),
    });
    const { parameters, state } = tensors;
    const after = await runAndRead(device, { parameters, state }, (recorder) =>
      adamw(
        recorder,
        tensors,
        { length, decayEnd: 0 },
        {
          ...{ learningRate: 0.5, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 },
          ...{ weightDecay: 0, maxGradNorm: 1 },
        },
      ),
    );
    const { gradNorm } = placesOf(optimizerColumns);
    expect(after.state[gradNorm]).toBeCloseTo(Math.sqrt(length), 1);
    // The first step moves each parameter by the learning rate.
    expect(after.parameters.findIndex((value) => Math.abs(value + 0.5) > 1e-3)).toBe(-1);
  });
});

describe.each(operations)('%s', (_, operation: Operation) => {
  it('rejects a tensor that is too short', () => {
    const sizes = operation.cases[1];
    if (sizes === undefined) throw new Error('two sizes at least');
    const { trial, tensors, all } = hostSide(operation, sizes, 0);
    expect(() => operation.call(nowhere, tensors, all)).not.toThrow();
    const guarded = Object.keys(tensors).filter((name) => !operation.indexed.includes(name));
    expect(guarded.length).toBeGreaterThan(0);
    for (const name of guarded) {
      const short = lengthOnly(name, (trial.tensors[name]?.length ?? 0) - 1);
      expect(
        () => operation.call(nowhere, { ...tensors, [name]: short }, all),
        `a short ${name}`,
      ).toThrow(KernelArgumentError);
    }
  });

  it.each(titled(operation.refused))('rejects unsupported sizes: %s', (_title, wrong) => {
    // Tensors long enough for anything: only the size itself is wrong.
    const { tensors, all } = hostSide(operation, operation.cases[0] ?? {}, 1e6);
    expect(() => operation.call(nowhere, tensors, all)).not.toThrow();
    expect(() => operation.call(nowhere, tensors, { ...all, ...wrong })).toThrow(
      KernelArgumentError,
    );
  });
});

describe('shader metadata read at build time', () => {
  it.each(['gpu', 'quads'] as const)('matches the compiled shader, on %s', (kind) => {
    const met = new Set<string>();
    const check: Dispatcher = {
      kind,
      dispatch: ({ kernel, entry, code, constants = {} }) => {
        const label = `${kernel}.${entry}(${JSON.stringify(constants)})`;
        if (met.has(label)) return;
        met.add(label);
        const header = Object.entries(constants).map(
          ([name, value]) => `const ${name} = ${value}u;`,
        );
        const compiled = signaturesOf([...header, code.text].join('\n'))[entry];
        expect(code.signatures[entry], label).toEqual(compiled);
      },
    };
    for (const operation of kernelRegistry) {
      const { tensors, all } = hostSide(
        operation,
        operation.cases[1] ?? operation.cases[0] ?? {},
        0,
      );
      operation.call(check, tensors, all);
    }
    expect(met.size).toBeGreaterThan(25);
  });

  it('indexes every one-dimensional grid so that the device can fold it', () => {
    const inOneWorkgroup = new Set(['adamw.norm', 'bapo.search', 'covariance.pick']);
    const met = new Set<string>();
    const dispatch: Dispatcher['dispatch'] = (
      { kernel, entry, code },
      _tensors,
      _params,
      [x, y],
    ) => {
      const name = `${kernel}.${entry}`;
      if (y !== undefined) return;
      met.add(name);
      if (inOneWorkgroup.has(name)) expect(x, name).toBe(1);
      else {
        const [body] = code.text.split(`fn ${entry}(`)[1]?.split('@compute') ?? [];
        expect(body, name).toMatch(/= (global|group)_index\(\w+\)/);
      }
    };
    for (const operation of kernelRegistry) {
      const { tensors, all } = hostSide(operation, operation.cases[1] ?? {}, 0);
      operation.call({ kind: 'gpu', dispatch }, tensors, all);
    }
    expect(met.size).toBeGreaterThan(35);
  });
});

describe('the kernel registry', () => {
  const folder = join(import.meta.dirname, '../../shaders');
  const entryPoints = readdirSync(folder)
    .filter((file) => file.endsWith('.wgsl'))
    .flatMap((file) => {
      const code = readFileSync(join(folder, file), 'utf8');
      const marks = code.match(/^@compute/gm)?.length ?? 0;
      const found = [...code.matchAll(/@compute[^{;]*?\bfn\s+(\w+)/g)].map(
        ([, entry]) => `${file.replace('.wgsl', '')}.${entry}`,
      );
      expect(found.length, `${file}: every @compute is found`).toBe(marks);
      return found;
    });

  it('covers every compute entry point of shaders/', () => {
    expect(entryPoints.length).toBeGreaterThan(20);
    // Each operation's own tests check that it dispatches the entries it names.
    const covered = new Set(kernelRegistry.flatMap(({ entries }) => entries));
    expect([...covered].sort()).toEqual(entryPoints.sort());
  });

  it('covers exactly the CPU kernels', () => {
    const onProcessor = kernelRegistry.filter(({ gpuOnly }) => !gpuOnly);
    const dispatched = [...new Set(onProcessor.flatMap(({ entries }) => entries))];
    const found = Object.keys({ ...processorKernels, ...pretrainedKernels });
    expect(found.sort()).toEqual(dispatched.sort());
  });
});
