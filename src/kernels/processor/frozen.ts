/**
 * Products with frozen matrices, packed as in frozen.wgsl. Tiled like matmul.ts, except that panels
 * of w are unpacked while they are copied: the whole matrix is never unpacked in memory.
 */
import {
  type Body,
  type I32,
  i32,
  ints,
  type V128,
  type Variable,
  v128,
} from '../../device/processor/assembler.ts';
import {
  type KernelCall,
  type ProcessorKernels,
  wasmFunction,
} from '../../device/processor/kernel.ts';
import { frozenGroup } from '../frozen-pack.ts';
import {
  INNER_BLOCK,
  START,
  sums,
  TILE_COLUMNS,
  TILE_ROWS,
  TILE_VECTORS,
  UNIT_ROWS,
} from './matmul.ts';
import { turned } from './square.ts';

/** Elements in 16 packed bytes, by FORMAT. */
const GROUPS = Object.values(frozenGroup);
const GROUP_BYTES = 16;

const groupOf = (format: number): number => GROUPS[format] ?? 4;

/** Converts the float16 in the upper 16 bits of each lane to float32. */
function halves(f: Body, upper: V128): V128 {
  const t = f.v128(upper);
  const sign = t.and(ints(0x80000000 | 0));
  const magnitude = t.and(ints(0x7fff0000)).shr(3);
  // The exponent bias is 15 in float16, 127 in float32.
  return f.v128(magnitude.or(sign).mul(2 ** 112));
}

/** Scale of group `index`, in every lane. */
function scaleOf(f: Body, scales: I32, index: I32): V128 {
  const word = f.loadSplat(scales.add(index.shr(1).shl(2)));
  // An even index is in the lower half, which is shifted up.
  const upper = f.v128(word).shl(f.i32(i32(1).sub(index.and(1)).shl(4)));
  return halves(f, upper);
}

/** Unpacks 16 bytes to vectors of four elements; for int4, to `count` vectors from `first` on. */
function fours(
  f: Body,
  format: number,
  words: V128,
  scale: V128 | undefined,
  first: I32 | number,
  count: number,
): V128[] {
  if (format === 0) return [words];
  const held = f.v128(words);
  if (format === 1) return [halves(f, held.shl(16)), halves(f, held)];
  return Array.from({ length: count }, (_, k) => {
    const bits = typeof first === 'number' ? 4 * (first + k) : first.add(k).shl(2);
    const level = held.shr(bits).and(ints(15)).toFloats();
    return f.v128(level.sub(8).mul(scale ?? v128(1)));
  });
}

/** Inputs of `packForward` and `packBackward`. */
interface Panel {
  readonly w: I32;
  readonly scales: I32;
  readonly scratch: I32;
  /** Bytes and groups per packed row. */
  readonly rowBytes: I32;
  readonly rowGroups: I32;
  readonly column: I32;
  readonly innerBegin: I32;
  readonly length: I32;
}

/** Unpacks a panel whose columns are rows of w, by transposing squares of 4 × 4. */
function packForward(f: Body, format: number, vectors: number, panel: Panel): void {
  const { w, scales, scratch, rowBytes, rowGroups, column, innerBegin, length } = panel;
  const size = groupOf(format);
  const width = 16 * vectors;
  const group = f.i32(innerBegin.div(size));
  const to = f.i32(scratch);
  const end = f.i32(scratch.add(length.mul(width)));
  f.while(to.lt(end), () => {
    for (let v = 0; v < vectors; v++) {
      const rows = [0, 1, 2, 3].map((r) => {
        const row = f.i32(column.add(4 * v + r));
        const words = f.load(w.add(row.mul(rowBytes)).add(group.mul(GROUP_BYTES)));
        const scale =
          format === 2 ? scaleOf(f, scales, f.i32(row.mul(rowGroups).add(group))) : undefined;
        return fours(f, format, words, scale, 0, size / 4);
      });
      for (let q = 0; q < size / 4; q++) {
        const square = rows.map((row) => row[q] ?? v128(0));
        turned(f, square).forEach((vector, i) => {
          f.store(to, vector, (4 * q + i) * width + 16 * v);
        });
      }
    }
    group.set(group.add(1));
    to.set(to.add(size * width));
  });
}

/** Unpacks a panel whose columns are adjacent columns of w. */
function packBackward(f: Body, format: number, vectors: number, panel: Panel): void {
  const { w, scales, scratch, rowBytes, rowGroups, column, innerBegin, length } = panel;
  const size = groupOf(format);
  const width = 16 * vectors;
  const group = f.i32(column.div(size));
  const first = f.i32(column.rem(size).div(4));
  const row = f.i32(innerBegin);
  const from = f.i32(w.add(innerBegin.mul(rowBytes)).add(group.mul(GROUP_BYTES)));
  const to = f.i32(scratch);
  const end = f.i32(scratch.add(length.mul(width)));
  f.while(to.lt(end), () => {
    const words = f.v128(f.load(from));
    const scale =
      format === 2 ? scaleOf(f, scales, f.i32(row.mul(rowGroups).add(group))) : undefined;
    const found =
      format === 0
        ? Array.from({ length: vectors }, (_, v) => f.load(from, 16 * v))
        : fours(f, format, words, scale, first, vectors);
    for (let v = 0; v < vectors; v++) f.store(to, found[v] ?? v128(0), 16 * v);
    row.set(row.add(1));
    from.set(from.add(rowBytes));
    to.set(to.add(width));
  });
}

/**
 * c (rows, columns) (+)= a (rows, inner) · panel. A unit is a block of rows and columns of c.
 * Constants: FORMAT, and 1 for the backward product.
 */
