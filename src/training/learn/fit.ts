import type { Objective } from '../../policy/types.ts';
import type { RandomStream } from '../random.ts';
import type { PackedEpisodes } from './batch.ts';
import type { DoneUpdate, QueuedUpdate, QueueOptions, Updater } from './updates.ts';

/** An update of a fit, before it is made. */
export interface FitUpdate<Item> {
  /** From 0. */
  readonly epoch: number;
  /** Counts from 1 over all epochs, of `of`. */
  readonly index: number;
  readonly of: number;
  readonly batch: readonly Item[];
}

/** What an update is made of. */
export interface PreparedFit extends QueueOptions {
  readonly packed: PackedEpisodes;
  readonly objective: Objective;
  readonly learningRate: number;
}

/** Ends a fit before its last epoch. */
export interface EarlyStop {
  /** Updates from one question to the next. */
  readonly every: number;
  /** Whether the updates that are left are left out. */
  enough(): Promise<boolean>;
}

export interface FitRequest<Item, Prepared extends PreparedFit> {
  readonly items: readonly Item[];
  readonly epochs: number;
  /** Shuffles the items, anew in every epoch. */
  readonly stream: RandomStream;
  /** Cuts an epoch's items into the batches of its updates. */
  readonly cut: (shuffled: readonly Item[]) => readonly (readonly Item[])[];
  /** Makes an update of a batch; called when the updates before it have been asked for. */
  readonly prepare: (update: FitUpdate<Item>) => Prepared;
  readonly updater: Updater;
  /** What the updates belong to, in words, for an error. */
  readonly where: string;
  /** Told the share that is done, from 0 to 1. */
  readonly onProgress: (fraction: number) => void;
  /**
   * When updates are waited for. `update`: each by itself. `epoch`: at the end of each, so that no
   * more than one is in memory. `end`: of all epochs, which leaves the device no gap.
   */
  readonly wait: 'update' | 'epoch' | 'end';
  readonly stop?: EarlyStop;
  /** Asks for an update in place of `queue` alone, to look at it before and after. */
  readonly around?: (
    update: FitUpdate<Item> & Prepared,
    queue: () => QueuedUpdate,
  ) => QueuedUpdate | Promise<QueuedUpdate>;
}

/** An update as it was made. */
export type Fitted<Item, Prepared> = FitUpdate<Item> & Prepared & { readonly done: DoneUpdate };

/**
 * Passes over items in epochs of shuffled batches, an update each: the one way to do so, whatever the
 * items and the loss are.
 *
 * @yields every update, in order, as they are done
 * @throws {NonFiniteError} after too many skipped updates in a row.
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
  let waiting: { readonly update: FitUpdate<Item> & Prepared; readonly queued: QueuedUpdate }[] =
    [];
  const finish = async (): Promise<Fitted<Item, Prepared>[]> => {
    const asked = waiting;
    waiting = [];
    const done = await updater.finish(
      asked.map(({ queued }) => queued),
      where,
      (share) => onProgress((finished + share * asked.length) / batches.length),
    );
    finished += asked.length;
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
    const queue = () => updater.queue(packed, objective, learningRate, prepared);
    waiting.push({ update, queued: around === undefined ? queue() : await around(update, queue) });
    await updater.breathe();
    const ends = wait === 'epoch' && batches[i + 1]?.epoch !== epoch;
    const asks = stop !== undefined && (i + 1) % stop.every === 0;
    if (ends || asks || wait === 'update') yield* await finish();
    // Whoever is told may be gone by now, and say so.
    else onProgress(finished / batches.length);
    if (asks && (await stop.enough())) break;
  }
  yield* await finish();
}

/** What passing over some episodes came to. */
export interface FittedLoss {
  /** Mean loss of the last epoch that was made; NaN where it made no update. */
  readonly loss: number;
  readonly done: readonly DoneUpdate[];
}

/**
 * Passes over items as `fitEpochs` does, to the end.
 *
 * @param counts how much an update's loss counts in the mean
 * @throws {NonFiniteError} after too many skipped updates in a row.
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

/** Cuts into runs of so many; the last may be shorter. */
export function runsOf<Item>(size: number): (items: readonly Item[]) => readonly Item[][] {
  return (items) =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
      items.slice(i * size, (i + 1) * size),
    );
}

/** Cuts into so many runs whose lengths differ by at most one; none is empty. */
export function evenParts<Item>(parts: number): (items: readonly Item[]) => readonly Item[][] {
  return (items) =>
    Array.from({ length: parts }, (_, i) =>
      items.slice(
        Math.floor((i * items.length) / parts),
        Math.floor(((i + 1) * items.length) / parts),
      ),
    ).filter(({ length }) => length > 0);
}
