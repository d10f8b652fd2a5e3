/** Elementwise kernels of pretrained networks, as in elementwise.wgsl. */
import { f32, v128 } from '../../device/processor/assembler.ts';
import { type ProcessorKernels, wasmFunction } from '../../device/processor/kernel.ts';

/** x (rows, columns) += b (columns). A unit is a row. */
const addBias = wasmFunction(
  'elementwise.add_bias',
  { x: 'i32', b: 'i32', bytes: 'i32' },
  (f, { x, b, bytes, begin, end }) => {
    f.for(begin, end, 1, (row) => {
      const to = f.i32(x.add(row.mul(bytes)));
      f.for(0, bytes, 16, (at) => {
        const place = f.i32(to.add(at));
        f.store(place, f.load(place).add(f.load(b.add(at))));
      });
    });
  },
);

/** partial (⌈rows/chunk⌉, columns) = Σ over a chunk's rows of dy. A unit is a chunk. */
const biasGradient = wasmFunction(
  'elementwise.bias_gradient',
  { dy: 'i32', partial: 'i32', bytes: 'i32', rows: 'i32', chunk: 'i32' },
  (f, { dy, partial, bytes, rows, chunk, begin, end }) => {
    f.for(begin, end, 1, (part) => {
      const to = f.i32(partial.add(part.mul(bytes)));
      f.for(0, bytes, 16, (at) => f.store(to.add(at), f32(0).splat()));
      const first = f.i32(part.mul(chunk));
      f.for(first, first.add(chunk).min(rows), 1, (row) => {
        const from = f.i32(dy.add(row.mul(bytes)));
        f.for(0, bytes, 16, (at) => {
          const place = f.i32(to.add(at));
          f.store(place, f.load(place).add(f.load(from.add(at))));
        });
      });
    });
  },
);

/** x (rows, columns) *= factor. A unit is a row. */
const scale = wasmFunction(
  'elementwise.scale',
  { x: 'i32', bytes: 'i32', factor: 'f32' },
  (f, { x, bytes, factor, begin, end }) => {
    const by = f.v128(factor.splat());
    f.for(begin, end, 1, (row) => {
      const to = f.i32(x.add(row.mul(bytes)));
      f.for(0, bytes, 16, (at) => {
        const place = f.i32(to.add(at));
        f.store(place, f.load(place).mul(by));
      });
    });
  },
);

/** x (rows, columns) = 0 outside its blocks. A unit is a row. */
const keepBlocks = wasmFunction(
  'elementwise.keep_blocks',
  {
    x: 'i32',
    bytes: 'i32',
    chunk: 'i32',
    begin0: 'i32',
    end0: 'i32',
    begin1: 'i32',
    end1: 'i32',
  },
  (f, { x, bytes, chunk, begin0, end0, begin1, end1, begin, end }) => {
    f.for(begin, end, 1, (row) => {
      const to = f.i32(x.add(row.mul(bytes)));
      const from = f.i32(begin0);
      const until = f.i32(end0);
      f.if(row.ge(chunk), () => {
        from.set(begin1);
        until.set(end1);
      });
      f.for(0, from.shl(2), 16, (at) => f.store(to.add(at), v128(0)));
      f.for(until.shl(2), bytes, 16, (at) => f.store(to.add(at), v128(0)));
    });
  },
);

export const elementwiseKernels: ProcessorKernels = {
  'elementwise.add_bias': (call) => {
    const { rows = 0 } = call.params;
    const { COLUMNS = 4 } = call.constants;
    const args = { x: call.address('x'), b: call.address('b'), bytes: 4 * COLUMNS };
    call.share(addBias, args, rows, rows * COLUMNS);
  },
  'elementwise.bias_gradient': (call) => {
    const { rows = 0, chunk = 1 } = call.params;
    const { COLUMNS = 4 } = call.constants;
    const args = {
      dy: call.address('dy'),
      partial: call.address('partial_sums'),
      bytes: 4 * COLUMNS,
      rows,
      chunk,
    };
    call.share(biasGradient, args, Math.ceil(rows / chunk), rows * COLUMNS);
  },
  'elementwise.scale': (call) => {
    const { rows = 0, factor = 1 } = call.params;
    const { COLUMNS = 4 } = call.constants;
    call.share(scale, { x: call.address('x'), bytes: 4 * COLUMNS, factor }, rows, rows * COLUMNS);
  },
  'elementwise.keep_blocks': (call) => {
    const { rows = 0, chunk = 1, begin0 = 0, end0 = 0, begin1 = 0, end1 = 0 } = call.params;
    const { COLUMNS = 4 } = call.constants;
    const args = { x: call.address('x'), bytes: 4 * COLUMNS, chunk, begin0, end0, begin1, end1 };
    call.share(keepBlocks, args, rows, rows * COLUMNS);
  },
};
