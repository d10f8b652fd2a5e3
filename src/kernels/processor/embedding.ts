/** Token embedding. x (rows, width) = table (vocabulary, width)[tokens (rows)]. */
import { type I32, i32 } from '../../device/processor/assembler.ts';
import { type ProcessorKernels, wasmFunction } from '../../device/processor/kernel.ts';
import { gather } from './rows.ts';
import { steps } from './vectors.ts';

/** Bytes per piece: token, begin and end in the sorted rows. */
const PIECE_BYTES = 12;

/** partialSums (count, width) = Σ of dx over each piece's rows, in order. A unit is a piece. */
const backwardPieces = wasmFunction(
  'embedding.backward_pieces',
  { sortedRows: 'i32', pieces: 'i32', dx: 'i32', partialSums: 'i32', bytes: 'i32' },
  (f, { sortedRows, pieces, dx, partialSums, bytes, begin, end }) => {
    f.for(begin, end, 1, (unit) => {
      const piece = f.i32(pieces.add(unit.mul(PIECE_BYTES)));
      const first = f.i32(sortedRows.add(f.loadInt(piece, 4).shl(2)));
      const behind = f.i32(sortedRows.add(f.loadInt(piece, 8).shl(2)));
      const to = f.i32(partialSums.add(unit.mul(bytes)));
      steps(f, 0, bytes, (at, { load, store }) => {
        const sum = f.v128(0);
        f.for(first, behind, 4, (row) => {
          sum.set(sum.add(load(dx.add(f.loadInt(row).mul(bytes)).add(at))));
        });
        store(to.add(at), sum);
      });
    });
  },
);

/**
 * dtable (vocabulary, width) += Σ over the pieces of each token. A unit is a piece: a token's first
 * piece adds up all of the token's pieces, and the others do nothing.
 */
const backwardTable = wasmFunction(
  'embedding.backward_table',
  { pieces: 'i32', partial: 'i32', dtable: 'i32', count: 'i32', bytes: 'i32' },
  (f, { pieces, partial, dtable, count, bytes, begin, end }) => {
    const token = (piece: I32) => f.loadInt(pieces.add(piece.mul(PIECE_BYTES)));
    f.for(begin, end, 1, (unit) => {
      const own = f.i32(token(unit));
      const isFirst = f.i32(1);
      f.if(unit.gt(0), () => isFirst.set(token(unit.sub(1)).ne(own)));
      f.if(isFirst, () => {
        const behind = f.i32(unit.add(1));
        const more = f.i32(1);
        f.while(behind.lt(count).and(more), () => {
          f.if(
            token(behind).eq(own),
            () => behind.set(behind.add(1)),
            () => more.set(i32(0)),
          );
        });
        const row = f.i32(dtable.add(own.mul(bytes)));
        steps(f, 0, bytes, (at, { load, store }) => {
          const sum = f.v128(0);
          f.for(unit, behind, 1, (piece) => {
            sum.set(sum.add(load(partial.add(piece.mul(bytes)).add(at))));
          });
          const target = f.i32(row.add(at));
          store(target, load(target).add(sum));
        });
      });
    });
  },
);

export const embeddingKernels: ProcessorKernels = {
  'embedding.forward': (call) => {
    const { count = 0 } = call.params;
    const { WIDTH = 0 } = call.constants;
    const tensors = {
      index: call.address('tokens'),
      x: call.address('table'),
      y: call.address('x'),
    };
    call.share(gather, { ...tensors, bytes: 4 * WIDTH }, count, 5 * count * WIDTH);
  },
  'embedding.backward_pieces': (call) => {
    const { count = 0 } = call.params;
    const { WIDTH = 0 } = call.constants;
    call.share(
      backwardPieces,
      {
        sortedRows: call.address('sorted_rows'),
        pieces: call.address('pieces'),
        dx: call.address('dx'),
        partialSums: call.address('partial_sums'),
        bytes: 4 * WIDTH,
      },
      count,
      // A piece has up to 128 rows.
      100 * count * WIDTH,
    );
  },
  'embedding.backward_table': (call) => {
    const { count = 0 } = call.params;
    const { WIDTH = 0 } = call.constants;
    call.share(
      backwardTable,
      {
        pieces: call.address('pieces'),
        partial: call.address('partial'),
        dtable: call.address('dtable'),
        count,
        bytes: 4 * WIDTH,
      },
      count,
      10 * count * WIDTH,
    );
  },
};
