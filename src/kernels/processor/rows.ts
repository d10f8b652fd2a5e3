import {
  type KernelCall,
  type ProcessorKernels,
  wasmFunction,
} from '../../device/processor/kernel.ts';
import { steps } from './vectors.ts';

/** Whether rows of x or of y are indexed, and whether to add to y. */
interface Move {
  readonly name: string;
  readonly indexed: 'x' | 'y';
  readonly adds: boolean;
}

/** Moves `bytes` bytes per row. A unit is a row; indices into y must be distinct. */
function mover({ name, indexed, adds }: Move) {
  return wasmFunction(
    name,
    { index: 'i32', x: 'i32', y: 'i32', bytes: 'i32' },
    (f, { index, x, y, bytes, begin, end }) => {
      f.for(begin, end, 1, (row) => {
        const own = f.i32(row.mul(bytes));
        const found = f.i32(f.loadInt(index.add(row.shl(2))).mul(bytes));
        const from = f.i32(x.add(indexed === 'x' ? found : own));
        const to = f.i32(y.add(indexed === 'y' ? found : own));
        steps(f, 0, bytes, (at, { load, store }) => {
          const target = f.i32(to.add(at));
          const moved = load(from.add(at));
          store(target, adds ? load(target).add(moved) : moved);
        });
      });
    },
  );
}

/** y (count, width) = x [index (count)]. */
export const gather = mover({ name: 'rows.gather', indexed: 'x', adds: false });
/** y [index (count)] = x (count, width). */
const scatter = mover({ name: 'rows.scatter', indexed: 'y', adds: false });
/** y [index (count)] += x (count, width). */
const scatterAdd = mover({ name: 'rows.scatter_add', indexed: 'y', adds: true });

function moveRows(call: KernelCall, fn: typeof gather): void {
  const { count = 0 } = call.params;
  const { WIDTH = 0 } = call.constants;
  const tensors = { index: call.address('index'), x: call.address('x'), y: call.address('y') };
  call.share(fn, { ...tensors, bytes: 4 * WIDTH }, count, 5 * count * WIDTH);
}

export const rowsKernels: ProcessorKernels = {
  'rows.gather': (call) => moveRows(call, gather),
  'rows.scatter': (call) => moveRows(call, scatter),
  'rows.scatter_add': (call) => moveRows(call, scatterAdd),
};
