import code from '../../shaders/embedding.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

/** x (rows, width) = table (·, width)[tokens (rows)]. Token ids must be within the table. */
export function embeddingForward(
  dispatcher: Dispatcher,
  tensors: { readonly tokens: Tensor; readonly table: Tensor; readonly x: Tensor },
  { rows, width }: { readonly rows: number; readonly width: number },
): void {
  const name = 'embedding.forward';
  expectSize(name, 'rows', rows);
  expectSize(name, 'width', width, { least: 4, multiple: 4 });
  expectLength(name, 'tokens', tensors.tokens, [rows]);
  expectLength(name, 'x', tensors.x, [rows, width]);
  dispatcher.dispatch(
    { kernel: 'embedding', code, entry: 'forward', constants: { WIDTH: width } },
    { ...tensors },
    { count: rows },
    [groups((rows * width) / 4, 64)],
  );
}

/** Maximum rows per piece of the backward sum. */
export const PIECE_ROWS = 128;

/**
 * Sorts rows by token (stable counting sort) and splits each token's rows into pieces, for
 * `embeddingBackward`. Returns sortedRows (rows) and pieces (count, 3) = token, begin, end.
 */
export function embeddingPieces(
  tokens: Uint32Array,
  vocabulary: number,
): { sortedRows: Uint32Array; pieces: Uint32Array } {
  const ends = new Uint32Array(vocabulary + 1);
  for (const token of tokens) ends[token + 1] = (ends[token + 1] ?? 0) + 1;
  for (let v = 0; v < vocabulary; v++) ends[v + 1] = (ends[v + 1] ?? 0) + (ends[v] ?? 0);
  const starts = ends.slice(0, vocabulary);
  const cursor = starts.slice();
  const sortedRows = new Uint32Array(tokens.length);
  tokens.forEach((token, row) => {
    const at = cursor[token] ?? 0;
    sortedRows[at] = row;
    cursor[token] = at + 1;
  });
  const pieces: number[] = [];
  for (let v = 0; v < vocabulary; v++) {
    const end = ends[v + 1] ?? 0;
    for (let begin = starts[v] ?? 0; begin < end; begin += PIECE_ROWS) {
      pieces.push(v, begin, Math.min(begin + PIECE_ROWS, end));
    }
  }
  return { sortedRows, pieces: Uint32Array.from(pieces) };
}

/** Upper bound on the pieces that `embeddingPieces` returns for `rows` rows. */
export function mostPieces(rows: number, vocabulary: number): number {
  return Math.min(rows, vocabulary) + Math.ceil(rows / PIECE_ROWS);
}

/** dtable (·, width) += Σ over each token's rows of dx (rows, width). */
export function embeddingBackward(
  dispatcher: Dispatcher,
  tensors: {
    readonly sortedRows: Tensor;
    readonly pieces: Tensor;
    readonly dx: Tensor;
    /** Scratch (pieces, width). */
    readonly partial: Tensor;
    readonly dtable: Tensor;
  },
  { pieces, width }: { readonly pieces: number; readonly width: number },
): void {
  const name = 'embedding.backward';
  expectSize(name, 'pieces', pieces);
  expectSize(name, 'width', width, { least: 4, multiple: 4 });
  expectLength(name, 'pieces', tensors.pieces, [pieces, 3]);
  expectLength(name, 'partial', tensors.partial, [pieces, width]);
  const constants = { WIDTH: width };
  const workgroups = [groups((pieces * width) / 4, 64)] as const;
  dispatcher.dispatch(
    { kernel: 'embedding', code, entry: 'backward_pieces', constants },
    {
      sorted_rows: tensors.sortedRows,
      pieces: tensors.pieces,
      dx: tensors.dx,
      partial_sums: tensors.partial,
    },
    { count: pieces },
    workgroups,
  );
  dispatcher.dispatch(
    { kernel: 'embedding', code, entry: 'backward_table', constants },
    { pieces: tensors.pieces, partial: tensors.partial, dtable: tensors.dtable },
    { count: pieces },
    workgroups,
  );
}
