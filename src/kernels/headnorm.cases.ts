import { headnormBackward, headnormForward, headnormScratch } from './headnorm.ts';
import { type Operation, operation, unset } from './operation.ts';
import { headnormBackwardReference, headnormReference } from './reference/headnorm.ts';
import { dot, plus } from './reference/values.ts';

const EPSILON = 1e-6;

const cases = [
  { rows: 1, heads: 1, slots: 1, headDim: 4 },
  { rows: 7, heads: 3, slots: 3, headDim: 12 },
  { rows: 70, heads: 2, slots: 4, headDim: 8 },
  { rows: 0, heads: 2, slots: 2, headDim: 4 },
];
const large = { rows: 800, heads: 2, slots: 4, headDim: 32 };

/** Test cases for per-head RMSNorm. */
export const headnormOperations: readonly Operation[] = [
  operation({
    name: 'headnorm',
    entries: ['headnorm.forward'],
    cases,
    large,
    refused: [{ headDim: 6 }, { heads: 0 }, { slots: 0 }, { rows: -1 }],
    trial: (sizes, random) => {
      const x = random.floats(sizes.rows * sizes.slots * sizes.headDim);
      const gain = random.floats(sizes.headDim, 2);
      return {
        tensors: { x, gain, y: unset(x.length), rstd: unset(sizes.rows * sizes.heads) },
        expected: headnormReference({ x, gain }, sizes, EPSILON),
      };
    },
    call: (dispatcher, tensors, sizes) => headnormForward(dispatcher, tensors, sizes, EPSILON),
  }),

  operation({
    name: 'headnorm gradient',
    entries: ['headnorm.backward', 'headnorm.backward_gain', 'reduce.sum_parts'],
    cases,
    large,
    refused: [{ headDim: 6 }, { heads: 0 }, { slots: 0 }],
    tolerance: { relative: 1e-5, absolute: 1e-4 },
    trial: (sizes, random) => {
      const { rows, slots, headDim } = sizes;
      const x = random.floats(rows * slots * headDim);
      const gain = random.floats(headDim, 2);
      const dy = random.floats(x.length);
      const rstd = Float32Array.from(headnormReference({ x, gain }, sizes, EPSILON).rstd);
      const before = random.floats(headDim);
      const { dx, dgain } = headnormBackwardReference({ x, gain, dy }, sizes, EPSILON);
      // The scratch holds partial sums of the gain gradient, one per 32 rows.
      const scratch = Array.from({ length: Math.ceil(rows / 32) }, (_, p) => {
        const from = p * 32 * slots * headDim;
        const to = Math.min(rows, (p + 1) * 32) * slots * headDim;
        const part = { ...sizes, rows: (to - from) / (slots * headDim) };
        const own = { x: x.slice(from, to), gain, dy: dy.slice(from, to) };
        return Array.from(headnormBackwardReference(own, part, EPSILON).dgain);
      }).flat();
      const loss = (values: { x: ArrayLike<number>; gain: ArrayLike<number> }) =>
        dot(
          dy,
          headnormReference(
            { x: Float64Array.from(values.x), gain: Float64Array.from(values.gain) },
            sizes,
            EPSILON,
          ).y,
        );
      return {
        tensors: {
          x,
          gain,
          rstd,
          dy,
          dgain: before,
          scratch: unset(rows === 0 ? 0 : headnormScratch(sizes)),
        },
        expected: { dy: dx, dgain: plus(dgain, before), scratch },
        gradients: [
          {
            of: 'x',
            values: x,
            loss: (values) => loss({ x: values, gain }),
            analytic: dx,
            output: 'dy',
          },
          {
            of: 'gain',
            values: gain,
            loss: (values) => loss({ x, gain: values }),
            analytic: dgain,
            output: 'dgain',
          },
        ],
      };
    },
    call: (dispatcher, tensors, sizes) => headnormBackward(dispatcher, tensors, sizes),
  }),
];
