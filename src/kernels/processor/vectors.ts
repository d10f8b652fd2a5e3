/** Loops over any number of elements, four at a time. */
import { type Body, type I32, i32, type V128 } from '../../device/processor/assembler.ts';

/** Reads and writes the elements of one step. */
export interface Step {
  /** The lanes that hold elements: all four, or only the first. */
  readonly lanes: readonly (0 | 1 | 2 | 3)[];
  /** Loads four elements, or one into every lane. */
  load(address: I32): V128;
  store(address: I32, value: V128): void;
}

/**
 * Loops over the bytes `from` .. `to`−1: vectors of four elements, then the remaining elements one
 * by one, so that nothing past the end is accessed. `each` adds its rows' addresses to `at`. Its
 * code is emitted for both loops and must compute the same bits per element in both.
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

/** Elements per unit of an elementwise kernel. */
const BLOCK = 1024;

/** Number of units of an elementwise kernel over `length` elements. */
export function blocks(length: number): number {
  return Math.ceil(length / BLOCK);
}

/** Byte range of such a unit among `length` elements. */
export function blockOf(f: Body, unit: I32, length: I32): { from: I32; to: I32 } {
  const from = f.i32(unit.mul(4 * BLOCK));
  return { from, to: f.i32(from.add(i32(4 * BLOCK)).min(length.shl(2))) };
}