const product = wasmFunction(
  'frozen',
  {
    a: 'i32',
    w: 'i32',
    scales: 'i32',
    c: 'i32',
    from: 'i32',
    rows: 'i32',
    inner: 'i32',
    columns: 'i32',
    rowBytes: 'i32',
    rowGroups: 'i32',
    unitRows: 'i32',
    unitColumns: 'i32',
    abreast: 'i32',
  },
  (f, args, [format = 0, isBackward = 0]) => {
    const { a, c, rows, inner, columns, scratch } = args;
    const rowBytes = f.i32(columns.shl(2));
    const aRow = f.i32(inner.shl(2));
    f.for(args.begin, args.end, 1, (unit) => {
      const firstRow = f.i32(unit.div(args.abreast).mul(args.unitRows));
      const endRow = f.i32(firstRow.add(args.unitRows).min(rows));
      const firstColumn = f.i32(unit.rem(args.abreast).mul(args.unitColumns));
      const endColumn = f.i32(firstColumn.add(args.unitColumns).min(columns));
      f.for(0, inner, INNER_BLOCK, (innerBegin) => {
        const length = f.i32(inner.sub(innerBegin).min(i32(INNER_BLOCK)));
        const loads = f.i32(args.from);
        f.if(innerBegin.ne(0), () => loads.set(i32(START.there)));
        const column: I32 & Variable<I32> = f.i32(firstColumn);
        for (const vectors of [TILE_VECTORS, 1]) {
          f.while(column.add(4 * vectors).le(endColumn), () => {
            const panel = { ...args, column, innerBegin, length };
            if (isBackward) packBackward(f, format, vectors, panel);
            else packForward(f, format, vectors, panel);
            const row = f.i32(firstRow);
            for (const tileRows of [TILE_ROWS, 1]) {
              f.while(row.add(tileRows).le(endRow), () => {
                const place = f.i32(c.add(row.mul(rowBytes)).add(column.shl(2)));
                sums(f, {
                  tileRows,
                  vectors,
                  length,
                  b: scratch,
                  bInner: i32(16 * vectors),
                  aFirst: a.add(row.mul(aRow)).add(innerBegin.shl(2)),
                  aRow,
                  aInner: i32(4),
                  c: place,
                  source: place,
                  loads,
                  rowBytes,
                });
                row.set(row.add(tileRows));
              });
            }
            column.set(column.add(4 * vectors));
          });
        }
      });
    });
  },
);

/** x (rows, inputs) = w [tokens (rows)]. A unit is a row. Constant: FORMAT. */
const gather = wasmFunction(
  'frozen.gather',
  {
    tokens: 'i32',
    w: 'i32',
    scales: 'i32',
    x: 'i32',
    rowBytes: 'i32',
    rowGroups: 'i32',
    inputs: 'i32',
  },
  (f, args, [format = 0]) => {
    const size = groupOf(format);
    f.for(args.begin, args.end, 1, (unit) => {
      const row = f.i32(f.loadInt(args.tokens.add(unit.shl(2))));
      const from = f.i32(args.w.add(row.mul(args.rowBytes)));
      const to = f.i32(args.x.add(unit.mul(args.inputs).shl(2)));
      f.for(0, args.rowGroups, 1, (group) => {
        const words = f.load(from);
        const index = f.i32(row.mul(args.rowGroups).add(group));
        const scale = format === 2 ? scaleOf(f, args.scales, index) : undefined;
        fours(f, format, words, scale, 0, size / 4).forEach((four, q) => {
          f.store(to, four, 16 * q);
        });
        from.set(from.add(GROUP_BYTES));
        to.set(to.add(4 * size));
      });
    });
  },
);

/** Address and layout of the packed matrix. */
function matrix(call: KernelCall) {
  const { inputs = 0 } = call.params;
  const { FORMAT = 0 } = call.constants;
  const rowGroups = inputs / groupOf(FORMAT);
  return {
    w: call.address('w'),
    scales: call.address('scales'),
    rowBytes: GROUP_BYTES * rowGroups,
    rowGroups,
  };
}

function multiply(call: KernelCall, inner: number, columns: number, isBackward: boolean): void {
  const { rows = 0, accumulate = 0 } = call.params;
  const { FORMAT = 0 } = call.constants;
  const unitRows = Math.min(UNIT_ROWS, TILE_ROWS * Math.ceil(rows / TILE_ROWS));
  const rowUnits = Math.ceil(rows / unitRows);
  const abreast = rowUnits >= 8 ? 1 : Math.min(Math.ceil(8 / rowUnits), Math.ceil(columns / 32));
  const unitColumns = TILE_COLUMNS * Math.ceil(columns / abreast / TILE_COLUMNS);
  const unitsAbreast = Math.ceil(columns / unitColumns);
  if (rows === 0) return;
  call.share(
    product,
    {
      ...matrix(call),
      a: call.address('a'),
      c: call.address('c'),
      from: accumulate ? START.there : START.zero,
      rows,
      inner,
      columns,
      unitRows,
      unitColumns,
      abreast: unitsAbreast,
    },
    rowUnits * unitsAbreast,
    rows * inner * columns,
    [FORMAT, isBackward ? 1 : 0],
  );
}

export const frozenKernels: ProcessorKernels = {
  'frozen.forward': (call) => {
    const { inputs = 0, outputs = 0 } = call.params;
    multiply(call, inputs, outputs, false);
  },
  'frozen.backward': (call) => {
    const { inputs = 0, outputs = 0 } = call.params;
    multiply(call, outputs, inputs, true);
  },
  'frozen.gather': (call) => {
    const { rows = 0, inputs = 0 } = call.params;
    const { FORMAT = 0 } = call.constants;
    const args = { ...matrix(call), tokens: call.address('tokens'), x: call.address('c'), inputs };
    call.share(gather, args, rows, 2 * rows * inputs, [FORMAT]);
  },
};
