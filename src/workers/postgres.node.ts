/** Queues in PostgreSQL, in a separate schema. */
import type { Segment } from '../sweep/plan.ts';
import {
  ANSWER,
  missing,
  packages,
  QueueError,
  type QueueServer,
  shownAddress,
} from './queue-server.node.ts';

/** The schema of the tables; other schemas of the database are not touched. */
const SCHEMA = 'palestra';

// BullMQ itself imports pg when it connects.
const load = () => packages(() => import('bullmq'), 'bullmq', 'pg');

/** @param url `postgres://` or `postgresql://`, with user, password and database if needed */
export function postgresServer(url: string): QueueServer {
  // The first process creates the tables under a database lock.
  const connection = {
    ...{ connectionString: url, schema: SCHEMA, migrate: true },
    connectionTimeoutMillis: ANSWER,
  };
  const bound = async () => {
    const { createPostgresBackend, withBackend } = await load();
    return withBackend(createPostgresBackend);
  };
  return {
    title: 'PostgreSQL',
    check: () => check(url, connection),
    async openQueue(name) {
      const { Queue } = await bound();
      return new Queue<Segment>(name, { connection });
    },
    async openWorker(name, process, terms) {
      const { Worker } = await bound();
      return new Worker<Segment, void>(name, process, { connection, ...terms });
    },
  };
}

async function check(
  url: string,
  options: {
    readonly connectionString: string;
    readonly schema: string;
    readonly migrate: boolean;
  },
): Promise<void> {
  const { PostgresConnection } = await load();
  let connection: InstanceType<typeof PostgresConnection> | null = null;
  try {
    connection = new PostgresConnection(options);
    // `waitUntilReady` reports connection errors.
    connection.on('error', () => {});
    await connection.waitUntilReady();
  } catch (error) {
    const why = whyOf(error);
    if (why.includes('npm install pg')) throw new QueueError(missing('bullmq', 'pg'));
    throw new QueueError(
      `${shownAddress(url)} cannot hold the queue (${why}); start PostgreSQL 13 or newer and name a database in which you can create tables, or omit --queue to compute on this machine only`,
    );
  } finally {
    await connection?.close().catch(() => {});
  }
}

/**
 * The message of an error. If all addresses of a host refuse the connection, the error contains one
 * error per address and has no message, so the message of the first address is returned.
 */
function whyOf(error: unknown): string {
  if (error instanceof AggregateError) return whyOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
