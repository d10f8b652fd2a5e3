/** Transposes squares of 4 × 4 elements. */
import { type Body, type I32, type V128, v128 } from '../../device/processor/assembler.ts';

/** Transposes a square: takes its rows, returns its columns. */
export function turned(f: Body, rows: readonly V128[]): V128[] {
  const [a = v128(0), b = v128(0), c = v128(0), d = v128(0)] = rows;
  const ab = f.v128(a.shuffle(b, [0, 4, 1, 5]));
  const cd = f.v128(c.shuffle(d, [0, 4, 1, 5]));
  const abHigh = f.v128(a.shuffle(b, [2, 6, 3, 7]));
  const cdHigh = f.v128(c.shuffle(d, [2, 6, 3, 7]));
  return [
    ab.shuffle(cd, [0, 1, 4, 5]),
    ab.shuffle(cd, [2, 3, 6, 7]),
    abHigh.shuffle(cdHigh, [0, 1, 4, 5]),
    abHigh.shuffle(cdHigh, [2, 3, 6, 7]),
  ];
}

/** Transposes four rows of `width` elements to `to` (width, 4), one row per lane. */
export function turnIn(
  f: Body,
  rows: readonly I32[],
  to: I32,
  width: number,
  change: (elements: V128) => V128 = (elements) => elements,
): void {
  for (let d = 0; d < width; d += 4) {
    const square = rows.map((row) => f.v128(f.load(row, 4 * d)));
    turned(f, square).forEach((column, i) => {
      f.store(to, change(column), 16 * (d + i));
    });
  }
}

/** Transposes `from` (width, 4) to the first `count` of four rows of `width` elements. */
export function turnOut(
  f: Body,
  from: I32,
  rows: readonly I32[],
  count: I32,
  width: number,
  change: (elements: V128) => V128 = (elements) => elements,
): void {
  for (let d = 0; d < width; d += 4) {
    const square = [0, 1, 2, 3].map((i) => f.v128(change(f.load(from, 16 * (d + i)))));
    const columns = turned(f, square).map((column) => f.v128(column));
    rows.forEach((row, r) => {
      const write = () => f.store(row, columns[r] ?? v128(0), 4 * d);
      if (r === 0) write();
      else f.if(count.gt(r), write);
    });
  }
}
