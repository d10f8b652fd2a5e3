/** Finds a PostgreSQL server for the tests of queue workers; it is never installed. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onPath } from './chromium.mjs';

/** Debian and its derivatives keep the programs of each version here, outside the PATH. */
const VERSIONS = '/usr/lib/postgresql';

/** @returns {string | null} the folder of `postgres` and `initdb` */
export function findPostgres() {
  const named = process.env.PALESTRA_POSTGRES;
  const [found] = onPath(['initdb']);
  const versions = existsSync(VERSIONS)
    ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...(named === undefined ? [] : [named]),
    ...(found === undefined ? [] : [dirname(found)]),
    ...versions.map((version) => join(VERSIONS, version, 'bin')),
  ];
  const isWhole = (/** @type {string} */ folder) =>
    ['postgres', 'initdb'].every((name) => existsSync(join(folder, name)));
  return folders.find(isWhole) ?? null;
}
