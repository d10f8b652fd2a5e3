import code from '../../shaders/objective.wgsl';
import type { Dispatcher, Tensor } from '../gpu/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';

/** Columns of the per-row statistics. */
export const statColumns = [
  'loss',
  'entropy',
  'approxKl',
  'ratio',
  'clippedLow',
  'clippedHigh',
  'logp',
  'reserved',
] as const;

export interface ObjectiveSizes {
  /** Rows of logits. */
  readonly rows: number;
  /** Loss rows: tokens that the agent wrote. */
  readonly lossRows: number;
  readonly vocabulary: number;
  /** Elements of a row of logits, at least `vocabulary`. */
  readonly stride: number;
}

/**
 * The clipped surrogate with entropy bonus: dlogits (rows, stride) overwritten, stats
 * (lossRows, 8) written, totals (8) += their sum. Loss rows of one logits row are consecutive,
 * starts (rows+1) says where they begin; scalars (lossRows, 3) = behaviour log-probability,
 * advantage, weight.
 */
export function ppoClip(
  dispatcher: Dispatcher,
  tensors: {
    readonly logits: Tensor;
    readonly starts: Tensor;
    readonly targets: Tensor;
    readonly scalars: Tensor;
    readonly dlogits: Tensor;
    readonly stats: Tensor;
    readonly totals: Tensor;
  },
  { rows, lossRows, vocabulary, stride }: ObjectiveSizes,
  objective: {
    readonly clipLow: number;
    readonly clipHigh: number;
    readonly entropyCoef: number;
    readonly temperature: number;
  },
): void {
  const name = 'objective.ppo_clip';
  expectSize(name, 'rows', rows);
  expectSize(name, 'lossRows', lossRows);
  expectSize(name, 'vocabulary', vocabulary, { least: 1 });
  expectSize(name, 'stride', stride, { least: vocabulary });
  expectLength(name, 'logits', tensors.logits, [rows, stride]);
  expectLength(name, 'dlogits', tensors.dlogits, [rows, stride]);
  expectLength(name, 'starts', tensors.starts, [rows + 1]);
  expectLength(name, 'targets', tensors.targets, [lossRows]);
  expectLength(name, 'scalars', tensors.scalars, [lossRows, 3]);
  expectLength(name, 'stats', tensors.stats, [lossRows, statColumns.length]);
  expectLength(name, 'totals', tensors.totals, [statColumns.length]);
  const { logits, starts, targets, scalars, dlogits, stats, totals } = tensors;
  const params = {
    vocabulary,
    stride,
    clip_low: objective.clipLow,
    clip_high: objective.clipHigh,
    entropy_coef: objective.entropyCoef,
    temperature: objective.temperature,
  };
  dispatcher.dispatch(
    { kernel: 'objective', code, entry: 'ppo_clip' },
    { logits, starts, targets, scalars, dlogits, stats },
    { ...params, rows },
    [groups(rows, 64)],
  );
  dispatcher.dispatch(
    { kernel: 'objective', code, entry: 'sum_stats' },
    { row_stats: stats, totals },
    { ...params, rows: lossRows },
    [1],
  );
}
