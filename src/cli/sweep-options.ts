/** Options that `sweep` and `work` share. */
import { isQueueAddress } from '../workers/shared-queue.node.ts';
import type { DeviceWish } from './machine.node.ts';
import { readWhole, UsageError } from './usage.ts';

export const DEFAULT_SAVE_EVERY = 20;
/** BullMQ's own. */
export const DEFAULT_LOCK = 30;
const MOST_WORKERS = 256;

export function readSaveEvery(text: string | undefined): number {
  return readWhole('--save-every', text, 1, 86_400) ?? DEFAULT_SAVE_EVERY;
}

export function readLock(text: string | undefined): number {
  return readWhole('--lock', text, 1, 3600) ?? DEFAULT_LOCK;
}

export function readWorkers(text: string | undefined, wish: DeviceWish, cores: number): number {
  const given = readWhole('--workers', text, 1, MOST_WORKERS);
  return given ?? (wish.device === 'processor' ? cores : 1);
}

/** Processes side by side share the cores. */
export function threaded(wish: DeviceWish, workers: number, cores: number): DeviceWish {
  if (wish.device !== 'processor' || wish.threads !== undefined) return wish;
  return { ...wish, threads: Math.max(1, Math.floor(cores / workers)) };
}

/** @throws {UsageError} for anything but the address of a server that can hold a queue */
export function readQueue(text: string): string {
  if (isQueueAddress(text)) return text;
  throw new UsageError(
    `--queue takes an address such as redis://localhost:6379 or postgres://localhost/DATABASE, got ${JSON.stringify(text)}`,
  );
}
