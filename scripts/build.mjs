/** Whether the built page is up to date with the sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { root } from './install.mjs';

/** Inputs of the built page. */
const SOURCES = [
  ...[
    'index.html',
    'bench.html',
    'package-lock.json',
    'vite.config.ts',
    'tsconfig.json',
    'LICENSE',
  ],
  ...['src', 'bench', 'shaders', 'public', 'scripts'],
];
/** File in the folder of the built page that records its inputs. */
export const STAMP = 'build.json';

/** @returns {string} a hash that changes with any source of the page */
export function sourcesHash(folder = root) {
  const hash = createHash('sha256');
  const files = SOURCES.map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => (statSync(path).isDirectory() ? filesIn(path) : [path]));
  for (const file of files) {
    const name = relative(folder, file).split(sep).join('/');
    if (!/\.test\.tsx?$/.test(name))
      hash.update(`${name}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** @param {string} page folder of a page @returns {boolean} whether it is complete and current */
export function isBuilt(page, folder = root) {
  try {
    const { sources } = JSON.parse(readFileSync(join(page, STAMP), 'utf8'));
    return sources === sourcesHash(folder);
  } catch {
    return false;
  }
}

/**
 * Records the inputs in the built page. Written last, so that an aborted build has no record.
 *
 * @returns {import('vite').Plugin}
 */
export function stamped() {
  let sources = '';
  let folder = '';
  return {
    name: 'stamped',
    apply: 'build',
    // Hash before the build: inputs that change while it runs may not be included.
    buildStart() {
      sources = sourcesHash();
    },
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir);
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      handler() {
        writeFileSync(join(folder, STAMP), `${JSON.stringify({ sources })}\n`);
      },
    },
  };
}
