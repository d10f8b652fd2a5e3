/** A server that holds queues, by BullMQ, whichever of its databases that is. */
import type { Segment } from '../sweep/plan.ts';

/** Thrown where a queue cannot be used; the message says what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

/** What is used of BullMQ's queue; its own type names the database. */
export interface BullQueue {
  addBulk(
    jobs: {
      readonly name: string;
      readonly data: Segment;
      readonly opts: {
        readonly jobId: string;
        readonly removeOnComplete: boolean;
        readonly removeOnFail: boolean;
      };
    }[],
  ): Promise<unknown>;
  getActiveCount(): Promise<number>;
  obliterate(how: { readonly force: boolean }): Promise<void>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of BullMQ's worker. */
export interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'active', listener: () => void): unknown;
  on(event: 'lockRenewalFailed', listener: (ids: string[]) => void): unknown;
  close(): Promise<void>;
}

/** A job as it is processed. */
interface QueuedJob {
  readonly id?: string | undefined;
  readonly data: Segment;
}

interface WorkerTerms {
  /** Jobs at once. */
  readonly concurrency: number;
  /** Milliseconds after which a worker that says nothing has lost its job. */
  readonly lockDuration: number;
  readonly stalledInterval: number;
  readonly maxStalledCount: number;
}

export interface QueueServer {
  /** What it is called in a sentence. */
  readonly title: string;
  /** Whether it answers and keeps what it is given. @throws {QueueError} */
  check(): Promise<void>;
  openQueue(name: string): Promise<BullQueue>;
  openWorker(
    name: string,
    process: (job: QueuedJob) => Promise<void>,
    terms: WorkerTerms,
  ): Promise<BullWorker>;
}

/** Milliseconds that a server has to answer at the start. */
export const ANSWER = 5000;

/** An address as it may be shown: without its password. */
export function shownAddress(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** What is said where packages are not there, which only who uses a queue needs. */
export const missing = (...names: readonly string[]) =>
  `--queue needs two packages: npm install ${names.join(' ')}`;

/** @throws {QueueError} naming what to install */
export async function packages<Found>(
  load: () => Promise<Found>,
  ...names: readonly string[]
): Promise<Found> {
  try {
    return await load();
  } catch {
    throw new QueueError(missing(...names));
  }
}
