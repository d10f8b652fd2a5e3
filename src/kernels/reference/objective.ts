import type { LossRows, SurrogateRow } from '../../algorithms/objective.ts';
import { softmaxScores } from '../../algorithms/objective-reference.ts';
import { statisticsOfRow } from '../../algorithms/row-statistics.ts';
import { inputColumns, scoreColumns, statColumns } from '../tables.ts';
import { add, at, type Values } from './values.ts';

/** Table of the rows' inputs, in the layout that kernels read. */
export function inputTable(rows: Omit<LossRows, 'logps' | 'entropies' | 'values'>): Float32Array {
  const U = rows.advantages.length;
  const columns: Readonly<Record<(typeof inputColumns)[number], Values>> = {
    behaviorLogp: rows.behaviorLogps,
    proximalLogp: rows.proximalLogps,
    referenceLogp: rows.referenceLogps,
    advantage: rows.advantages,
    weight: rows.weights,
    oldValue: rows.oldValues,
    return: rows.returns,
    unused: new Float64Array(U),
  };
  return table(U, inputColumns, columns);
}

/** A table with one row per loss row and the given columns. */
function table<Column extends string>(
  rows: number,
  names: readonly Column[],
  columns: Readonly<Record<Column, Values>>,
): Float32Array {
  return Float32Array.from({ length: rows * names.length }, (_, i) => {
    const name = names[i % names.length];
    return name === undefined ? 0 : at(columns[name], Math.floor(i / names.length));
  });
}

/** Table of the rows' scores. */
export function scoreTable({
  logps,
  entropies,
  values,
}: Pick<LossRows, 'logps' | 'entropies' | 'values'>): Float32Array {
  return table(logps.length, scoreColumns, {
    logp: logps,
    entropy: entropies,
    value: values,
    unused: new Float64Array(logps.length),
  });
}

/** Concatenated row lists of all episodes, and the start of each list. */
export function episodeLists(
  episodes: Values,
  count: number,
): { episodeStarts: Uint32Array; episodeRows: Uint32Array } {
  const lists = Array.from({ length: count }, (): number[] => []);
  for (let i = 0; i < episodes.length; i++) lists[at(episodes, i)]?.push(i);
  const episodeStarts = new Uint32Array(count + 1);
  lists.forEach((list, e) => {
    episodeStarts[e + 1] = at(episodeStarts, e) + list.length;
  });
  return { episodeStarts, episodeRows: Uint32Array.from(lists.flat()) };
}

/** A finite row's statistics in the order of `statColumns`. */
export function statRow(row: SurrogateRow, rows: LossRows, i: number): number[] {
  const stats = statisticsOfRow(row, rows, i);
  return statColumns.map((name) => stats[name]);
}

export interface LogitInput {
  /** (rows, stride) */
  readonly logits: Values;
  /** (rows+1): start of the loss rows of each row of logits. */
  readonly starts: Values;
  /** (lossRows) */
  readonly targets: Values;
}

export interface LogitShape {
  readonly rows: number;
  readonly vocabulary: number;
  /** Row stride of the logits; columns from `vocabulary` on are ignored. */
  readonly stride: number;
  readonly temperature: number;
}

/** softmax (rows, 2) = log Σ exp(z/T − max z/T), entropy; logps and entropies (lossRows). */
export function tokenScoresReference(
  { logits, starts, targets }: LogitInput,
  shape: LogitShape,
): { softmax: Float64Array; logps: Float64Array; entropies: Float64Array } {
  const softmax = new Float64Array(2 * shape.rows);
  const logps = new Float64Array(targets.length);
  const entropies = new Float64Array(targets.length);
  for (let l = 0; l < shape.rows; l++) {
    const scores = softmaxScores(rowOf(logits, l, shape), shape.temperature);
    softmax[2 * l] = -Math.max(...scores.logps);
    softmax[2 * l + 1] = scores.entropy;
    for (let i = at(starts, l); i < at(starts, l + 1); i++) {
      logps[i] = at(scores.logps, at(targets, i));
      entropies[i] = scores.entropy;
    }
  }
  return { softmax, logps, entropies };
}

/**
 * dlogits (rows, stride) and dvalues (rows, 4) from pulls (lossRows, 4) = ∂loss/∂log π,
 * −∂loss/∂H, ∂loss/∂value, 0:
 *
 *     ∂logπ(a)/∂z_v = (1[v=a] − π_v)/T        ∂H/∂z_v = −π_v·(log π_v + H)/T
 */
export function logitGradientReference(
  { logits, starts, targets, pulls }: LogitInput & { readonly pulls: Values },
  shape: LogitShape,
): { dlogits: Float64Array; dvalues: Float64Array } {
  const dlogits = new Float64Array(shape.rows * shape.stride);
  const dvalues = new Float64Array(4 * shape.rows);
  for (let l = 0; l < shape.rows; l++) {
    const { logps, entropy } = softmaxScores(rowOf(logits, l, shape), shape.temperature);
    for (let i = at(starts, l); i < at(starts, l + 1); i++) {
      const pull = at(pulls, 4 * i);
      const entropyWeight = at(pulls, 4 * i + 1);
      logps.forEach((logp, v) => {
        const p = Math.exp(logp);
        const own = v === at(targets, i) ? 1 : 0;
        const d = pull * (own - p) + entropyWeight * p * (logp + entropy);
        add(dlogits, l * shape.stride + v, d / shape.temperature);
      });
      add(dvalues, 4 * l, at(pulls, 4 * i + 2));
    }
  }
  return { dlogits, dvalues };
}

function rowOf(logits: Values, l: number, { vocabulary, stride }: LogitShape): Float64Array {
  return Float64Array.from({ length: vocabulary }, (_, v) => at(logits, l * stride + v));
}
