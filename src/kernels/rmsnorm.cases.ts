import { type GradientCheck, type Operation, operation, unset } from './operation.ts';
import type { TestRandom } from './reference/random.ts';
import {
  type RmsnormSizes,
  rmsnormBackwardReference,
  rmsnormReference,
} from './reference/rmsnorm.ts';
import { dot, plus } from './reference/values.ts';
import {
  PART_ROWS,
  rmsnormBackward,
  rmsnormBackwardParts,
  rmsnormForward,
  rmsnormScratch,
} from './rmsnorm.ts';

/** Random inputs of the backward pass, `rstd` as the forward pass stores it, and the gradients. */
function drawn(sizes: RmsnormSizes, random: TestRandom) {
  const { rows, width } = sizes;
  const x = random.floats(rows * width);
  const gain = random.floats(width, 2);
  const dy = random.floats(rows * width);
  const rstd = Float32Array.from(rmsnormReference({ x, gain }, sizes).rstd);
  const inputs = { x, gain, rstd, dy };
  const { dx, dgain } = rmsnormBackwardReference(inputs, sizes);
  /** Part of the gain's gradient: the sum over rows begin .. end − 1. */
  const gainOf = (begin: number, end: number) => {
    const rowsOf = (values: Float32Array) => values.slice(begin * width, end * width);
    const own = { x: rowsOf(x), gain, dy: rowsOf(dy) };
    return rmsnormBackwardReference(own, { rows: end - begin, width }).dgain;
  };
  const check = (of: 'x' | 'gain', analytic: Float64Array): GradientCheck => ({
    of,
    values: inputs[of],
    loss: (values) => dot(dy, rmsnormReference({ ...inputs, [of]: values }, sizes).y),
    analytic,
    output: `d${of}`,
  });
  return { inputs, dx, dgain, gainOf, ofX: check('x', dx), ofGain: check('gain', dgain) };
}

/** Test cases for RMSNorm. */
export const rmsnormOperations: readonly Operation[] = [
  operation({
    name: 'rmsnorm',
    entries: ['rmsnorm.forward'],
    cases: [
      { rows: 1, width: 4, epsilon: 1e-5 },
      { rows: 7, width: 12, epsilon: 1e-6 },
      { rows: 70, width: 20, epsilon: 1e-2 },
      { rows: 0, width: 8, epsilon: 1e-5 },
    ],
    large: { rows: 800, width: 64, epsilon: 1e-5 },
    refused: [{ width: 6 }, { width: 0 }, { rows: -1 }],
    trial: (sizes, random) => {
      const { rows, width } = sizes;
      const x = random.floats(rows * width);
      const gain = random.floats(width, 2);
      return {
        tensors: { x, gain, y: unset(rows * width), rstd: unset(rows) },
        expected: rmsnormReference({ x, gain }, sizes),
      };
    },
    call: (dispatcher, tensors, sizes) => rmsnormForward(dispatcher, tensors, sizes),
  }),

  ...[false, true].map((accumulate) =>
    operation({
      name: accumulate ? 'rmsnorm gradient, accumulated' : 'rmsnorm gradient',
      entries: ['rmsnorm.backward', 'rmsnorm.backward_gain', 'reduce.sum_parts'],
      cases: [
        { rows: 1, width: 4 },
        { rows: 7, width: 12 },
        { rows: 270, width: 20 },
        { rows: 0, width: 8 },
      ],
      large: { rows: 800, width: 64 },
      refused: [{ width: 6 }, { rows: -1 }],
      tolerance: { relative: 1e-5, absolute: 5e-5 },
      trial: (sizes, random) => {
        const { rows, width } = sizes;
        const { inputs, dx, dgain, gainOf, ofX, ofGain } = drawn(sizes, random);
        const dxBefore = accumulate ? random.floats(rows * width) : unset(rows * width);
        const dgainBefore = random.floats(width);
        // The scratch holds partial sums of the gain gradient, one per 128 rows.
        const scratch = Array.from({ length: Math.ceil(rows / 128) }, (_, p) =>
          Array.from(gainOf(p * 128, Math.min(rows, (p + 1) * 128))),
        ).flat();
        return {
          tensors: {
            ...inputs,
            dx: dxBefore,
            dgain: dgainBefore,
            scratch: unset(rows === 0 ? 0 : rmsnormScratch(sizes)),
          },
          expected: {
            dx: accumulate ? plus(dx, dxBefore) : dx,
            dgain: plus(dgain, dgainBefore),
            scratch,
          },
          gradients: [ofX, ofGain],
        };
      },
      call: (dispatcher, tensors, sizes) => rmsnormBackward(dispatcher, tensors, sizes, accumulate),
    }),
  ),

  ...[false, true].map((accumulate) =>
    operation({
      name: accumulate ? 'rmsnorm gradient in parts, accumulated' : 'rmsnorm gradient in parts',
      entries: ['rmsnorm.backward_parts'],
      gpuOnly: true,
      cases: [
        { rows: 1, width: 4 },
        { rows: 7, width: 12 },
        { rows: 70, width: 20 },
        { rows: 33, width: 520 },
        { rows: 0, width: 8 },
      ],
      refused: [{ width: 6 }, { rows: -1 }],
      tolerance: { relative: 1e-5, absolute: 5e-5 },
      trial: (sizes, random) => {
        const { rows, width } = sizes;
        const { inputs, dx, gainOf, ofX } = drawn(sizes, random);
        const before = accumulate ? random.floats(rows * width) : unset(rows * width);
        // One more part than the rows need; it must be zero.
        const parts = Math.ceil(rows / PART_ROWS) + 1;
        const stride = width + 64;
        const dgain = new Float64Array((parts - 1) * stride + width).fill(Number.NaN);
        for (let p = 0; p < parts; p++) {
          const [begin, end] = [Math.min(p * PART_ROWS, rows), Math.min((p + 1) * PART_ROWS, rows)];
          dgain.set(gainOf(begin, end), p * stride);
        }
        return {
          derived: { parts, stride },
          tensors: { ...inputs, dx: before, dgain: unset(dgain.length) },
          expected: { dx: accumulate ? plus(dx, before) : dx, dgain },
          gradients: [ofX],
        };
      },
      call: (dispatcher, tensors, { parts, stride, ...sizes }) =>
        rmsnormBackwardParts(dispatcher, tensors, sizes, { parts, stride }, accumulate),
    }),
  ),
];
