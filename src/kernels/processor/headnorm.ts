/** RMSNorm of each head of a row, as in headnorm.wgsl, with the same shapes. */
import { f32, i32, sumOfLanes } from '../../device/processor/assembler.ts';
import { type ProcessorKernels, wasmFunction } from '../../device/processor/kernel.ts';

/** A unit is a row. */
const forward = wasmFunction(
  'headnorm.forward',
  {
    x: 'i32',
    gain: 'i32',
    y: 'i32',
    rstd: 'i32',
    heads: 'i32',
    slots: 'i32',
    epsilon: 'f32',
  },
  (f, { x, gain, y, rstd, heads, slots, epsilon, begin, end }, [headDim = 4]) => {
    const bytes = 4 * headDim;
    f.for(begin, end, 1, (row) => {
      f.for(0, slots, 1, (slot) => {
        const at = f.i32(row.mul(slots).add(slot).mul(bytes));
        const from = f.i32(x.add(at));
        const to = f.i32(y.add(at));
        f.if(
          slot.lt(heads),
          () => {
            const squares = f.v128(0);
            f.for(0, i32(bytes), 16, (i) => {
              const v = f.v128(f.load(from.add(i)));
              squares.set(squares.add(v.mul(v)));
            });
            const mean = sumOfLanes(f, squares).div(headDim);
            const scale = f.f32(f32(1).div(mean.add(epsilon).sqrt()));
            f.store(rstd.add(row.mul(heads).add(slot).shl(2)), scale);
            const factor = f.v128(scale.splat());
            f.for(0, i32(bytes), 16, (i) => {
              f.store(
                to.add(i),
                f
                  .load(from.add(i))
                  .mul(factor)
                  .mul(f.load(gain.add(i))),
              );
            });
          },
          () => f.for(0, i32(bytes), 16, (i) => f.store(to.add(i), f.load(from.add(i)))),
        );
      });
    });
  },
);

/** A unit is a row. */
const backward = wasmFunction(
  'headnorm.backward',
  { x: 'i32', gain: 'i32', rstd: 'i32', dy: 'i32', heads: 'i32', slots: 'i32' },
  (f, { x, gain, rstd, dy, heads, slots, begin, end }, [headDim = 4]) => {
    const bytes = 4 * headDim;
    f.for(begin, end, 1, (row) => {
      f.for(0, heads, 1, (head) => {
        const at = f.i32(row.mul(slots).add(head).mul(bytes));
        const from = f.i32(x.add(at));
        const to = f.i32(dy.add(at));
        const products = f.v128(0);
        f.for(0, i32(bytes), 16, (i) => {
          const scaled = f.load(to.add(i)).mul(f.load(gain.add(i)));
          products.set(products.add(scaled.mul(f.load(from.add(i)))));
        });
        const scale = f.v128(f.loadSplat(rstd.add(row.mul(heads).add(head).shl(2))));
        const along = f.f32(sumOfLanes(f, products).div(headDim));
        const mean = f.v128(along.splat().mul(scale).mul(scale));
        f.for(0, i32(bytes), 16, (i) => {
          const scaled = f.load(to.add(i)).mul(f.load(gain.add(i)));
          f.store(to.add(i), scaled.sub(f.load(from.add(i)).mul(mean)).mul(scale));
        });
      });
    });
  },
);

/** dgain_partial (⌈rows/chunk⌉, headDim) = Σ over rows and heads of dy·x̂. A unit is a chunk. */
const backwardGain = wasmFunction(
  'headnorm.backward_gain',
  {
    x: 'i32',
    rstd: 'i32',
    dy: 'i32',
    partial: 'i32',
    rows: 'i32',
    heads: 'i32',
    slots: 'i32',
    chunk: 'i32',
  },
  (f, { x, rstd, dy, partial, rows, heads, slots, chunk, begin, end }, [headDim = 4]) => {
    const bytes = 4 * headDim;
    f.for(begin, end, 1, (part) => {
      const to = f.i32(partial.add(part.mul(bytes)));
      f.for(0, i32(bytes), 16, (i) => f.store(to.add(i), f32(0).splat()));
      const first = f.i32(part.mul(chunk));
      f.for(first, first.add(chunk).min(rows), 1, (row) => {
        f.for(0, heads, 1, (head) => {
          const at = f.i32(row.mul(slots).add(head).mul(bytes));
          const scale = f.v128(f.loadSplat(rstd.add(row.mul(heads).add(head).shl(2))));
          f.for(0, i32(bytes), 16, (i) => {
            const place = f.i32(at.add(i));
            const product = f
              .load(dy.add(place))
              .mul(f.load(x.add(place)))
              .mul(scale);
            f.store(to.add(i), f.load(to.add(i)).add(product));
          });
        });
      });
    });
  },
);

export const headnormKernels: ProcessorKernels = {
  'headnorm.forward': (call) => {
    const { rows = 0, heads = 1, slots = 1, epsilon = 1e-5 } = call.params;
    const { HEAD_DIM = 4 } = call.constants;
    const args = {
      x: call.address('x'),
      gain: call.address('gain'),
      y: call.address('y'),
      rstd: call.address('rstd_out'),
      heads,
      slots,
      epsilon,
    };
    call.share(forward, args, rows, 2 * rows * slots * HEAD_DIM, [HEAD_DIM]);
  },
  'headnorm.backward': (call) => {
    const { rows = 0, heads = 1, slots = 1 } = call.params;
    const { HEAD_DIM = 4 } = call.constants;
    const args = {
      x: call.address('x'),
      gain: call.address('gain'),
      rstd: call.address('rstd'),
      dy: call.address('dy'),
      heads,
      slots,
    };
    call.share(backward, args, rows, 4 * rows * heads * HEAD_DIM, [HEAD_DIM]);
  },
  'headnorm.backward_gain': (call) => {
    const { rows = 0, heads = 1, slots = 1, chunk = 1 } = call.params;
    const { HEAD_DIM = 4 } = call.constants;
    const args = {
      x: call.address('x'),
      rstd: call.address('rstd'),
      dy: call.address('dy_in'),
      partial: call.address('dgain_partial'),
      rows,
      heads,
      slots,
      chunk,
    };
    const work = 2 * rows * heads * HEAD_DIM;
    call.share(backwardGain, args, Math.ceil(rows / chunk), work, [HEAD_DIM]);
  },
};
