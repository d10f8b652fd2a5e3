/** A worker machine that takes segments from a queue. */
import type { Segment } from '../sweep/plan.ts';
import { Child, type Program, UselessChildError, whatOf } from './child-process.node.ts';
import { QueueWorker, type SharedQueueOptions } from './shared-queue.node.ts';
import type { SweepFolder } from './sweep-folder.node.ts';
import { pause } from './waiting.node.ts';
import { isStorageError } from './whole-files.node.ts';

interface RemoteWorkerOptions extends Omit<SharedQueueOptions, 'id'> {
  readonly folder: SweepFolder;
  readonly program: Program;
  readonly workers: number;
  /** Stops the worker; its running runs are saved. */
  readonly stopped: AbortSignal;
}

/** Milliseconds between checks for the end of the sweep. */
const LOOK = 1000;
/** Milliseconds before a run is given back after a storage error or the death of its process. */
const PAUSE = 1000;

/**
 * Works until the sweep has finished or the worker is stopped.
 *
 * @throws {UselessChildError} if this machine cannot compute the sweep
 * @throws {QueueError}
 */
export async function workOnQueue(options: RemoteWorkerOptions): Promise<'done' | 'stopped'> {
  const { folder, program, workers, stopped, log } = options;
  const { id } = folder.kept();
  const crew = Array.from({ length: workers }, () => new Child(program, { log, onIteration() {} }));
  // A machine that cannot compute must not take jobs from others.
  await Promise.all(crew.map((child) => child.start()));
  const idle = [...crew];
  const useless = new AbortController();
  const play = async (segment: Segment, lost: AbortSignal) => {
    const child = idle.pop();
    if (child === undefined) throw new Error('more jobs than processes');
    const leave = () => child.kill();
    lost.addEventListener('abort', leave, { once: true });
    try {
      const end = await child.play(segment);
      const line = whatOf(segment.run, end);
      if (line !== null && !lost.aborted) log(line);
      // The coordinator sees in the folder that the segment is still due.
      if (end.kind === 'died' || end.kind === 'blocked') await pause(PAUSE);
    } catch (error) {
      if (!(error instanceof UselessChildError)) throw error;
      useless.abort(error);
      // Take no other job before the queue is closed.
      await pause(PAUSE);
    } finally {
      lost.removeEventListener('abort', leave);
      idle.push(child);
    }
  };
  const worker = await QueueWorker.open({ ...options, id, play });
  const halted = AbortSignal.any([stopped, useless.signal]);
  const isDone = doneIn(folder, log);
  try {
    while (!halted.aborted && !isDone()) await pause(LOOK, halted);
    useless.signal.throwIfAborted();
    return stopped.aborted ? 'stopped' : 'done';
  } finally {
    for (const child of crew) if (!idle.includes(child)) child.stop();
    await worker.close();
    for (const child of crew) child.close();
  }
}

/** Checks whether the sweep is done. Storage errors are logged, and the next check follows. */
export function doneIn(
  folder: Pick<SweepFolder, 'isDone'>,
  log: (line: string) => void,
): () => boolean {
  let reported = '';
  return () => {
    try {
      return folder.isDone();
    } catch (error) {
      if (!isStorageError(error)) throw error;
      if (error.message !== reported) log(`${error.message}; retrying`);
      reported = error.message;
      return false;
    }
  };
}
