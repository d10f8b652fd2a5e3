/**
 * Products in registers: a tile of 4 rows × 8 columns of c stays in eight vectors while the inner
 * index runs. More would exceed the sixteen vector registers of an x64 processor.
 *
 * b is packed: the 8 columns of a tile are adjacent for each inner index, so a tile reads b
 * sequentially regardless of its layout. Inner indices are processed in blocks that fit the L1
 * cache; partial sums continue from block to block, so an element of c is summed in the order of
 * the inner index, independent of tile, block and thread.
 */
import {
  type Body,
  type I32,
  i32,
  type V128,
  type Variable,
  v128,
} from '../../device/processor/assembler.ts';
import {
  type KernelCall,
  type ProcessorKernels,
  wasmFunction,
} from '../../device/processor/kernel.ts';
import { turned } from './square.ts';

/** Inner indices per block. */
export const INNER_BLOCK = 256;
/** Vectors of columns per tile. */
export const TILE_VECTORS = 2;
export const TILE_COLUMNS = 4 * TILE_VECTORS;
export const TILE_ROWS = 4;
/** Up to this many rows, b is read in place instead of packed. */
const FEW_ROWS = 8;
/** Maximum rows per unit: its part of a, packed if necessary, stays in the L2 cache. */
export const UNIT_ROWS = 64;

/** Initial value of the sums. */
export const START = { zero: 0, there: 1 } as const;

/**
 * c (rows, columns) = start (rows, columns) + Σ_i a (row, i) · b (i, column); strides in bytes.
 * A unit is a block of rows and columns of c.
 */
const product = wasmFunction(
  'matmul',
  {
    a: 'i32',
    aRow: 'i32',
    aInner: 'i32',
    b: 'i32',
    bInner: 'i32',
    bColumn: 'i32',
    c: 'i32',
    /** START.zero, or START.there to add to `start`. */
    from: 'i32',
    start: 'i32',
    rows: 'i32',
    inner: 'i32',
    columns: 'i32',
    /** Rows and columns per unit, and number of units side by side. */
    unitRows: 'i32',
    unitColumns: 'i32',
    abreast: 'i32',
  },
  (f, args, [packA = 0, packB = 1, transposedB = 0]) => {
    const { a, b, c, rows, inner, columns, scratch } = args;
    const rowBytes = f.i32(columns.shl(2));
    // Scratch of the thread: a panel of b, then the unit's rows of a.
    const packedA = f.i32(scratch.add(INNER_BLOCK * TILE_COLUMNS * 4));
    f.for(args.begin, args.end, 1, (unit) => {
      const firstRow = f.i32(unit.div(args.abreast).mul(args.unitRows));
      const endRow = f.i32(firstRow.add(args.unitRows).min(rows));
      const firstColumn = f.i32(unit.rem(args.abreast).mul(args.unitColumns));
      const endColumn = f.i32(firstColumn.add(args.unitColumns).min(columns));
      f.for(0, inner, INNER_BLOCK, (innerBegin) => {
        const length = f.i32(inner.sub(innerBegin).min(i32(INNER_BLOCK)));
        const source = f.i32(args.start);
        const loads = f.i32(args.from);
        f.if(innerBegin.ne(0), () => {
          source.set(c);
          loads.set(i32(START.there));
        });
        if (packA) packRows(f, args, { packedA, firstRow, endRow, innerBegin, length });
        const bBlock = f.i32(b.add(innerBegin.mul(args.bInner)));
        const tile = (row: I32, column: I32, tileRows: number, vectors: number) => {
          const place = f.i32(row.mul(rowBytes).add(column.shl(2)));
          const [aFirst, aRow, aInner] = packA
            ? [
                // Packed tiles of four rows are adjacent; single rows are part of the last tile.
                packedA
                  .add(
                    row
                      .sub(firstRow)
                      .div(TILE_ROWS)
                      .mul(length.mul(4 * TILE_ROWS)),
                  )
                  .add(row.sub(firstRow).rem(TILE_ROWS).shl(2)),
                i32(4),
                i32(4 * TILE_ROWS),
              ]
            : [a.add(row.mul(args.aRow)).add(innerBegin.mul(args.aInner)), args.aRow, args.aInner];
          sums(f, {
            tileRows,
            vectors,
            length,
            b: packB ? scratch : f.i32(bBlock.add(column.shl(2))),
            bInner: packB ? i32(16 * vectors) : args.bInner,
            aFirst,
            aRow,
            aInner,
            c: f.i32(c.add(place)),
            source: f.i32(source.add(place)),
            loads,
            rowBytes,
          });
        };
        /** Calls `each` for every tile of this many vectors that fits from `column` on. */
        const columnsOf = (column: I32 & Variable<I32>, vectors: number, each: () => void) => {
          f.while(column.add(4 * vectors).le(endColumn), () => {
            each();
            column.set(column.add(4 * vectors));
          });
        };
        if (packB) {
          const column = f.i32(firstColumn);
          // The number of columns is a multiple of four.
          for (const vectors of [TILE_VECTORS, 1]) {
            columnsOf(column, vectors, () => {
              const from = bBlock.add(column.mul(args.bColumn));
              packColumns(f, args, { from, length, vectors, transposed: transposedB === 1 });
              const row = f.i32(firstRow);
              for (const tileRows of [TILE_ROWS, 1]) {
                f.while(row.add(tileRows).le(endRow), () => {
                  tile(row, column, tileRows, vectors);
                  row.set(row.add(tileRows));
                });
              }
            });
          }
        } else {
          const row = f.i32(firstRow);
          // A single row uses wider tiles: more independent sums hide the latency of additions.
          for (const [tileRows, widths] of [
            [TILE_ROWS, [TILE_VECTORS, 1]],
            [1, [TILE_ROWS * TILE_VECTORS, 1]],
          ] as const) {
            f.while(row.add(tileRows).le(endRow), () => {
              const column = f.i32(firstColumn);
              for (const vectors of widths) {
                columnsOf(column, vectors, () => tile(row, column, tileRows, vectors));
              }
              row.set(row.add(tileRows));
            });
          }
        }
      });
    });
  },
);

