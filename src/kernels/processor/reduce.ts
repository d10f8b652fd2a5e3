import { type ProcessorKernels, wasmFunction } from '../../device/processor/kernel.ts';
import { blockOf, blocks, steps } from './vectors.ts';

/** y[i] (+)= Σ_p partial (parts, stride)[p, i], in ascending order of p. A unit is a block of y. */
const sumParts = wasmFunction(
  'reduce.sum_parts',
  { partial: 'i32', y: 'i32', length: 'i32', parts: 'i32', stride: 'i32' },
  (f, { partial, y, length, parts, stride, begin, end }, [accumulate]) => {
    const partBytes = f.i32(stride.shl(2));
    f.for(begin, end, 1, (unit) => {
      const { from, to } = blockOf(f, unit, length);
      steps(f, from, to, (at, { load, store }) => {
        const sum = f.v128(0);
        const next = f.i32(partial.add(at));
        f.for(0, parts, 1, () => {
          sum.set(sum.add(load(next)));
          next.set(next.add(partBytes));
        });
        const target = f.i32(y.add(at));
        store(target, accumulate ? sum.add(load(target)) : sum);
      });
    });
  },
);

export const reduceKernels: ProcessorKernels = {
  'reduce.sum_parts': (call) => {
    const { length = 0, parts = 0, stride = 0, accumulate = 0 } = call.params;
    call.share(
      sumParts,
      { partial: call.address('partial'), y: call.address('y'), length, parts, stride },
      blocks(length),
      4 * length * (parts + 1),
      [accumulate],
    );
  },
};
