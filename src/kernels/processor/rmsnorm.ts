/** RMSNorm (arXiv:1910.07467), as in rmsnorm.wgsl: y = x·rstd·gain, rstd = 1/√(mean(x²) + ε). */
import { f32, type I32, i32, sumOfLanes } from '../../device/processor/assembler.ts';
import {
  type KernelCall,
  type ProcessorKernels,
  wasmFunction,
} from '../../device/processor/kernel.ts';

/** x, y (rows, width); rstd (rows). A unit is a row. */
const forward = wasmFunction(
  'rmsnorm.forward',
  { x: 'i32', gain: 'i32', y: 'i32', rstd: 'i32', epsilon: 'f32' },
  (f, { x, gain, y, rstd, epsilon, begin, end }, [width = 4]) => {
    const bytes = 4 * width;
    f.for(begin, end, 1, (row) => {
      const from = f.i32(x.add(row.mul(bytes)));
      const squares = f.v128(0);
      f.for(0, i32(bytes), 16, (at) => {
        const v = f.v128(f.load(from.add(at)));
        squares.set(squares.add(v.mul(v)));
      });
      const mean = sumOfLanes(f, squares).div(width);
      const scale = f.f32(f32(1).div(mean.add(epsilon).sqrt()));
      f.store(rstd.add(row.shl(2)), scale);
      const factor = f.v128(scale.splat());
      const to = f.i32(y.add(row.mul(bytes)));
      f.for(0, i32(bytes), 16, (at) => {
        f.store(
          to.add(at),
          f
            .load(from.add(at))
            .mul(factor)
            .mul(f.load(gain.add(at))),
        );
      });
    });
  },
);

/** With x̂ = x·rstd and dx̂ = dy·gain: dx (rows, width) (+)= rstd · (dx̂ − x̂ · mean(dx̂·x̂)). */
const backward = wasmFunction(
  'rmsnorm.backward',
  { x: 'i32', gain: 'i32', rstd: 'i32', dy: 'i32', dx: 'i32' },
  (f, { x, gain, rstd, dy, dx, begin, end }, [width = 4, accumulate = 0]) => {
    const bytes = 4 * width;
    f.for(begin, end, 1, (row) => {
      const place = f.i32(row.mul(bytes));
      const atX = f.i32(x.add(place));
      const atDy = f.i32(dy.add(place));
      const atDx = f.i32(dx.add(place));
      const scale = f.v128(f.loadSplat(rstd.add(row.shl(2))));
      const along = f.v128(0);
      f.for(0, i32(bytes), 16, (at) => {
        const scaled = f.load(atDy.add(at)).mul(f.load(gain.add(at)));
        along.set(along.add(scaled.mul(f.load(atX.add(at)))));
      });
      // x̂ · mean(dx̂·x̂) contains x̂ = x·rstd twice, hence rstd squared.
      const mean = f.v128(sumOfLanes(f, along).div(width).splat().mul(scale).mul(scale));
      f.for(0, i32(bytes), 16, (at) => {
        const scaled = f.load(atDy.add(at)).mul(f.load(gain.add(at)));
        const value = scaled.sub(f.load(atX.add(at)).mul(mean)).mul(scale);
        f.store(atDx.add(at), accumulate ? f.load(atDx.add(at)).add(value) : value);
      });
    });
  },
);

/** dgain_partial (⌈rows/chunk⌉, width) = Σ over a chunk's rows of dy·x̂. A unit is a chunk. */
const backwardGain = wasmFunction(
  'rmsnorm.backward_gain',
  { x: 'i32', rstd: 'i32', dy: 'i32', partial: 'i32', rows: 'i32', chunk: 'i32' },
  (f, { x, rstd, dy, partial, rows, chunk, begin, end }, [width = 4]) => {
    const bytes = 4 * width;
    f.for(begin, end, 1, (part) => {
      const to = f.i32(partial.add(part.mul(bytes)));
      f.for(0, i32(bytes), 16, (at) => f.store(to.add(at), f32(0).splat()));
      const first = f.i32(part.mul(chunk));
      f.for(first, first.add(chunk).min(rows), 1, (row: I32) => {
        const place = f.i32(row.mul(bytes));
        const scale = f.v128(f.loadSplat(rstd.add(row.shl(2))));
        f.for(0, i32(bytes), 16, (at) => {
          const product = f.load(dy.add(place).add(at)).mul(f.load(x.add(place).add(at)));
          f.store(to.add(at), f.load(to.add(at)).add(product.mul(scale)));
        });
      });
    });
  },
);

const widthOf = ({ constants: { WIDTH = 4 } }: KernelCall): number => WIDTH;

export const rmsnormKernels: ProcessorKernels = {
  'rmsnorm.forward': (call) => {
    const { rows = 0, epsilon = 1e-5 } = call.params;
    const width = widthOf(call);
    const args = {
      x: call.address('x'),
      gain: call.address('gain'),
      y: call.address('y'),
      rstd: call.address('rstd_out'),
      epsilon,
    };
    call.share(forward, args, rows, 2 * rows * width, [width]);
  },
  'rmsnorm.backward': (call) => {
    const { rows = 0, accumulate = 0 } = call.params;
    const width = widthOf(call);
    const args = {
      x: call.address('x'),
      gain: call.address('gain'),
      rstd: call.address('rstd'),
      dy: call.address('dy'),
      dx: call.address('dx'),
    };
    call.share(backward, args, rows, 4 * rows * width, [width, accumulate]);
  },
  'rmsnorm.backward_gain': (call) => {
    const { rows = 0, chunk = 1 } = call.params;
    const width = widthOf(call);
    const args = {
      x: call.address('x'),
      rstd: call.address('rstd'),
      dy: call.address('dy'),
      partial: call.address('dgain_partial'),
      rows,
      chunk,
    };
    call.share(backwardGain, args, Math.ceil(rows / chunk), 2 * rows * width, [width]);
  },
};
