import { type Operation, operation, unset } from './operation.ts';
import { swigluBackwardReference, swigluReference } from './reference/swiglu.ts';
import { dot } from './reference/values.ts';
import { swigluBackward, swigluForward } from './swiglu.ts';

const testSizes = {
  cases: [
    { rows: 1, ffnWidth: 4 },
    { rows: 7, ffnWidth: 12 },
    { rows: 70, ffnWidth: 20 },
    { rows: 0, ffnWidth: 8 },
  ],
  large: { rows: 300, ffnWidth: 128 },
  refused: [{ ffnWidth: 6 }, { rows: -1 }],
};

/** Test cases for SwiGLU. */
export const swigluOperations: readonly Operation[] = (
  ['silu', 'gelu_pytorch_tanh'] as const
).flatMap((activation) => [
  operation({
    name: activation === 'silu' ? 'swiglu' : 'geglu',
    entries: ['swiglu.forward'],
    ...testSizes,
    trial: ({ rows, ffnWidth }, random) => {
      const gateUp = random.floats(2 * rows * ffnWidth, 6);
      return {
        tensors: { gateUp, h: unset(rows * ffnWidth) },
        expected: { h: swigluReference(gateUp, { rows, ffnWidth, activation }) },
      };
    },
    call: (dispatcher, tensors, sizes) =>
      swigluForward(dispatcher, tensors, { ...sizes, activation }),
  }),

  operation({
    name: activation === 'silu' ? 'swiglu gradient' : 'geglu gradient',
    entries: ['swiglu.backward'],
    ...testSizes,
    trial: ({ rows, ffnWidth }, random) => {
      const sizes = { rows, ffnWidth, activation };
      const gateUp = random.floats(2 * rows * ffnWidth, 6);
      const dh = random.floats(rows * ffnWidth);
      const dgateUp = swigluBackwardReference({ gateUp, dh }, sizes);
      return {
        tensors: { gateUp, dh, dgateUp: unset(dgateUp.length) },
        expected: { dgateUp },
        gradients: [
          {
            of: 'gate and up',
            values: gateUp,
            loss: (values) => dot(dh, swigluReference(values, sizes)),
            analytic: dgateUp,
            output: 'dgateUp',
          },
        ],
      };
    },
    call: (dispatcher, tensors, sizes) =>
      swigluBackward(dispatcher, tensors, { ...sizes, activation }),
  }),
]);
