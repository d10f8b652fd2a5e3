/** A worker machine that takes segments from a queue. */
import { runCount, type Segment } from '../sweep/plan.ts';
import { Child, type Program, whatOf } from './child-process.node.ts';
import { QueueWorker, type SharedQueueOptions } from './shared-queue.node.ts';
import type { SweepFolder } from './sweep-folder.node.ts';

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
    } finally {
      lost.removeEventListener('abort', leave);
      idle.push(child);
    }
  };
  const worker = await QueueWorker.open({ ...options, id, play });
  try {
    while (!stopped.aborted && !isDone(folder)) await pause(LOOK, stopped);
    return stopped.aborted ? 'stopped' : 'done';
  } finally {
    for (const child of crew) if (!idle.includes(child)) child.stop();
    await worker.close();
    for (const child of crew) child.close();
  }
}

/** Whether every run of the sweep has a record. */
function isDone(folder: SweepFolder): boolean {
  return folder.countRecords() >= runCount(folder.kept().sweep);
}

function pause(milliseconds: number, stopped?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      stopped?.removeEventListener('abort', done);
      resolve();
    }
    stopped?.addEventListener('abort', done, { once: true });
  });
}
