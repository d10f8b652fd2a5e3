import { KernelArgumentError, type Recorder, type Tensor } from '../device/index.ts';
import { adamw } from '../kernels/adamw.ts';
import { optimizerColumns, statColumns } from '../kernels/tables.ts';

import { at } from './arrays.ts';
import { backward } from './backward.ts';
import { type BatchIndex, batchIndex } from './batch-index.ts';
import type { IndexArrays, Load } from './index-arena.ts';
import { lookAtWholeUpdate, pulls, scores, wholeUpdate } from './loss.ts';
import { BOUNDS, type Network, type ParameterTensors, SCORE_COLUMNS } from './network.ts';
import type { Objective, OptimizerStep, RowScores, TrainingBatch, UpdateStats } from './types.ts';
import { updateStats } from './update-stats.ts';
import { type UpdateTable, updateTable } from './update-table.ts';

/**
 * Queues an optimizer step; see `TokenPolicy.update`.
 *
 * @throws KernelArgumentError synchronously, for batches that do not fit; nothing is queued then.
 */
export function queueUpdate(
  net: Network,
  batches: readonly TrainingBatch[],
  objective: Objective,
  step: OptimizerStep,
  withScores: boolean,
): Promise<UpdateStats> {
  const { gradients, table } = prepareGradients('policy.update', net, batches, objective);
  // The gradient may be finite although an input is not, because clipped rows have no gradient.
  if (table.nonFinite === null) gradients.push({ record: (d) => recordAdamw(d, net, step) });
  const read = submitTasks('update', net, gradients, [
    { tensor: net.totals, length: statColumns.length },
    { tensor: net.work.bounds, length: BOUNDS },
    { tensor: net.optimizer, length: optimizerColumns.length },
    ...(withScores && table.rows > 0
      ? [{ tensor: net.work.scores, length: SCORE_COLUMNS * table.rows }]
      : []),
  ]);
  return read.then(([totals, bounds, state, scoreTable]) => {
    const stats = updateStats(table, objective, {
      totals: new Float32Array(totals ?? new ArrayBuffer(0)),
      bounds: new Float32Array(bounds ?? new ArrayBuffer(0)),
      state: new Float32Array(state ?? new ArrayBuffer(0)),
    });
    return withScores ? { ...stats, scores: scoresOf(batches, table.firsts, scoreTable) } : stats;
  });
}

/** Global norm of the gradient that `update` would compute. */
export async function gradientNorm(
  net: Network,
  batches: readonly TrainingBatch[],
  objective: Objective,
): Promise<number> {
  const { gradients } = prepareGradients('policy.gradientNorm', net, batches, objective);
  const [data] = await submitTasks('gradient norm', net, gradients, [
    { tensor: net.gradients.flat, length: net.layout.length },
  ]);
  let squares = 0;
  for (const g of new Float32Array(data ?? new ArrayBuffer(0))) squares += g * g;
  return Math.sqrt(squares);
}

/** Scores of every loss row; see `TokenPolicy.score`. */
export async function scoreBatches(
  net: Network,
  batches: readonly TrainingBatch[],
  temperature: number,
  parameters: ParameterTensors,
): Promise<RowScores[]> {
  const most = net.work.scores.length / SCORE_COLUMNS;
  const submissions: { tasks: Task[]; batches: TrainingBatch[]; firsts: number[]; rows: number }[] =
    [];
  batchIndices('policy.score', net, batches, temperature).forEach((index, b) => {
    let submission = submissions.at(-1);
    if (!submission || submission.rows + index.lossRows > most) {
      submission = { tasks: [], batches: [], firsts: [], rows: 0 };
      submissions.push(submission);
    }
    const first = submission.rows;
    submission.tasks.push({
      index,
      record: (d) => scores(d, net, index, first, { temperature }, parameters),
    });
    submission.batches.push(...batches.slice(b, b + 1));
    submission.firsts.push(first);
    submission.rows += index.lossRows;
  });
  const results = await Promise.all(
    submissions.map(async ({ tasks, batches, firsts, rows }) => {
      const [data] = await submitTasks('score', net, tasks, [
        { tensor: net.work.scores, length: SCORE_COLUMNS * rows },
      ]);
      return scoresOf(batches, firsts, data);
    }),
  );
  return results.flat();
}

/** Splits the table of scores by micro-batch. */
function scoresOf(
  batches: readonly TrainingBatch[],
  firsts: readonly number[],
  data: ArrayBuffer | undefined,
): RowScores[] {
  const table = new Float32Array(data ?? new ArrayBuffer(0));
  return batches.map(({ rows }, b) => {
    const first = SCORE_COLUMNS * (firsts[b] ?? 0);
    return rowScores(table.subarray(first, first + SCORE_COLUMNS * rows.length));
  });
}

