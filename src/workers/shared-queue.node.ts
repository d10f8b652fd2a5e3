/**
 * A queue on a server, by BullMQ. It only says who works on what; what has been done stands in the sweep's folder,
 * so that it may be lost at any time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Segment } from '../sweep/plan.ts';
import { postgresServer } from './postgres.node.ts';
import type { Queue } from './queue.ts';
import type { BullQueue, BullWorker, QueueServer } from './queue-server.node.ts';
import { redisServer } from './redis.node.ts';

export interface SharedQueueOptions {
  /** Of the server; see `isQueueAddress`. */
  readonly url: string;
  /** Of the sweep, whose queue it is. */
  readonly id: string;
  /** Seconds after which a worker that says nothing has lost its job. */
  readonly lock: number;
  readonly log: (line: string) => void;
}

/** The servers that can hold a queue, by the beginnings of their addresses. */
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
  if (open === undefined) throw new TypeError(`no queue can be at ${url}`);
  return open(url);
}

const queueName = (id: string) => `palestra-sweep-${id}`;

/** The coordinator's side: it adds what the folder says is due. */
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
    // What does not answer is told where something is asked of it.
    queue.on('error', () => {});
    return new SharedQueue(queue, server.title, options);
  }

  /** Adds again what was added a while ago: the server may have lost it, and else has it and ignores this. */
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
      if (this.#silent) this.#options.log(`${this.#title} answers again`);
      this.#silent = false;
    } catch (error) {
      if (!this.#silent) {
        const why = error instanceof Error ? error.message : String(error);
        this.#options.log(`${this.#title} does not answer (${why}); retrying`);
      }
      this.#silent = true;
      this.#active = null;
    }
  }

  atWork = () => this.#active;

  iterations = () => new Map<string, number>();

  /** Active jobs continue; the sweep picks them up when it is started again. */
  async close(): Promise<void> {
    await this.#queue.close().catch(() => {});
  }

  /** Removes everything of a finished sweep. */
  async clear(): Promise<void> {
    await this.#queue.obliterate({ force: true }).catch(() => {});
  }
}

/** One for each segment: the queue ignores an id that it has. */
const jobId = ({ run, rung }: Segment) => `${run}-${rung === null ? 'end' : `rung-${rung}`}`;

const asJob = (segment: Segment) => ({
  name: 'segment',
  data: segment,
  // What failed is due again if the folder says so.
  opts: { jobId: jobId(segment), removeOnComplete: true, removeOnFail: true },
});

interface QueueWorkerOptions extends SharedQueueOptions {
  /** Jobs at once. */
  readonly workers: number;
  /** Plays a segment, and ends early when `lost` is aborted: somebody else has its job. */
  readonly play: (segment: Segment, lost: AbortSignal) => Promise<void>;
}

/** Milliseconds that the queue has to close after the last trial ends, and between checks of that. */
const CLOSING = 3000;
const LOOK = 100;

/** The worker's side: it takes segments until it is closed. */
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
        // Machines may be taken away any number of times.
        maxStalledCount: 1_000_000,
      },
    );
    worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) {
        log(`${id} was lost to another worker, or its queue was; this one leaves it`);
        underWay.get(id)?.abort();
      }
    });
    let silent = false;
    worker.on('error', (error) => {
      if (!silent) log(`the queue: ${error.message}`);
      silent = true;
    });
    worker.on('active', () => {
      silent = false;
    });
    return new QueueWorker(worker, underWay);
  }

  /**
   * Takes no more, and resolves when what it has has ended. BullMQ's worker never ends where its server
   * comes back just then: what runs here is what counts, and the queue has only a while to follow.
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
