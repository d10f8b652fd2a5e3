import type { Objective } from '../../policy/types.ts';
import type { RandomStream } from '../random.ts';
import type { PackedEpisodes } from './batch.ts';
import type { DoneUpdate, QueuedUpdate, QueueOptions, Updater } from './updates.ts';

/**
 * Called with the phase's progress, 0 to 1, and, while it learns, the loss of its newest update. If
 * it throws, the iteration is abandoned.
 */
export type OnPhaseProgress = (fraction: number, loss?: number) => void;

/** An update of a fit before it is made. */
interface FitUpdate<Item> {
  /** From 0. */
  readonly epoch: number;
  /** Counts from 1 over all epochs, up to `of`. */
  readonly index: number;
  readonly of: number;
  readonly batch: readonly Item[];
}

/** The update's batch. */
export interface PreparedFit extends QueueOptions {
  readonly packed: PackedEpisodes;
  readonly objective: Objective;
  readonly learningRate: number;
}

/** Early stopping of a fit. */
export interface EarlyStop {
  /** Number of updates between checks. */
  readonly every: number;
  /** Whether to skip the remaining updates. */
  enough(): Promise<boolean>;
}

export interface FitRequest<Item, Prepared extends PreparedFit> {
  readonly items: readonly Item[];
  readonly epochs: number;
  /** Shuffles the items in every epoch. */
  readonly stream: RandomStream;
  /** Splits an epoch's items into the batches of its updates. */
  readonly cut: (shuffled: readonly Item[]) => readonly (readonly Item[])[];
  /** Makes an update of a batch; called after the previous updates are queued. */
  readonly prepare: (update: FitUpdate<Item>) => Prepared;
  readonly updater: Updater;
  /** Names the updates in error messages. */
  readonly where: string;
  readonly onProgress: OnPhaseProgress;
  /**
   * When to await updates. `update`: after each one. `epoch`: at the end of each epoch, so that at
   * most one epoch is in memory. `end`: after all epochs, which keeps the device busy.
   */
  readonly wait: 'update' | 'epoch' | 'end';
  readonly stop?: EarlyStop;
  /** Wraps `queue`, to observe an update before and after it. */
  readonly around?: (
    update: FitUpdate<Item> & Prepared,
    queue: () => QueuedUpdate,
  ) => QueuedUpdate | Promise<QueuedUpdate>;
}

/** A finished update. */
export type Fitted<Item, Prepared> = FitUpdate<Item> & Prepared & { readonly done: DoneUpdate };

/**
 * Iterates over items in epochs of shuffled batches with one update each; shared by all kinds of
 * items and losses.
 *
 * @yields every finished update, in order
 * @throws {NonFiniteError} after too many consecutive skipped updates
 */
export async function* fitEpochs<Item, Prepared extends PreparedFit>(
  request: FitRequest<Item, Prepared>,
): AsyncGenerator<Fitted<Item, Prepared>, void> {
  const { items, epochs, stream, cut, prepare, updater, where, onProgress, wait } = request;
  const { around, stop } = request;
  const batches = Array.from({ length: epochs }, (_, epoch) =>
    cut(stream.shuffled(items)).map((batch) => ({ epoch, batch })),
  ).flat();
  let finished = 0;
  let newest: number | undefined;
  const report = () => onProgress(finished / batches.length, newest);
  let waiting: { readonly update: FitUpdate<Item> & Prepared; readonly queued: QueuedUpdate }[] =
    [];
  const finish = async (): Promise<Fitted<Item, Prepared>[]> => {
    const asked = waiting;
    waiting = [];
    const done = await updater.finish(
      asked.map(({ queued }) => queued),
      where,
      report,
    );
    return asked.flatMap(({ update }, i) => {
      const own = done[i];
      return own === undefined ? [] : { ...update, done: own };
    });
  };
  for (const [i, { epoch, batch }] of batches.entries()) {
    const next: FitUpdate<Item> = { epoch, index: i + 1, of: batches.length, batch };
    const prepared = prepare(next);
    const { packed, objective, learningRate } = prepared;
    const update = { ...next, ...prepared };
    const queue = () => {
      const queued = updater.queue(packed, objective, learningRate, prepared);
      queued.stats.then(
        ({ loss, skipped }) => {
          finished++;
          if (!skipped) newest = loss;
        },
        // `finish` reports the error.
        () => {},
      );
      return queued;
    };
    waiting.push({ update, queued: around === undefined ? queue() : await around(update, queue) });
    await updater.breathe();
    const ends = wait === 'epoch' && batches[i + 1]?.epoch !== epoch;
    const asks = stop !== undefined && (i + 1) % stop.every === 0;
    if (ends || asks || wait === 'update') yield* await finish();
    // The callback may throw to cancel.
    else report();
    if (asks && (await stop.enough())) break;
  }
  yield* await finish();
}

/** Result of a fit. */
export interface FittedLoss {
  /** Mean loss of the last epoch with an update; NaN without one. */
  readonly loss: number;
  readonly done: readonly DoneUpdate[];
}

/**
 * Runs `fitEpochs` to its end.
 *
 * @param counts weight of an update's loss in the mean
 * @throws {NonFiniteError} after too many consecutive skipped updates
 */
export async function fittedLoss<Item, Prepared extends PreparedFit>(
  request: Omit<FitRequest<Item, Prepared>, 'wait'>,
  counts: (update: Fitted<Item, Prepared>) => number,
): Promise<FittedLoss> {
  const all: DoneUpdate[] = [];
  let [loss, counted, last] = [0, 0, 0];
  for await (const update of fitEpochs({ ...request, wait: 'epoch' })) {
    const { epoch, done } = update;
    all.push(done);
    if (epoch !== last) [loss, counted, last] = [0, 0, epoch];
    if (done.stats.skipped) continue;
    const count = counts(update);
    loss += done.stats.loss * count;
    counted += count;
  }
  return { loss: loss / counted, done: all };
}

/** Splits into runs of `size`; the last may be shorter. */
export function runsOf<Item>(size: number): (items: readonly Item[]) => readonly Item[][] {
  return (items) =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
      items.slice(i * size, (i + 1) * size),
    );
}

/** Splits into `count` runs whose lengths differ by at most one; none is empty. */
export function evenParts<Item>(parts: number): (items: readonly Item[]) => readonly Item[][] {
  return (items) =>
    Array.from({ length: parts }, (_, i) =>
      items.slice(
        Math.floor((i * items.length) / parts),
        Math.floor(((i + 1) * items.length) / parts),
      ),
    ).filter(({ length }) => length > 0);
}
