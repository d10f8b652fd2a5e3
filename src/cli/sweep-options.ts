/** Options that `sweep` and `work` share. */
import { isQueueAddress } from '../workers/shared-queue.node.ts';
import { deviceFlagsFor } from './device-options.ts';
import { optional, type Parsed, whole, withDefault } from './flags.ts';
import type { DeviceRequest } from './machine.node.ts';
import { UsageError } from './usage.ts';

/** BullMQ's default, in seconds. */
const DEFAULT_LOCK = 30;

export const workerFlags = {
  workers: optional(
    'N',
    'processes that compute; default: one per hardware thread on the processor, 1 on a GPU',
    whole(1, 256),
  ),
  'save-every': withDefault(
    20,
    optional('SECONDS', 'seconds between checkpoints of a run', whole(1, 86_400)),
  ),
  lock: withDefault(
    DEFAULT_LOCK,
    optional(
      'SECONDS',
      'with --queue: a worker that is silent for this long loses its runs; use the same value for all workers of a queue',
      whole(1, 3600),
    ),
  ),
  ...deviceFlagsFor('processor'),
};

/** The options that differ from their defaults, as arguments of `work`. */
export function workArguments(
  values: Partial<Parsed<typeof workerFlags>['values']>,
): readonly string[] {
  return Object.entries(workerFlags).flatMap(([name, flag]) => {
    const value = values[name as keyof typeof workerFlags];
    return value === undefined || value === flag.read([], name) ? [] : [`--${name} ${value}`];
  });
}

export function workerCount(
  given: number | undefined,
  { device }: DeviceRequest,
  cores: number,
): number {
  return given ?? (device === 'processor' ? cores : 1);
}

/** Divides the hardware threads among processes. */
export function threaded(request: DeviceRequest, workers: number, cores: number): DeviceRequest {
  if (request.device !== 'processor' || request.threads !== undefined) return request;
  return { ...request, threads: Math.max(1, Math.floor(cores / workers)) };
}

/** @throws {UsageError} for anything but the address of a Redis or PostgreSQL server */
export function queueAddress(text: string, name: string): string {
  if (isQueueAddress(text)) return text;
  throw new UsageError(
    `--${name} must be an address such as redis://localhost:6379 or postgres://localhost/DATABASE, got ${JSON.stringify(text)}`,
  );
}
