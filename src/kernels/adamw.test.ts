import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Device } from '../device/index.ts';
import { adamw, adamwScratch } from './adamw.ts';
import { type AdamwState, adamwReference } from './reference/adamw.ts';
import { TestRandom } from './reference/random.ts';
import { optimizerColumns, placesOf } from './tables.ts';
import { runAndRead, testDevices, upload } from './testing.ts';

const place = placesOf(optimizerColumns);

let device: Device;

const settings = {
  learningRate: 0.01,
  beta1: Math.fround(0.9),
  beta2: Math.fround(0.999),
  epsilon: 1e-8,
  weightDecay: 0.1,
  maxGradNorm: 1,
};

function fresh(length: number, seed: number) {
  const parameters = new TestRandom(seed).floats(length);
  const tensors = upload(device, {
    parameters,
    grads: new Float32Array(length),
    m: new Float32Array(length),
    v: new Float32Array(length),
    state: new Float32Array(optimizerColumns.length),
    scratch: new Float32Array(adamwScratch(length)),
  });
  const reference: AdamwState = {
    parameters: Float64Array.from(parameters),
    m: new Float64Array(length),
    v: new Float64Array(length),
    steps: 0,
  };
  const step = (grads: Float32Array, decayEnd: number, changed = {}) => {
    device.upload(tensors.grads, grads);
    return runAndRead(device, tensors, (recorder) =>
      adamw(recorder, tensors, { length, decayEnd }, { ...settings, ...changed }),
    );
  };
  return { reference, step };
}

describe.each(testDevices)('on $on', ({ open }) => {
  beforeAll(async () => {
    device = await open();
  });
  afterEach(() => device.check());
  afterAll(() => device?.close());

  describe('AdamW', () => {
    it('matches the reference over 40 steps, with and without clipping and weight decay', async () => {
      const length = 300;
      const decayEnd = 128;
      const random = new TestRandom(5);
      const { reference, step } = fresh(length, 4);
      let clipped = 0;
      for (let t = 0; t < 40; t++) {
        // Norms from about 0.1 to 5, around the bound of 1.
        const grads = random.floats(length, 0.01 + 0.5 * random.unit() ** 2);
        const got = await step(grads, decayEnd);
        const { gradNorm, scale } = adamwReference(reference, grads, settings, decayEnd);
        if (scale < 1) clipped += 1;
        expect(got.state[place.steps]).toBe(t + 1);
        expect(Math.abs((got.state[place.gradNorm] ?? Number.NaN) / gradNorm - 1)).toBeLessThan(
          1e-5,
        );
        expect(got.state[place.applied]).toBe(1);
        reference.parameters.forEach((value, i) => {
          const error = Math.abs((got.parameters[i] ?? Number.NaN) - value);
          expect(error, `parameter ${i} after step ${t + 1}`).toBeLessThan(5e-6);
        });
      }
      expect(clipped).toBeGreaterThan(5);
      expect(clipped).toBeLessThan(35);
    });

    it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38])(
      'leaves parameters, moments and step count unchanged if a gradient is %d',
      async (bad) => {
        const length = 200;
        const random = new TestRandom(6);
        const { step } = fresh(length, 7);
        const before = await step(random.floats(length), length);
        const grads = random.floats(length);
        grads[137] = bad;
        const after = await step(grads, length);
        expect(after.state[place.applied]).toBe(0);
        expect(after.state[place.steps]).toBe(1);
        for (const name of ['parameters', 'm', 'v'] as const) {
          expect(Array.from(after[name])).toEqual(Array.from(before[name]));
        }
        // The next finite gradient is step 2.
        const next = await step(random.floats(length), length);
        expect(next.state[place.applied]).toBe(1);
        expect(next.state[place.steps]).toBe(2);
      },
    );

    it('never clips if the maximum norm is Infinity', async () => {
      const { step } = fresh(8, 8);
      const { state } = await step(new Float32Array(8).fill(1e6), 0, {
        maxGradNorm: Number.POSITIVE_INFINITY,
      });
      expect(state[place.gradScale]).toBe(1);
      expect(state[place.applied]).toBe(1);
    });

    it('moves each parameter by the learning rate in the first step', async () => {
      const { reference, step } = fresh(4, 9);
      const before = reference.parameters.slice();
      const { parameters } = await step(Float32Array.of(1e-3, -1e-3, 0.5, -0.5), 0);
      [-1, 1, -1, 1].forEach((sign, i) => {
        const moved = (parameters[i] ?? Number.NaN) - (before[i] ?? Number.NaN);
        expect(moved).toBeCloseTo(sign * settings.learningRate, 6);
      });
    });
  });
});
