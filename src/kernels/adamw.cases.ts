import { adamw, adamwScratch, normChunk } from './adamw.ts';
import { type Operation, operation, unset } from './operation.ts';
import { type AdamwState, adamwReference } from './reference/adamw.ts';
import { add, float64 } from './reference/values.ts';
import { optimizerColumns, placesOf } from './tables.ts';

/** AdamW settings. β1 and β2 are rounded to float32, as on the GPU: near 1 the error is visible. */
function adamwSettings(clip: number) {
  return {
    learningRate: 1e-3,
    beta1: Math.fround(0.9),
    beta2: Math.fround(0.999),
    epsilon: 1e-8,
    weightDecay: 0.1,
    maxGradNorm: clip === 1 ? 0.01 : 1e3,
  };
}

/** Test cases for AdamW. */
export const adamwOperations: readonly Operation[] = [
  operation({
    name: 'adamw',
    entries: ['adamw.norm_partial', 'adamw.norm', 'adamw.update'],
    // steps: completed before this one; clip: 1 if the gradient norm exceeds the limit.
    cases: [
      { length: 1, decayEnd: 1, steps: 0, clip: 0 },
      { length: 63, decayEnd: 0, steps: 3, clip: 1 },
      { length: 64 * 64 + 5, decayEnd: 4000, steps: 1, clip: 1 },
      { length: 130, decayEnd: 130, steps: 1000, clip: 0 },
    ],
    large: { length: 30_005, decayEnd: 20_002, steps: 2, clip: 1 },
    refused: [{ length: 0 }, { decayEnd: -1 }],
    trial: ({ length, decayEnd, steps, clip }, random, kind) => {
      const parameters = random.floats(length);
      const grads = random.floats(length, 0.1);
      const m = random.floats(length, steps === 0 ? 0 : 0.05);
      const v = random.floats(length, steps === 0 ? 0 : 0.01).map(Math.abs);
      const settings = adamwSettings(clip);
      const place = placesOf(optimizerColumns);
      const state = new Float32Array(optimizerColumns.length);
      state[place.steps] = steps;
      state[place.weight1] = 1 - settings.beta1 ** steps;
      state[place.weight2] = 1 - settings.beta2 ** steps;
      const reference: AdamwState = {
        parameters: float64(parameters),
        m: float64(m),
        v: float64(v),
        steps,
      };
      const { gradNorm, scale } = adamwReference(reference, grads, settings, decayEnd);
      const scratch = new Float64Array(adamwScratch(length, kind));
      grads.forEach((g, i) => {
        add(scratch, Math.floor(i / normChunk(kind)), g * g);
      });
      return {
        tensors: { parameters, grads, m, v, state, scratch: unset(scratch.length) },
        expected: {
          parameters: reference.parameters,
          m: reference.m,
          v: reference.v,
          scratch,
          state: [
            steps + 1,
            gradNorm,
            scale,
            1,
            1 / (1 - settings.beta1 ** (steps + 1)),
            1 / (1 - settings.beta2 ** (steps + 1)),
            1 - settings.beta1 ** (steps + 1),
            1 - settings.beta2 ** (steps + 1),
          ],
        },
      };
    },
    call: (dispatcher, tensors, { length, decayEnd, clip }) =>
      adamw(dispatcher, tensors, { length, decayEnd }, adamwSettings(clip)),
  }),
];