/** Computes one tile: sums in registers, over `length` inner indices. */
export function sums(
  f: Body,
  tile: {
    readonly tileRows: number;
    readonly vectors: number;
    readonly length: I32;
    /** Address of the tile's columns at the first inner index, and bytes between inner indices. */
    readonly b: I32;
    readonly bInner: I32;
    readonly aFirst: I32;
    readonly aRow: I32;
    readonly aInner: I32;
    readonly c: I32;
    readonly source: I32;
    readonly loads: I32;
    readonly rowBytes: I32;
  },
): void {
  const { tileRows, vectors, length, aFirst, aRow, aInner, rowBytes } = tile;
  const rows = Array.from({ length: tileRows }, (_, r) => r);
  const lanes = Array.from({ length: vectors }, (_, v) => v);
  const acc: (V128 & Variable<V128>)[][] = rows.map(() => lanes.map(() => f.v128(0)));
  f.if(tile.loads, () => {
    const from = f.i32(tile.source);
    for (const row of acc) {
      row.forEach((sum, v) => {
        sum.set(f.load(from, 16 * v));
      });
      from.set(from.add(rowBytes));
    }
  });
  const first = f.i32(aFirst);
  const pointers = [first];
  for (let r = 1; r < tileRows; r++) pointers.push(f.i32((pointers[r - 1] ?? first).add(aRow)));
  const next = f.i32(tile.b);
  const step = f.i32(tile.bInner);
  const end = f.i32(next.add(length.mul(step)));
  f.while(next.lt(end), () => {
    const b = lanes.map((v) => f.v128(f.load(next, 16 * v)));
    acc.forEach((row, r) => {
      const pointer = pointers[r] ?? first;
      const value = f.v128(f.loadSplat(pointer));
      row.forEach((sum, v) => {
        sum.set(sum.add(value.mul(b[v] ?? v128(0))));
      });
      pointer.set(pointer.add(aInner));
    });
    next.set(next.add(step));
  });
  const to = f.i32(tile.c);
  for (const row of acc) {
    row.forEach((sum, v) => {
      f.store(to, sum, 16 * v);
    });
    to.set(to.add(rowBytes));
  }
}

/** Copies a panel of b to scratch: a tile's columns side by side for each inner index. */
function packColumns(
  f: Body,
  { scratch, bInner, bColumn }: { scratch: I32; bInner: I32; bColumn: I32 },
  panel: { from: I32; length: I32; vectors: number; transposed: boolean },
): void {
  const { length, vectors, transposed } = panel;
  const lanes = Array.from({ length: vectors }, (_, v) => v);
  const from = f.i32(panel.from);
  const to = f.i32(scratch);
  const width = 16 * vectors;
  if (!transposed) {
    // The columns are already adjacent.
    const end = f.i32(scratch.add(length.mul(width)));
    f.while(to.lt(end), () => {
      for (const v of lanes) f.store(to, f.load(from, 16 * v), 16 * v);
      from.set(from.add(bInner));
      to.set(to.add(width));
    });
    return;
  }
  // Inner indices are adjacent, and their number is a multiple of 4: transpose squares of 4 × 4.
  const end = f.i32(scratch.add(length.mul(width)));
  f.while(to.lt(end), () => {
    const column = f.i32(from);
    for (const v of lanes) {
      const rows = [0, 1, 2, 3].map(() => {
        const loaded = f.v128(f.load(column));
        column.set(column.add(bColumn));
        return loaded;
      });
      turned(f, rows).forEach((vector, i) => {
        f.store(to, vector, i * width + 16 * v);
      });
    }
    from.set(from.add(16));
    to.set(to.add(4 * width));
  });
}

