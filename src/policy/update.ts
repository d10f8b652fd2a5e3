import { KernelArgumentError, type Recorder } from '../gpu/index.ts';
import { ADAMW_STATE, adamw } from '../kernels/adamw.ts';
import { statColumns } from '../kernels/objective.ts';
import { at } from './arrays.ts';
import { backward } from './backward.ts';
import { type BatchIndex, batchIndex } from './batch-index.ts';
import { lookAtWholeUpdate, pulls, scores, wholeUpdate } from './loss.ts';
import { BOUNDS, type Network, SCORE_COLUMNS } from './network.ts';
import type { Objective, OptimizerStep, RowScores, TrainingBatch, UpdateStats } from './types.ts';
import { updateStats } from './update-stats.ts';
import { updateTable } from './update-table.ts';

/**
 * Queues an optimiser step; see `TokenPolicy.update`.
 *
 * @throws KernelArgumentError at once, for batches that do not fit; then nothing is queued.
 */
export function queueUpdate(
  net: Network,
  batches: readonly TrainingBatch[],
  objective: Objective,
  step: OptimizerStep,
  withScores: boolean,
): Promise<UpdateStats> {
  const { start, table } = queueGradients('policy.update', net, batches, objective);
  const read = net.gpu.submit(
    'optimiser step',
    (d) => {
      start(d);
      // A clipped row has no gradient, whatever its advantage: what is not finite need not show.
      if (table.nonFinite === null) recordAdamw(d, net, step);
    },
    [
      { tensor: net.totals, length: statColumns.length },
      { tensor: net.work.bounds, length: BOUNDS },
      { tensor: net.optimizer, length: ADAMW_STATE },
      ...(withScores && table.rows > 0
        ? [{ tensor: net.work.scores, length: SCORE_COLUMNS * table.rows }]
        : []),
    ],
  );
  return read.then(([totals, bounds, state, scoreTable]) => {
    const stats = updateStats(table, objective, {
      totals: new Float32Array(totals ?? new ArrayBuffer(0)),
      bounds: new Float32Array(bounds ?? new ArrayBuffer(0)),
      state: new Float32Array(state ?? new ArrayBuffer(0)),
    });
    if (!withScores) return stats;
    const all = new Float32Array(scoreTable ?? new ArrayBuffer(0));
    const ofBatches = batches.map(({ rows }, b) => {
      const first = SCORE_COLUMNS * (table.firsts[b] ?? 0);
      return rowScores(all.subarray(first, first + SCORE_COLUMNS * rows.length));
    });
    return { ...stats, scores: ofBatches };
  });
}

/** @param table (R, SCORE_COLUMNS) */
export function rowScores(table: Float32Array): RowScores {
  const rows = table.length / SCORE_COLUMNS;
  const column = (c: number) =>
    Float32Array.from({ length: rows }, (_, i) => at(table, SCORE_COLUMNS * i + c));
  return { logps: column(0), entropies: column(1), values: column(2) };
}

/** Global norm of the gradient that `update` would take. */
export async function gradientNorm(
  net: Network,
  batches: readonly TrainingBatch[],
  objective: Objective,
): Promise<number> {
  const { start } = queueGradients('policy.gradientNorm', net, batches, objective);
  const [data] = await net.gpu.submit('gradient norm', start, [
    { tensor: net.gradients.flat, length: net.layout.length },
  ]);
  let squares = 0;
  for (const g of new Float32Array(data ?? new ArrayBuffer(0))) squares += g * g;
  return Math.sqrt(squares);
}

export function recordAdamw(d: Recorder, net: Network, step: OptimizerStep): void {
  adamw(
    d,
    {
      parameters: net.parameters.flat,
      grads: net.gradients.flat,
      m: net.firstMoments,
      v: net.secondMoments,
      state: net.optimizer,
      scratch: net.scratch,
    },
    net.layout,
    step,
  );
}

/** @throws KernelArgumentError for batches that do not fit the capacity or themselves. */
export function batchIndices(
  where: string,
  net: Network,
  batches: readonly TrainingBatch[],
  temperature: number,
): BatchIndex[] {
  if (!(temperature > 0)) {
    throw new KernelArgumentError(where, `temperature must be positive, got ${temperature}`);
  }
  return batches.map((batch) => batchIndex(where, batch, net.capacity, net.shape.vocabulary));
}

/**
 * Queues the gradients of an update, a submission each micro-batch. `start` clears what gradients
 * are added to, in whichever submission calls it first.
 */
function queueGradients(
  where: string,
  net: Network,
  batches: readonly TrainingBatch[],
  objective: Objective,
) {
  const { gpu, work } = net;
  const { updateRows } = net.capacity;
  const { valueHead } = net.shape;
  const table = updateTable(where, batches, objective, { updateRows, valueHead });
  const placed = batchIndices(where, net, batches, objective.temperature)
    .map((index, b) => ({ index, first: table.firsts[b] ?? 0 }))
    .filter(({ index }) => index.r > 0);
  gpu.upload(work.inputs, table.inputs);
  // Where the search starts, should there be no rows to search over.
  const { lowMin, highMin } = objective.bapo;
  gpu.upload(work.bounds, Float32Array.of(lowMin, highMin, 0, 0));
  if (table.episodes) {
    gpu.upload(work.episodeStarts, table.episodes.starts);
    gpu.upload(work.episodeRows, table.episodes.rows);
  }
  const whole = lookAtWholeUpdate.has(objective.surrogate);
  // The last micro-batch to be scored is the first to pull: its activations are still there, so a
  // single micro-batch is computed once.
  const last = placed.at(-1);
  if (whole && last) {
    const others = placed.slice(0, -1);
    for (const { index, first } of others) {
      queueBatch('scores', net, index, (d) => scores(d, net, index, first, objective));
    }
    placed.splice(0, placed.length, last, ...others);
  }
  let started = false;
  const start = (d: Recorder) => {
    if (started) return;
    started = true;
    d.clear(net.gradients.flat);
    d.clear(net.totals);
  };
  placed.forEach(({ index, first }, i) => {
    queueBatch('gradients', net, index, (d) => {
      start(d);
      scores(d, net, index, first, objective);
      if (whole && i === 0) wholeUpdate(d, net, table, objective);
      pulls(d, net, index, first, objective);
      backward(d, net, index, index.pieces.length / 3);
    });
  });
  return { start, table };
}

function queueBatch(
  label: string,
  net: Network,
  index: BatchIndex,
  record: (d: Recorder) => void,
): void {
  uploadIndex(net, index);
  // A failure is the device's, and the next submission reports it.
  void net.gpu.submit(label, record).catch(() => {});
}

export function uploadIndex({ gpu, pass, work }: Network, index: BatchIndex): void {
  gpu.upload(pass.tokens, index.tokens);
  gpu.upload(pass.positions, index.positions);
  gpu.upload(pass.spans, index.spans);
  gpu.upload(pass.rows, index.rows);
  gpu.upload(pass.rowPositions, index.rowPositions);
  gpu.upload(pass.rowSpans, index.rowSpans);
  gpu.upload(work.keySpans, index.keySpans);
  gpu.upload(work.rowKeySpans, index.rowKeySpans);
  gpu.upload(work.sortedRows, index.sortedRows);
  gpu.upload(work.pieces, index.pieces);
  gpu.upload(work.lossStarts, index.lossStarts);
  gpu.upload(work.lossTargets, index.targets);
}
