import { afterEach, describe, expect, it } from 'vitest';
import type { KernelEntry, Recorder, Tensor } from '../device.ts';
import { DeviceLostError, KernelArgumentError } from '../errors.ts';
import { i32 } from './assembler.ts';
import { type ProcessorKernels, wasmFunction } from './kernel.ts';
import { openNodeProcessor } from './node.ts';
import type { Processor } from './processor.ts';

/** x (length) += by, in blocks of 64. */
const add = wasmFunction('add', { x: 'i32', by: 'f32' }, (f, { x, by, begin, end }) => {
  f.for(begin.mul(64), end.mul(64), 4, (i) => {
    const place = f.i32(x.add(i.shl(2)));
    f.store(place, f.load(place).add(by.splat()));
  });
});

/** Writes out of bounds. */
const outside = wasmFunction('outside', {}, (f, { begin, end }) => {
  f.for(begin, end, 1, () => f.store(i32(-4), i32(1)));
});

const kernels: ProcessorKernels = {
  'test.add': (call) => {
    const { length = 0, by = 0 } = call.params;
    call.share(add, { x: call.address('x'), by }, length / 64, Number.POSITIVE_INFINITY);
  },
  'test.double': (call) => {
    const x = call.floats('x');
    x.forEach((value, i) => {
      x[i] = 2 * value;
    });
  },
  'test.outside': (call) => call.share(outside, {}, 1, 0),
};
const entry = (name: string): KernelEntry => ({
  kernel: 'test',
  code: { text: '', signatures: {} },
  entry: name,
});

const opened: Processor[] = [];
afterEach(() => {
  for (const device of opened.splice(0)) device.close();
});
function open(threads = 2): Processor {
  const device = openNodeProcessor(kernels, threads);
  opened.push(device);
  return device;
}

function filled(device: Processor, values: readonly number[]): Tensor {
  const tensor = device.tensor('x', values.length);
  device.upload(tensor, Float32Array.from(values));
  return tensor;
}

async function floats(device: Processor, tensor: Tensor): Promise<number[]> {
  return [...new Float32Array(await device.read(tensor))];
}

const count = (length: number) => Array.from({ length }, (_, i) => i);