/** @param table (R, SCORE_COLUMNS) */
function rowScores(table: Float32Array): RowScores {
  const rows = table.length / SCORE_COLUMNS;
  const column = (c: number) => {
    const values = new Float32Array(rows);
    for (let i = 0; i < rows; i++) values[i] = at(table, SCORE_COLUMNS * i + c);
    return values;
  };
  return { logps: column(0), entropies: column(1), values: column(2) };
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

/** @throws KernelArgumentError for batches that exceed the capacity or are inconsistent. */
export function batchIndices(
  where: string,
  net: Network,
  batches: readonly TrainingBatch[],
  temperature: number,
): BatchIndex[] {
  if (!(temperature > 0)) {
    throw new KernelArgumentError(where, `temperature must be positive, got ${temperature}`);
  }
  return batches.map((batch) =>
    batchIndex(where, batch, net.capacity, net.shape.vocabulary, net.block.sliding?.tokens),
  );
}

/** A part of a submission, and the micro-batch whose indices it needs. */
interface Task {
  readonly index?: BatchIndex;
  record(d: Recorder): void;
}

/** Tasks that compute the gradients of an update, starting from zero. */
function prepareGradients(
  where: string,
  net: Network,
  batches: readonly TrainingBatch[],
  objective: Objective,
): { gradients: Task[]; table: UpdateTable } {
  const { device, work } = net;
  const { updateRows } = net.capacity;
  const { valueHead } = net.shape;
  const table = updateTable(where, batches, objective, { updateRows, valueHead });
  const placed = batchIndices(where, net, batches, objective.temperature)
    .map((index, b) => ({ index, first: table.firsts[b] ?? 0 }))
    .filter(({ index }) => index.r > 0);
  device.upload(work.inputs, table.inputs);
  // Initial bounds, which remain if there are no rows to search over.
  const { lowMin, highMin } = objective.bapo;
  device.upload(work.bounds, Float32Array.of(lowMin, highMin, 0, 0));
  if (table.episodes) {
    device.upload(work.episodeStarts, table.episodes.starts);
    device.upload(work.episodeRows, table.episodes.rows);
  }
  const clear: Task = {
    record: (d) => {
      d.clear(net.gradients.flat);
      d.clear(net.totals);
    },
  };
  const gradients = [clear];
  const whole = lookAtWholeUpdate.has(objective.surrogate);
  // The micro-batch scored last is the first to be differentiated, because its activations are still
  // available. A single micro-batch is therefore computed only once.
  const last = placed.at(-1);
  if (whole && last) {
    const others = placed.slice(0, -1);
    for (const { index, first } of others) {
      gradients.push({ index, record: (d) => scores(d, net, index, first, objective) });
    }
    placed.splice(0, placed.length, last, ...others);
  }
  placed.forEach(({ index, first }, i) => {
    gradients.push({
      index,
      record: (d) => {
        scores(d, net, index, first, objective);
        if (whole && i === 0) wholeUpdate(d, net, table, objective);
        pulls(d, net, index, first, objective);
        backward(d, net, index, index.pieces.length / 3, objective);
      },
    });
  });
  return { gradients, table };
}

/**
 * Submits tasks in order, together if the index arena has room for all of their indices.
 */
export function submitTasks(
  label: string,
  net: Network,
  tasks: readonly Task[],
  read: readonly { readonly tensor: Tensor; readonly length: number }[],
): Promise<ArrayBuffer[]> {
  const { device, indices } = net;
  let loads = new Map<BatchIndex | undefined, Load>();
  let together: { readonly task: Task; readonly load: Load | undefined }[] = [];
  const submit = (reads: typeof read) => {
    const recorded = together;
    indices.upload();
    const result = device.submit(
      label,
      (d) => {
        for (const { task, load } of recorded) {
          load?.(d);
          task.record(d);
        }
      },
      reads,
    );
    indices.restart();
    loads = new Map();
    together = [];
    return result;
  };
  indices.restart();
  for (const task of tasks) {
    const { index } = task;
    let load = loads.get(index);
    if (index && !load) {
      const arrays = indexArrays(net, index);
      // A device failure is reported by the last submission.
      if (!indices.hasRoom(arrays)) void submit([]).catch(() => {});
      load = indices.place(arrays);
      loads.set(index, load);
    }
    together.push({ task, load });
  }
  return submit(read);
}

function windowArrays(
  { windowSpans, windowRowSpans }: Network['pass'],
  { windowKeySpans, windowRowKeySpans }: Network['work'],
  { windows }: BatchIndex,
): IndexArrays {
  if (!windows || !windowSpans || !windowRowSpans || !windowKeySpans || !windowRowKeySpans) {
    return [];
  }
  return [
    [windowSpans, windows.spans],
    [windowRowSpans, windows.rowSpans],
    [windowKeySpans, windows.keySpans],
    [windowRowKeySpans, windows.rowKeySpans],
  ];
}

function indexArrays({ pass, work }: Network, index: BatchIndex): IndexArrays {
  return [
    [pass.tokens, index.tokens],
    [pass.positions, index.positions],
    [pass.spans, index.spans],
    [pass.rows, index.rows],
    [pass.rowPositions, index.rowPositions],
    [pass.rowSpans, index.rowSpans],
    [work.keySpans, index.keySpans],
    [work.rowKeySpans, index.rowKeySpans],
    [work.sortedRows, index.sortedRows],
    [work.pieces, index.pieces],
    [work.lossStarts, index.lossStarts],
    [work.lossTargets, index.targets],
    ...windowArrays(pass, work, index),
  ];
}
