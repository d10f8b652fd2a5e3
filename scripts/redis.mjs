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