describe('the processor as a device', () => {
  it('computes, clears and copies in recorded order, and reads at the end', async () => {
    const device = open();
    const x = filled(device, count(256));
    const y = device.tensor('y', 64);
    const [first, second] = await device.submit(
      'test',
      (recorder: Recorder) => {
        recorder.dispatch(entry('add'), { x }, { length: 256, by: 1 }, [1]);
        recorder.copy(x, 64, y, 64);
        recorder.dispatch(entry('double'), { x }, {}, [1]);
        recorder.clear(device.slice(x, 'part', 192, 64));
        // An empty dispatch computes nothing.
        recorder.dispatch(entry('double'), { x }, {}, [0]);
      },
      [
        { tensor: x, length: 256 },
        { tensor: y, length: 2 },
      ],
    );
    const expected = count(256).map((i) => (i < 192 ? 2 * (i + 1) : 0));
    expect([...new Float32Array(first ?? new ArrayBuffer(0))]).toEqual(expected);
    expect([...new Float32Array(second ?? new ArrayBuffer(0))]).toEqual([65, 66]);
  });

  it('returns results that later changes to the tensor do not affect', async () => {
    const device = open();
    const x = filled(device, count(64));
    const before = await floats(device, x);
    await device.submit('test', (recorder) => recorder.dispatch(entry('double'), { x }, {}, [1]));
    expect(before).toEqual(count(64));
  });

  it('zeroes a tensor that reuses freed memory', async () => {
    const device = open();
    const x = filled(device, new Array<number>(1000).fill(7));
    device.free(x);
    expect(await floats(device, device.tensor('y', 1000))).toEqual(new Array(1000).fill(0));
  });

  it('preserves every bit of a number that is uploaded and read back', async () => {
    const device = open();
    const words = Uint32Array.of(0x7fa00001, 0xffc12345, 0x80000000, 1);
    const x = device.tensor('x', 4);
    device.upload(x, new Float32Array(words.buffer));
    expect(new Uint32Array(await device.read(x))).toEqual(words);
  });

  it('rejects arguments that do not fit or belong to another device', async () => {
    const device = open();
    const x = filled(device, count(128));
    const y = device.tensor('y', 8);
    expect(() => device.tensor('x', 0)).toThrow(KernelArgumentError);
    expect(() => device.tensor('x', 1.5)).toThrow(KernelArgumentError);
    expect(() => device.tensor('large', 2 ** 31)).toThrow(/large: 8,192 MiB more than/);
    expect(() => device.slice(x, 'part', 1, 64)).toThrow(KernelArgumentError);
    expect(() => device.slice(x, 'part', 64, 65)).toThrow(KernelArgumentError);
    expect(() => device.upload(y, new Float32Array(9))).toThrow(KernelArgumentError);
    expect(() => device.upload(y, new Float32Array(4), 5)).toThrow(KernelArgumentError);
    const recorded = (record: (recorder: Recorder) => void) => device.submit('test', record);
    await expect(recorded((r) => r.copy(x, 0, y, 9))).rejects.toThrow(KernelArgumentError);
    await expect(recorded((r) => r.dispatch(entry('add'), {}, {}, [1]))).rejects.toThrow(
      /test.add: tensor "x" is missing/,
    );
    await expect(recorded((r) => r.dispatch(entry('no'), {}, {}, [1]))).rejects.toThrow(
      /test.no: the processor has no such kernel/,
    );
    await expect(device.prepare((r) => r.dispatch(entry('no'), {}, {}, [1]))).rejects.toThrow(
      KernelArgumentError,
    );
    await expect(device.read({ label: 'foreign', length: 1 })).rejects.toThrow(/another device/);
    // None of these errors made the device unusable.
    expect(device.failure).toBeUndefined();
    expect(await floats(device, x)).toEqual(count(128));
  });

  it('becomes unusable when a kernel first traps, and notifies each listener once', async () => {
    const device = open();
    const heard: Error[] = [];
    const silent: Error[] = [];
    device.onFailure((error) => heard.push(error));
    device.onFailure((error) => silent.push(error))();
    const trap = () =>
      device.submit('test', (recorder) => recorder.dispatch(entry('outside'), {}, {}, [1]));
    await expect(trap()).rejects.toThrow(WebAssembly.RuntimeError);
    await expect(trap()).rejects.toThrow(DeviceLostError);
    expect(() => device.check()).toThrow(/test.outside: /);
    expect(heard).toEqual([device.failure]);
    expect(silent).toEqual([]);
    // A listener that is added later receives the error too.
    device.onFailure((error) => heard.push(error));
    expect(heard).toHaveLength(2);
  });

  it('simulates a lost device', async () => {
    const device = open();
    device.lose();
    expect(device.failure).toBeInstanceOf(DeviceLostError);
    await expect(device.idle()).rejects.toThrow(DeviceLostError);
    await expect(device.submit('test', () => {})).rejects.toThrow(DeviceLostError);
  });

  it('yields to the event loop between submissions', async () => {
    const device = open(1);
    const x = filled(device, count(64));
    let handled = 0;
    const timer = setInterval(() => {
      handled += 1;
    }, 1);
    // If the device never yielded, no timer would fire, not even the test's own.
    const end = performance.now() + 60_000;
    while (handled <= 3 && performance.now() < end) {
      await device.submit('test', (recorder) => recorder.dispatch(entry('double'), { x }, {}, [1]));
    }
    clearInterval(timer);
    expect(handled).toBeGreaterThan(3);
  });

  it('counts and times its work', async () => {
    const device = open();
    const x = filled(device, count(640));
    device.startProfile('kernel');
    expect(() => device.startProfile()).toThrow(/being taken/);
    for (let i = 0; i < 3; i++) {
      await device.submit('twice', (recorder) => {
        recorder.dispatch(entry('double'), { x }, {}, [1]);
        recorder.dispatch(entry('add'), { x }, { length: 640, by: 1 }, [1]);
      });
    }
    await device.read(x);
    const profile = await device.stopProfile();
    expect(profile).toMatchObject({ submissions: 4, dispatches: 6, readBytes: 2560 });
    expect(Object.keys(profile.byKernel).sort()).toEqual(['test.add', 'test.double']);
    expect(Object.keys(profile.bySubmission).sort()).toEqual(['read x', 'twice']);
    const sum = Object.values(profile.byKernel).reduce((total, { busyMs }) => total + busyMs, 0);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThanOrEqual(profile.busyMs + 1e-9);
    await expect(device.stopProfile()).rejects.toThrow(/No profile/);
    expect(device.counters.pipelines).toBe(1);
  });

  it('reports the number of compute threads', () => {
    expect(open(1).description).toMatchObject({ threads: 1, software: false });
    expect(open(3).description).toMatchObject({ threads: 3, software: false });
    expect(open(3).description.detail).toMatch(/3 threads, Node/);
  });
});
