import { type Operation, operation } from './operation.ts';
import { rotateReference } from './reference/rope.ts';
import { dot } from './reference/values.ts';
import { rotate } from './rope.ts';

/** Test cases for rotary position embeddings (RoPE). */
export const ropeOperations: readonly Operation[] = [
  ...([1, -1] as const).map((direction) =>
    operation({
      name: direction === 1 ? 'rope' : 'rope gradient',
      entries: ['rope.rotate'],
      cases: [
        { rows: 1, heads: 1, headDim: 4, stride: 4, farthest: 0, theta: 10_000 },
        { rows: 7, heads: 3, headDim: 12, stride: 36, farthest: 30, theta: 1_000_000 },
        // The keys of 2 heads are rotated, the values after them are not.
        { rows: 70, heads: 2, headDim: 8, stride: 32, farthest: 500, theta: 10_000 },
        { rows: 0, heads: 2, headDim: 4, stride: 8, farthest: 1, theta: 100_000 },
      ],
      large: { rows: 800, heads: 4, headDim: 16, stride: 64, farthest: 500, theta: 100_000 },
      refused: [{ headDim: 3 }, { stride: 2 }, { heads: 0 }],
      // The angle is a float32: 500 radians have an error of up to 500 · 6e-8.
      tolerance: { relative: 0, absolute: 5e-5 },
      trial: ({ rows, heads, headDim, stride, farthest, theta }, random) => {
        const sizes = { rows, heads, headDim, stride, theta };
        const positions = random.wholes(rows, farthest + 1);
        const x = random.floats(rows * stride);
        const turned = rotateReference({ x, positions }, sizes, direction);
        // Loss: Σ dy · rotate(input), where dy is the tensor x given to the backward rotation.
        const input = random.floats(rows * stride);
        const gradient = {
          of: 'x',
          values: input,
          loss: (values: Float64Array) =>
            dot(x, rotateReference({ x: values, positions }, sizes, 1)),
          analytic: turned,
          output: 'x',
        };
        return {
          tensors: { positions, x },
          expected: { x: turned },
          gradients: direction === -1 ? [gradient] : [],
        };
      },
      call: (dispatcher, tensors, { rows, heads, headDim, stride, theta }) =>
        rotate(dispatcher, tensors, { rows, heads, headDim, stride, theta }, direction),
    }),
  ),
];
