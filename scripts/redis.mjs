/**
 * Finds a Redis server for the queue tests or, if permitted, installs one with the system's package
 * manager.
 */
import { existsSync } from 'node:fs';
import { installWithApt, onPath } from './chromium.mjs';

/** @returns {string | null} the program's absolute path, without installing one */
export function findRedis() {
  const named = process.env.PALESTRA_REDIS;
  if (named !== undefined && existsSync(named)) return named;
  return onPath(['redis-server'])[0] ?? null;
}

/** @returns {string | null} null if none could be found or installed; prints why */
export function ensureRedis() {
  const found = findRedis();
  if (found !== null) return found;
  if (process.platform === 'linux' && installWithApt('redis-server')) return findRedis();
  console.error('No redis-server was found and none could be installed; its tests are skipped.');
  return null;
}

/** Printed by the server when it accepts connections. */
export const REDIS_READY = 'Ready to accept connections';

/** @param {number} port */
export const redisAddress = (port) => `redis://127.0.0.1:${port}`;

/**
 * Arguments for a server that persists its data.
 * @param {number} port
 * @param {string} folder data folder
 */
export function redisArguments(port, folder) {
  return [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
    ...['--appendonly', 'yes'],
  ];
}
