/** RoPE (arXiv:2104.09864), as in rope.wgsl, with a table of cosines and sines. */
import { i32 } from '../../device/processor/assembler.ts';
import {
  type KernelCall,
  type ProcessorKernels,
  wasmFunction,
} from '../../device/processor/kernel.ts';

/**
 * Rotates the first `heads` heads of each row of x (rows, stride) in place. turns (positions,
 * HEAD_DIM): the cosines of a position, then its sines. A unit is a row; `direction` −1 rotates
 * back.
 */
const rotate = wasmFunction(
  'rope.rotate',
  { positions: 'i32', x: 'i32', turns: 'i32', heads: 'i32', strideBytes: 'i32', direction: 'f32' },
  (f, { positions, x, turns, heads, strideBytes, direction, begin, end }, [headDim = 4]) => {
    const half = 2 * headDim;
    const sign = f.v128(direction.splat());
    const vectors = headDim % 8 === 0;
    f.for(begin, end, 1, (row) => {
      const turn = f.i32(turns.add(f.loadInt(positions.add(row.shl(2))).mul(4 * headDim)));
      const first = f.i32(x.add(row.mul(strideBytes)));
      const last = f.i32(first.add(heads.mul(4 * headDim)));
      f.for(0, i32(half), vectors ? 16 : 4, (at) => {
        const angle = f.i32(turn.add(at));
        // One element at a time if half a head is not a whole number of vectors.
        const load = (address: typeof at, offset = 0) =>
          vectors ? f.load(address, offset) : f.loadSplat(address, offset);
        const c = f.v128(load(angle));
        const s = f.v128(load(angle, half).mul(sign));
        f.for(first.add(at), last, 4 * headDim, (place) => {
          const low = f.v128(load(place));
          const high = f.v128(load(place, half));
          const turnedLow = low.mul(c).sub(high.mul(s));
          const turnedHigh = high.mul(c).add(low.mul(s));
          f.store(place, vectors ? turnedLow : turnedLow.lane(0));
          f.store(place, vectors ? turnedHigh : turnedHigh.lane(0), half);
        });
      });
    });
  },
);

/** Cosines and sines of all positions up to a power of two, so that the table rarely grows. */
function turnsOf(call: KernelCall, headDim: number, theta: number, rows: number): number {
  const positions = call.words('positions');
  let last = 0;
  for (let row = 0; row < rows; row++) last = Math.max(last, positions[row] ?? 0);
  const count = 2 ** Math.ceil(Math.log2(last + 64));
  return call.table(`turns of ${headDim} by ${theta}`, count * headDim, (turns) => {
    const half = headDim / 2;
    for (let position = 0; position * headDim < turns.length; position++) {
      for (let i = 0; i < half; i++) {
        const angle = position * theta ** (-i / half);
        turns[position * headDim + i] = Math.cos(angle);
        turns[position * headDim + half + i] = Math.sin(angle);
      }
    }
  });
}

export const ropeKernels: ProcessorKernels = {
  'rope.rotate': (call) => {
    const { rows = 0, heads = 1, stride = 0, direction = 1, theta = 10_000 } = call.params;
    const { HEAD_DIM = 4 } = call.constants;
    const args = {
      turns: turnsOf(call, HEAD_DIM, theta, rows),
      positions: call.address('positions'),
      x: call.address('x'),
      heads,
      strideBytes: 4 * stride,
      direction,
    };
    call.share(rotate, args, rows, 3 * rows * heads * HEAD_DIM, [HEAD_DIM]);
  },
};
