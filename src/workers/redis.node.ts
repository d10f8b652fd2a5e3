/** Queues in Redis. */
import type { Segment } from '../sweep/plan.ts';
import {
  ANSWER,
  packages,
  QueueError,
  type QueueServer,
  shownAddress,
} from './queue-server.node.ts';

const load = () =>
  packages(
    async () => {
      const [bull, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
      return { ...bull, Redis };
    },
    'bullmq',
    'ioredis',
  );

/** @param url `redis://` or `rediss://`, with user and password if needed */
export function redisServer(url: string): QueueServer {
  return {
    title: 'Redis',
    check: () => check(url),
    async openQueue(name) {
      const { Queue } = await load();
      const connection = { url, enableOfflineQueue: false, maxRetriesPerRequest: 1 };
      return new Queue<Segment>(name, { connection });
    },
    async openWorker(name, process, terms) {
      const { Worker } = await load();
      return new Worker<Segment, void>(name, process, {
        connection: { url, maxRetriesPerRequest: null },
        ...terms,
      });
    },
  };
}

async function check(url: string): Promise<void> {
  const { Redis } = await load();
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
        `${shownAddress(url)} may evict jobs (maxmemory-policy ${policy}); set it to noeviction`,
      );
    }
  } catch (error) {
    if (error instanceof QueueError) throw error;
    const why = reason || (error instanceof Error ? error.message : String(error));
    throw new QueueError(
      `${shownAddress(url)} is not responding (${why}); start it with redis-server --appendonly yes, or omit --queue to compute on this machine only`,
    );
  } finally {
    redis.disconnect();
  }
}
