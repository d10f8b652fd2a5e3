import { type Operation, operation, unset } from './operation.ts';
import { rmsnormBackwardReference, rmsnormReference } from './reference/rmsnorm.ts';
import { dot, plus } from './reference/values.ts';
import { rmsnormBackward, rmsnormForward, rmsnormScratch } from './rmsnorm.ts';

/** RMSNorm, tried. */
export const rmsnormOperations: readonly Operation[] = [
  operation({
    name: 'rmsnorm',
    entries: ['rmsnorm.forward'],
    cases: [
      { rows: 1, width: 4 },
      { rows: 7, width: 12 },
      { rows: 70, width: 20 },
      { rows: 0, width: 8 },
    ],
    large: { rows: 800, width: 64 },
    refused: [{ width: 6 }, { width: 0 }, { rows: -1 }],
    trial: ({ rows, width }, random) => {
      const x = random.floats(rows * width);
      const gain = random.floats(width, 2);
      return {
        tensors: { x, gain, y: unset(rows * width), rstd: unset(rows) },
        expected: rmsnormReference({ x, gain }, { rows, width }),
      };
    },
    call: (dispatcher, tensors, { rows, width }) =>
      rmsnormForward(dispatcher, tensors, { rows, width }),
  }),

  ...[false, true].map((accumulate) =>
    operation({
      name: accumulate ? 'rmsnorm gradient, added' : 'rmsnorm gradient',
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
        // The scratch holds the gain's gradient over 128 rows at a time.
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
];
