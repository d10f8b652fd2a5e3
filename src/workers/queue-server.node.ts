/** A server that holds BullMQ queues, independent of the database. */
import type { Segment } from '../sweep/plan.ts';

/** Thrown if a queue cannot be used; the message says what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

/** The part of BullMQ's queue that is used; its own type depends on the database. */
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

/** The part of BullMQ's worker that is used. */
export interface BullWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'active', listener: () => void): unknown;
  on(event: 'lockRenewalFailed', listener: (ids: string[]) => void): unknown;
  close(): Promise<void>;
}

/** A job that is being processed. */
interface QueuedJob {
  readonly id?: string | undefined;
  readonly data: Segment;
}

interface WorkerTerms {
  /** Jobs at once. */
  readonly concurrency: number;
  /** Milliseconds after which an unresponsive worker loses its job. */
  readonly lockDuration: number;
  readonly stalledInterval: number;
  readonly maxStalledCount: number;
}

export interface QueueServer {
  /** Its name in messages. */
  readonly title: string;
  /** Checks that it answers and does not evict jobs. @throws {QueueError} */
  check(): Promise<void>;
  openQueue(name: string): Promise<BullQueue>;
  openWorker(
    name: string,
    process: (job: QueuedJob) => Promise<void>,
    terms: WorkerTerms,
  ): Promise<BullWorker>;
}

/** Milliseconds within which a server must answer at startup. */
export const ANSWER = 5000;

/** An address for messages and commands, with a placeholder for its password. */
export function shownAddress(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = 'PASSWORD';
  // PostgreSQL accepts its password here, too.
  if (shown.searchParams.has('password')) shown.searchParams.set('password', 'PASSWORD');
  return shown.href;
}

/** The message for missing packages, which are optional because only queues need them. */
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