/** Copies the unit's rows of a (inner, rows) to scratch, in tiles of four rows per inner index. */
function packRows(
  f: Body,
  { a, aInner }: { a: I32; aInner: I32 },
  block: { packedA: I32; firstRow: I32; endRow: I32; innerBegin: I32; length: I32 },
): void {
  const { packedA, firstRow, endRow, innerBegin, length } = block;
  const to = f.i32(packedA);
  // The number of rows is a multiple of four.
  f.for(firstRow, endRow, TILE_ROWS, (row) => {
    const from = f.i32(a.add(innerBegin.mul(aInner)).add(row.shl(2)));
    const end = f.i32(to.add(length.shl(4)));
    f.while(to.lt(end), () => {
      f.store(to, f.load(from));
      from.set(from.add(aInner));
      to.set(to.add(16));
    });
  });
}

interface Product {
  readonly c: string;
  /** Tensor with the initial sums; null for zero. */
  readonly start: string | null;
  /** Strides, in elements. */
  readonly aRow: number;
  readonly aInner: number;
  readonly bInner: number;
  readonly bColumn: number;
}

function multiply(call: KernelCall, { c, start, ...strides }: Product): void {
  const { rows = 0, inner = 0, columns = 0 } = call.params;
  if (inner === 0) {
    if (start === null) call.floats(c).fill(0, 0, rows * columns);
    return;
  }
  const packA = strides.aInner !== 1;
  const transposedB = strides.bColumn !== 1;
  // With few rows, packing b costs more than it saves.
  const packB = transposedB || rows > FEW_ROWS;
  const unitRows = Math.min(UNIT_ROWS, TILE_ROWS * Math.ceil(rows / TILE_ROWS));
  const rowUnits = Math.ceil(rows / unitRows);
  // With few rows, columns are split too, so that all threads have work.
  const abreast = rowUnits >= 8 ? 1 : Math.min(Math.ceil(8 / rowUnits), Math.ceil(columns / 32));
  const unitColumns = TILE_COLUMNS * Math.ceil(columns / abreast / TILE_COLUMNS);
  const unitsAbreast = Math.ceil(columns / unitColumns);
  call.share(
    product,
    {
      a: call.address('a'),
      aRow: 4 * strides.aRow,
      aInner: 4 * strides.aInner,
      b: call.address('b'),
      bInner: 4 * strides.bInner,
      bColumn: 4 * strides.bColumn,
      c: call.address(c),
      from: start === null ? START.zero : START.there,
      start: call.address(start ?? c),
      rows,
      inner,
      columns,
      unitRows,
      unitColumns,
      abreast: unitsAbreast,
    },
    rowUnits * unitsAbreast,
    rows * inner * columns,
    [packA ? 1 : 0, packB ? 1 : 0, transposedB ? 1 : 0],
  );
}

export const matmulKernels: ProcessorKernels = {
  /** c (rows, columns) = a (rows, inner) · b (inner, columns) [+ residual (rows, columns)]. */
  'matmul.nn': (call) => {
    const { inner = 0, columns = 0, mode } = call.params;
    multiply(call, {
      c: 'c',
      start: mode === 1 ? 'residual' : null,
      aRow: inner,
      aInner: 1,
      bInner: columns,
      bColumn: 1,
    });
  },
  /** c (rows, columns) (+)= a (rows, inner) · b (columns, inner)ᵀ. */
  'matmul.nt': (call) => {
    const { inner = 0, mode } = call.params;
    multiply(call, {
      c: 'c',
      start: mode === 1 ? 'c' : null,
      aRow: inner,
      aInner: 1,
      bInner: 1,
      bColumn: inner,
    });
  },
  /** c (rows, columns) = a (inner, rows)ᵀ · b (inner, columns), as a single split. */
  'matmul.tn': (call) => {
    const { rows = 0, columns = 0 } = call.params;
    multiply(call, {
      c: 'c',
      start: null,
      aRow: 1,
      aInner: rows,
      bInner: columns,
      bColumn: 1,
    });
  },
};
