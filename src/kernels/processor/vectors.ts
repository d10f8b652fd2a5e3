/** Loops over any number of elements, four at a time. */
import { type Body, type I32, i32, type V128 } from '../../device/processor/assembler.ts';

/** How the elements of a step are read and written. */
export interface Step {
  /** The lanes that hold elements: all four, or the first alone. */
  readonly lanes: readonly (0 | 1 | 2 | 3)[];
  /** Four elements, or one in every lane. */
  load(address: I32): V128;
  store(address: I32, value: V128): void;
}

/**
 * Elements from byte `from` to before byte `to` of rows whose addresses `each` adds: vectors of four,
 * then what is left one by one, so that nothing behind the end is touched. `each` is written down for
 * either, and computes the same bits of an element in both.
 */
export function steps(
  f: Body,
  from: I32 | number,
  to: I32,
  each: (at: I32, step: Step) => void,
): void {
  const at = f.i32(from);
  const end = f.i32(to);
  f.while(at.add(16).le(end), () => {
    each(at, {
      lanes: [0, 1, 2, 3],
      load: (address) => f.load(address),
      store: (address, value) => f.store(address, value),
    });
    at.set(at.add(16));
  });
  f.while(at.lt(end), () => {
    each(at, {
      lanes: [0],
      load: (address) => f.loadSplat(address),
      store: (address, value) => f.store(address, value.lane(0)),
    });
    at.set(at.add(4));
  });
}

/** Elements of a unit where elements stand for themselves. */
const BLOCK = 1024;

/** Units of `length` elements that stand for themselves. */
export function blocks(length: number): number {
  return Math.ceil(length / BLOCK);
}

/** The bytes of such a unit among `length` elements. */
export function blockOf(f: Body, unit: I32, length: I32): { from: I32; to: I32 } {
  const from = f.i32(unit.mul(4 * BLOCK));
  return { from, to: f.i32(from.add(i32(4 * BLOCK)).min(length.shl(2))) };
}
