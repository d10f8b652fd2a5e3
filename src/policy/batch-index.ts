import { KernelArgumentError } from '../device/index.ts';
import { embeddingPieces } from '../kernels/embedding.ts';
import { at } from './arrays.ts';
import type { PolicyCapacity, TrainingBatch } from './types.ts';

/**
 * A micro-batch in the kernels' layout: N tokens, L loss rows, R rows of logits. Loss rows of one
 * position share its logits.
 */
export interface BatchIndex {
  readonly n: number;
  readonly r: number;
  readonly lossRows: number;
  readonly tokens: Uint32Array;
  /** (N) position of each token in its sequence. */
  readonly positions: Uint32Array;
  /** (N, 2) first token that each token attends to, and number of such tokens. */
  readonly spans: Uint32Array;
  /** (N, 2) tokens that attend to each token: the first, and one past the last. */
  readonly keySpans: Uint32Array;
  /** (N, 2) the same for rows of logits. */
  readonly rowKeySpans: Uint32Array;
  /** (R) token of each row of logits, with its position and span. */
  readonly rows: Uint32Array;
  readonly rowPositions: Uint32Array;
  readonly rowSpans: Uint32Array;
  /** (R+1) first loss row of each row of logits. */
  readonly lossStarts: Uint32Array;
  /** (L) */
  readonly targets: Uint32Array;
  /** Spans and key spans of layers with a sliding window; null if there are none. */
  readonly windows: Pick<BatchIndex, 'spans' | 'rowSpans' | 'keySpans' | 'rowKeySpans'> | null;
  /** Inputs of the embedding's gradient kernel. */
  readonly sortedRows: Uint32Array;
  readonly pieces: Uint32Array;
}

/**
 * @param where the policy's method, for errors
 * @throws KernelArgumentError for a batch that exceeds the capacity or is inconsistent.
 */
export function batchIndex(
  where: string,
  batch: TrainingBatch,
  capacity: PolicyCapacity,
  vocabulary: number,
  window: number | undefined = undefined,
): BatchIndex {
  const { tokens, sequenceStarts, rows, targets } = batch;
  const n = tokens.length;
  const lossRows = rows.length;
  const fail = (what: string): never => {
    throw new KernelArgumentError(where, what);
  };
  if (n > capacity.tokens) fail(`${n} tokens, capacity for ${capacity.tokens}`);
  if (lossRows > capacity.lossRows)
    fail(`${lossRows} loss rows, capacity for ${capacity.lossRows}`);
  if (at(sequenceStarts, sequenceStarts.length - 1) !== n) {
    fail(`sequenceStarts must end with ${n}, the number of tokens`);
  }
  if (targets.length !== lossRows) {
    fail(`targets has ${targets.length} rows, rows has ${lossRows}`);
  }
  checkTokens(where, tokens, vocabulary);
  checkTokens(where, targets, vocabulary);

  const logitRows: number[] = [];
  const lossStarts: number[] = [];
  for (let i = 0; i < lossRows; i++) {
    const row = at(rows, i);
    const previous = logitRows.at(-1);
    if (row >= n) fail(`rows[${i}] is ${row}, the batch has ${n} tokens`);
    if (previous !== undefined && row < previous) fail('rows must not descend');
    if (row !== previous) {
      logitRows.push(row);
      lossStarts.push(i);
    }
  }
  lossStarts.push(lossRows);
  const r = logitRows.length;
  if (r > capacity.rows) fail(`${r} rows of logits, capacity for ${capacity.rows}`);

  const positions = new Uint32Array(n);
  const spans = new Uint32Array(2 * n);
  const keySpans = new Uint32Array(2 * n);
  const rowKeySpans = new Uint32Array(2 * n);
  let firstRow = 0;
  for (let s = 0; s + 1 < sequenceStarts.length; s++) {
    const begin = at(sequenceStarts, s);
    const end = at(sequenceStarts, s + 1);
    if (end < begin) fail('sequenceStarts must not descend');
    while (firstRow < r && (logitRows[firstRow] ?? 0) < begin) firstRow++;
    let endRow = firstRow;
    while (endRow < r && (logitRows[endRow] ?? 0) < end) endRow++;
    let from = firstRow;
    for (let t = begin; t < end; t++) {
      positions[t] = t - begin;
      spans[2 * t] = begin;
      spans[2 * t + 1] = t - begin + 1;
      keySpans[2 * t] = t;
      keySpans[2 * t + 1] = end;
      while (from < endRow && (logitRows[from] ?? 0) < t) from++;
      rowKeySpans[2 * t] = from;
      rowKeySpans[2 * t + 1] = endRow;
    }
  }
  const rowPositions = Uint32Array.from(logitRows, (row) => at(positions, row));
  const rowSpans = new Uint32Array(2 * r);
  logitRows.forEach((row, i) => {
    rowSpans[2 * i] = at(spans, 2 * row);
    rowSpans[2 * i + 1] = at(spans, 2 * row + 1);
  });
  const all = { spans, rowSpans, keySpans, rowKeySpans };
  return {
    windows: window === undefined ? null : windowed(all, logitRows, window),
    n,
    r,
    lossRows,
    tokens,
    positions,
    spans,
    keySpans,
    rowKeySpans,
    rows: Uint32Array.from(logitRows),
    rowPositions,
    rowSpans,
    lossStarts: Uint32Array.from(lossStarts),
    targets,
    ...embeddingPieces(tokens, vocabulary),
  };
}

/** Spans (·, 2) limited to their last `window` keys. */
export function windowedSpans(spans: Uint32Array, window: number): Uint32Array {
  return spans.map((value, i) => {
    const count = at(spans, i | 1);
    const hidden = Math.max(0, count - window);
    return i % 2 === 0 ? value + hidden : count - hidden;
  });
}

/** The spans if each token attends to the last `window` tokens, itself included. */
function windowed(
  { spans, rowSpans, keySpans, rowKeySpans }: NonNullable<BatchIndex['windows']>,
  logitRows: readonly number[],
  window: number,
): BatchIndex['windows'] {
  const keys = keySpans.map((value, i) =>
    i % 2 === 0 ? value : Math.min(value, at(keySpans, i - 1) + window),
  );
  const rowKeys = rowKeySpans.slice();
  for (let t = 0; 2 * t < rowKeys.length; t++) {
    let end = at(rowKeySpans, 2 * t);
    while (end < at(rowKeySpans, 2 * t + 1) && (logitRows[end] ?? 0) < t + window) end++;
    rowKeys[2 * t + 1] = end;
  }
  return {
    spans: windowedSpans(spans, window),
    rowSpans: windowedSpans(rowSpans, window),
    keySpans: keys,
    rowKeySpans: rowKeys,
  };
}

/** @throws KernelArgumentError for a token outside the vocabulary. */
export function checkTokens(where: string, tokens: Uint32Array, vocabulary: number): void {
  for (let i = 0; i < tokens.length; i++) {
    const token = at(tokens, i);
    if (token < vocabulary) continue;
    throw new KernelArgumentError(
      where,
      `token ${token} is outside the vocabulary of ${vocabulary}`,
    );
  }
}
