/**
 * A queue in Redis, by BullMQ. It only says who works on what; what has been done stands in the sweep's folder,
 * so that it may be lost at any time.
 */
import type { Queue as BullQueue, Worker as BullWorker } from 'bullmq';
import type { Segment } from '../sweep/plan.ts';
import type { Queue } from './queue.ts';

/** Thrown where a queue cannot be used; the message says what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user and password where it wants them. */
  readonly url: string;
  /** Of the sweep, whose queue it is. */
  readonly id: string;
  /** Seconds after which a worker that says nothing has lost its job. */
  readonly lock: number;
  readonly log: (line: string) => void;
}

/** Milliseconds that a server has to answer at the start. */
const ANSWER = 5000;

const queueName = (id: string) => `palestra-sweep-${id}`;

/** An address as it may be shown: without its password. */
export function shownAddress(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** The packages, which only who uses a queue needs. */
async function packages() {
  try {
    const [bull, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { ...bull, Redis };
  } catch {
    throw new QueueError('--queue needs two packages: npm install bullmq ioredis');
  }
}

/** @throws {QueueError} where nobody answers */
export async function checkRedis(url: string): Promise<void> {
  const { Redis } = await packages();
  const redis = new Redis(url, {
    ...{ lazyConnect: true, connectTimeout: ANSWER, maxRetriesPerRequest: 0 },
    retryStrategy: () => null,
  });
  let reason = '';
  redis.on('error', (error) => {
    reason = error.message;
  });
  try {
    await redis.connect();
    await redis.ping();
    const [, policy] = (await redis.config('GET', 'maxmemory-policy').catch(() => [])) as string[];
    if (policy !== undefined && policy !== 'noeviction') {
      throw new QueueError(
        `${shownAddress(url)} may forget jobs (maxmemory-policy ${policy}); set it to noeviction`,
      );
    }
  } catch (error) {
    if (error instanceof QueueError) throw error;
    const why = reason || (error instanceof Error ? error.message : String(error));
    throw new QueueError(
      `${shownAddress(url)} does not answer (${why}); start it with redis-server --appendonly yes, or leave out --queue to compute on this machine alone`,
    );
  } finally {
    redis.disconnect();
  }
}

/** The coordinator's side: it adds what the folder says is due. */
export class RedisQueue implements Queue {
  readonly #queue: BullQueue;
  readonly #options: RedisOptions;
  readonly #offered = new Map<string, number>();
  #active: number | null = null;
  #silent = false;

  private constructor(queue: BullQueue, options: RedisOptions) {
    this.#queue = queue;
    this.#options = options;
  }

  /** @throws {QueueError} */
  static async open(options: RedisOptions): Promise<RedisQueue> {
    const { Queue } = await packages();
    await checkRedis(options.url);
    const connection = { url: options.url, enableOfflineQueue: false, maxRetriesPerRequest: 1 };
    const queue = new Queue(queueName(options.id), { connection });
    // What does not answer is told where something is asked of it.
    queue.on('error', () => {});
    return new RedisQueue(queue, options);
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
      if (this.#silent) this.#options.log('Redis answers again');
      this.#silent = false;
    } catch (error) {
      if (!this.#silent) {
        const why = error instanceof Error ? error.message : String(error);
        this.#options.log(`Redis does not answer (${why}); it is tried again`);
      }
      this.#silent = true;
      this.#active = null;
    }
  }

  atWork = () => this.#active;

  heard = () => new Map<string, number>();

  /** What is under way goes on; the sweep goes on with it when it is started again. */
  async close(): Promise<void> {
    await this.#queue.close().catch(() => {});
  }

  /** Leaves nothing of a sweep that has ended. */
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

export interface RedisWorkerOptions extends RedisOptions {
  /** Jobs at once. */
  readonly workers: number;
  /** Plays a segment, and ends early when `lost` is aborted: somebody else has its job. */
  readonly play: (segment: Segment, lost: AbortSignal) => Promise<void>;
}

/** The worker's side: it takes segments until it is closed. */
export class RedisWorker {
  readonly #worker: BullWorker;

  private constructor(worker: BullWorker) {
    this.#worker = worker;
  }

  /** @throws {QueueError} */
  static async open(options: RedisWorkerOptions): Promise<RedisWorker> {
    const { Worker } = await packages();
    await checkRedis(options.url);
    const { lock, workers, play, log } = options;
    const underWay = new Map<string, AbortController>();
    const worker = new Worker(
      queueName(options.id),
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
        connection: { url: options.url, maxRetriesPerRequest: null },
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
    return new RedisWorker(worker);
  }

  /** Takes no more, and resolves when what it has has ended. */
  async close(): Promise<void> {
    await this.#worker.close();
  }
}
