/**
 * Finds a Redis server for the tests of workers on a queue, or installs one with the system's package manager
 * where that is permitted.
 */
import { existsSync } from 'node:fs';
import { installWithApt, onPath } from './chromium.mjs';

/** @returns {string | null} the program's absolute path; installs nothing */
export function findRedis() {
  const named = process.env.PALESTRA_REDIS;
  if (named !== undefined && existsSync(named)) return named;
  return onPath(['redis-server'])[0] ?? null;
}

/** @returns {string | null} null where there is none and none could be installed; the reason is printed */
export function ensureRedis() {
  const found = findRedis();
  if (found !== null) return found;
  if (process.platform === 'linux' && installWithApt('redis-server')) return findRedis();
  console.error('No redis-server was found and none could be installed; its tests are skipped.');
  return null;
}

/** What a server says once it can be used. */
export const REDIS_READY = 'Ready to accept connections';

/** @param {number} port */
export const redisAddress = (port) => `redis://127.0.0.1:${port}`;

/**
 * What `redis-server` is started with, so that it keeps all that it is given.
 * @param {number} port
 * @param {string} folder of its data
 */
export function redisArguments(port, folder) {
  return [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    ...['--appendonly', 'yes'],
  ];
}
