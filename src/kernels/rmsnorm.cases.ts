import { type Operation, operation, unset } from './operation.ts';
import { rmsnormBackwardReference, rmsnormReference } from './reference/rmsnorm.ts';
import { dot, plus } from './reference/values.ts';
import {
  PART_ROWS,
  rmsnormBackward,
  rmsnormBackwardParts,
  rmsnormForward,
  rmsnormScratch,
} from './rmsnorm.ts';

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
    trial: ({ rows, width, epsilon }, random) => {
      const x = random.floats(rows * width);
      const gain = random.floats(width, 2);
      return {
        tensors: { x, gain, y: unset(rows * width), rstd: unset(rows) },
        expected: rmsnormReference({ x, gain }, { rows, width, epsilon }),
      };
    },
    call: (dispatcher, tensors, { rows, width, epsilon }) =>
      rmsnormForward(dispatcher, tensors, { rows, width, epsilon }),
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
      trial: ({ rows, width }, random) => {
        const x = random.floats(rows * width);
        const gain = random.floats(width, 2);
        const dy = random.floats(rows * width);
        const sizes = { rows, width };
        const rstd = Float32Array.from(rmsnormReference({ x, gain }, sizes).rstd);
        const dxBefore = accumulate ? random.floats(rows * width) : unset(rows * width);
        const dgainBefore = random.floats(width);
        const { dx, dgain } = rmsnormBackwardReference({ x, gain, dy }, sizes);
        // The scratch holds partial sums of the gain gradient, one per 128 rows.
        const scratch = Array.from({ length: Math.ceil(rows / 128) }, (_, p) => {
          const part = { from: p * 128 * width, to: Math.min(rows, (p + 1) * 128) * width };
          return Array.from(
            rmsnormBackwardReference(
              { x: x.slice(part.from, part.to), gain, dy: dy.slice(part.from, part.to) },
              { rows: (part.to - part.from) / width, width },
            ).dgain,
          );
        }).flat();
        return {
          tensors: {
            x,
            gain,
            rstd,
            dy,
            dx: dxBefore,
            dgain: dgainBefore,
            scratch: unset(rows === 0 ? 0 : rmsnormScratch(sizes)),
          },
          expected: {
            dx: accumulate ? plus(dx, dxBefore) : dx,
            dgain: plus(dgain, dgainBefore),
            scratch,
          },
          gradients: [
            {
              of: 'x',
              values: x,
              loss: (values) => dot(dy, rmsnormReference({ x: values, gain }, sizes).y),
              analytic: dx,
              output: 'dx',
            },
            {
              of: 'gain',
              values: gain,
              loss: (values) => dot(dy, rmsnormReference({ x, gain: values }, sizes).y),
              analytic: dgain,
              output: 'dgain',
            },
          ],
        };
      },
      call: (dispatcher, tensors, { rows, width }) =>
        rmsnormBackward(dispatcher, tensors, { rows, width }, accumulate),
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
      trial: ({ rows, width }, random) => {
        const x = random.floats(rows * width);
        const gain = random.floats(width, 2);
        const dy = random.floats(rows * width);
        const rstd = Float32Array.from(rmsnormReference({ x, gain }, { rows, width }).rstd);
        const before = accumulate ? random.floats(rows * width) : unset(rows * width);
        const { dx } = rmsnormBackwardReference({ x, gain, dy }, { rows, width });
        // One more part than the rows need; it must be zero.
        const parts = Math.ceil(rows / PART_ROWS) + 1;
        const stride = width + 64;
        const dgain = new Float64Array((parts - 1) * stride + width).fill(Number.NaN);
        for (let p = 0; p < parts; p++) {
          const from = Math.min(p * PART_ROWS, rows) * width;
          const to = Math.min((p + 1) * PART_ROWS, rows) * width;
          const part = rmsnormBackwardReference(
            { x: x.slice(from, to), gain, dy: dy.slice(from, to) },
            { rows: (to - from) / width, width },
          );
          dgain.set(part.dgain, p * stride);
        }
        return {
          derived: { parts, stride },
          tensors: { x, gain, rstd, dy, dx: before, dgain: unset(dgain.length) },
          expected: { dx: accumulate ? plus(dx, before) : dx, dgain },
          gradients: [
            {
              of: 'x',
              values: x,
              loss: (values) => dot(dy, rmsnormReference({ x: values, gain }, { rows, width }).y),
              analytic: dx,
              output: 'dx',
            },
          ],
        };
      },
      call: (dispatcher, tensors, { rows, width, parts, stride }) =>
        rmsnormBackwardParts(dispatcher, tensors, { rows, width }, { parts, stride }, accumulate),
    }),
  ),
];
