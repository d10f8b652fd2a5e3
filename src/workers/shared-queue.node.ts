/**
 * A queue on a server, through BullMQ. It only assigns segments to workers; the state of the sweep
 * is in its folder, so the queue may be lost at any time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Segment } from '../sweep/plan.ts';
import { postgresServer } from './postgres.node.ts';
import type { Queue } from './queue.ts';
import type { BullQueue, BullWorker, QueueServer } from './queue-server.node.ts';
import { redisServer } from './redis.node.ts';

export interface SharedQueueOptions {
  /** Address of the server; see `isQueueAddress`. */
  readonly url: string;
  /** Id of the sweep. */
  readonly id: string;
  /** Seconds after which an unresponsive worker loses its job. */
  readonly lock: number;
  readonly log: (line: string) => void;
}

/** The servers that can hold a queue, by the protocol of their addresses. */
const servers: ReadonlyMap<string, (url: string) => QueueServer> = new Map([
  ['redis:', redisServer],
  ['rediss:', redisServer],
  ['postgres:', postgresServer],
  ['postgresql:', postgresServer],
]);

/** Whether a text is the address of a server that can hold a queue. */
export function isQueueAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && servers.has(url.protocol) && url.host !== '';
}

function serverOf(url: string): QueueServer {
  const open = servers.get(new URL(url).protocol);
  if (open === undefined) throw new TypeError(`${url} is not the address of a queue server`);
  return open(url);
}

const queueName = (id: string) => `palestra-sweep-${id}`;

/** The coordinator's side: adds the segments that are due according to the folder. */
export class SharedQueue implements Queue {
  readonly #queue: BullQueue;
  readonly #title: string;
  readonly #options: SharedQueueOptions;
  readonly #offered = new Map<string, number>();
  #active: number | null = null;
  #silent = false;

  private constructor(queue: BullQueue, title: string, options: SharedQueueOptions) {
    this.#queue = queue;
    this.#title = title;
    this.#options = options;
  }

  /** @throws {QueueError} */
  static async open(options: SharedQueueOptions): Promise<SharedQueue> {
    const server = serverOf(options.url);
    await server.check();
    const queue = await server.openQueue(queueName(options.id));
    // Connection errors are reported by the calls that fail.
    queue.on('error', () => {});
    return new SharedQueue(queue, server.title, options);
  }

  /** Adds segments again after a while, in case the server has lost them; it ignores ids that it still has. */
  async offer(segments: readonly Segment[]): Promise<void> {
    const now = performance.now();
    const again = (this.#options.lock * 1000) / 3;
    const due = segments.filter(
      (segment) => now - (this.#offered.get(jobId(segment)) ?? -Infinity) > again,
    );
    try {
      if (due.length > 0) await this.#queue.addBulk(due.map(asJob));
      for (const segment of due) this.#offered.set(jobId(segment), now);
      this.#active = await this.#queue.getActiveCount();
      if (this.#silent) this.#options.log(`${this.#title} is responding again`);
      this.#silent = false;
    } catch (error) {
      if (!this.#silent) {
        const why = error instanceof Error ? error.message : String(error);
        this.#options.log(`${this.#title} is not responding (${why}); retrying`);
      }
      this.#silent = true;
      this.#active = null;
    }
  }

  atWork = () => this.#active;

  iterations = () => new Map<string, number>();

  /** Active jobs continue; the sweep picks up their results when it is started again. */
  async close(): Promise<void> {
    await this.#queue.close().catch(() => {});
  }

  /** Removes all jobs of a finished sweep. */
  async clear(): Promise<void> {
    await this.#queue.obliterate({ force: true }).catch(() => {});
  }
}

/** One id per segment: the queue ignores an id that it already has. */
const jobId = ({ run, rung }: Segment) => `${run}-${rung === null ? 'end' : `rung-${rung}`}`;

const asJob = (segment: Segment) => ({
  name: 'segment',
  data: segment,
  // The folder determines whether a failed segment is due again.
  opts: { jobId: jobId(segment), removeOnComplete: true, removeOnFail: true },
});

interface QueueWorkerOptions extends SharedQueueOptions {
  /** Jobs at once. */
  readonly workers: number;
  /** Plays a segment, and ends early when `lost` is aborted because another worker has its job. */
  readonly play: (segment: Segment, lost: AbortSignal) => Promise<void>;
}

/** Milliseconds to wait for the queue to close after the last segment, and between checks for its end. */
const CLOSING = 3000;
const LOOK = 100;

/** The worker's side: takes segments until it is closed. */
export class QueueWorker {
  readonly #worker: BullWorker;
  readonly #underWay: ReadonlyMap<string, AbortController>;

  private constructor(worker: BullWorker, underWay: ReadonlyMap<string, AbortController>) {
    this.#worker = worker;
    this.#underWay = underWay;
  }

  /** @throws {QueueError} */
  static async open({
    url,
    id: sweep,
    lock,
    workers,
    play,
    log,
  }: QueueWorkerOptions): Promise<QueueWorker> {
    const server = serverOf(url);
    await server.check();
    const underWay = new Map<string, AbortController>();
    const worker = await server.openWorker(
      queueName(sweep),
      async ({ id = '', data }) => {
        const lost = new AbortController();
        underWay.set(id, lost);
        try {
          await play(data, lost.signal);
        } finally {
          if (underWay.get(id) === lost) underWay.delete(id);
        }
      },
      {
        concurrency: workers,
        ...{ lockDuration: lock * 1000, stalledInterval: lock * 1000 },
        // Machines may disappear any number of times.
        maxStalledCount: 1_000_000,
      },
    );
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) {
        log(`${id} may belong to another worker now; this worker stops it`);
        underWay.get(id)?.abort();
      }
    });
    let silent = false;
    worker.on('error', (error) => {
      if (!silent) log(`queue error: ${error.message}`);
      silent = true;
    });
    worker.on('active', () => {
      silent = false;
    });
    return new QueueWorker(worker, underWay);
  }

  /**
   * Takes no more jobs, and resolves when the running ones have ended. BullMQ's worker never closes
   * if its server reconnects in the meantime, so the queue has only limited time to close after the
   * last job.
   */
  async close(): Promise<void> {
    const closed = this.#worker.close();
    const patience = async () => {
      while (this.#underWay.size > 0) await pause(LOOK);
      await pause(CLOSING);
    };
    await Promise.race([closed, patience()]);
  }
}
