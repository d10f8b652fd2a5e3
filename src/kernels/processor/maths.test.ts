import { describe, expect, it } from 'vitest';
import { assemble, type Body, type V128 } from '../../device/processor/assembler.ts';
import { exp, log } from './maths.ts';

/** Applies a function of four lanes to the values, in WebAssembly. */
function through(fn: (f: Body, x: V128) => V128, values: readonly number[]): Float32Array {
  const memory = new WebAssembly.Memory({ initial: 16 });
  const bytes = assemble(['i32'], false, (f, [end]) => {
    if (!end || !('lt' in end)) throw new Error('no end');
    const at = f.i32(0);
    f.while(at.lt(end as typeof at), () => {
      f.store(at, fn(f, f.load(at)));
      at.set(at.add(16));
    });
  });
  const elements = new Float32Array(memory.buffer);
  elements.set(values);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  (exports.run as (end: number) => void)(16 * Math.ceil(values.length / 4));
  return elements.slice(0, values.length);
}

const steps = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_, i) => Math.fround(from + ((to - from) * i) / (count - 1)));

/** The largest relative error; NaN if any error is NaN. */
function worst(got: Float32Array, values: readonly number[], exact: (x: number) => number): number {
  return values.reduce((most, x, i) => {
    const error = Math.abs((got[i] ?? Number.NaN) - exact(x)) / Math.abs(exact(x));
    return Math.max(most, error);
  }, 0);
}

describe('exp', () => {
  it('has a relative error below 2e-7 if the exact value is a normal number', () => {
    const values = [...steps(-86.6, 88.7, 100_001), ...steps(-1, 1, 50_001)];
    expect(worst(through(exp, values), values, Math.exp)).toBeLessThan(2e-7);
  });
  it('is exact at 0, ±∞ and NaN, and on underflow and overflow', () => {
    const values = [0, -0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN, -1e30];
    expect([...through(exp, values)]).toEqual([1, 1, 0, Number.POSITIVE_INFINITY, Number.NaN, 0]);
    expect([...through(exp, [-88, -200, 88.9, 1e30])]).toEqual([0, 0, Infinity, Infinity]);
  });
});

describe('log', () => {
  it('has a relative error below 2e-7, and near 1 an absolute error below 2e-8', () => {
    const values = [
      ...steps(1e-30, 1e-3, 1001),
      ...steps(1e-3, 0.9, 50_001),
      ...steps(1.1, 1e6, 50_001),
    ];
    expect(worst(through(log, values), values, Math.log)).toBeLessThan(2e-7);
    const near = steps(0.9, 1.1, 10_001);
    const errors = through(log, near).map((got, i) => Math.abs(got - Math.log(near[i] ?? 1)));
    expect(errors.reduce((most, error) => Math.max(most, error))).toBeLessThan(2e-8);
  });
  it('is exact at 0 and 1', () => {
    expect([...through(log, [1, 0])]).toEqual([0, Number.NEGATIVE_INFINITY]);
  });
});
