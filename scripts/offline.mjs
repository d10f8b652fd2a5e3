/** Builds the service worker after the page, because only then are the files to cache known. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { transform } from 'esbuild';
import { STAMP } from './build.mjs';
import { root } from './install.mjs';
import { isolationHeaders } from './isolation.mjs';

/** Larger files are cached only when they are used. */
const MOST_BYTES = 1_500_000;
/**
 * Rarely needed files, which are also cached only when they are used: onnxruntime-web and the
 * bundled agent, for play mode; the interpreters, for user-written environments.
 */
const FOR_FEW = /^(assets\/(ort[.-]|emscripten-module)|agents\/|pyodide\/)/;
/** Not needed for training. */
const READ_ALONE = /^licenses\.txt$/;

/**
 * Writes `sw.js` next to the built page.
 *
 * @returns {import('vite').Plugin}
 */
export function offline() {
  return {
    name: 'offline',
    apply: 'build',
    writeBundle: {
      sequential: true,
      async handler({ dir }) {
        if (dir !== undefined) await writeServiceWorker(dir);
      },
    },
  };
}

/** @param {string} dir the folder of the built page */
async function writeServiceWorker(dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !['sw.js', STAMP].includes(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  /** @type {string[]} */
  const small = [];
  /** @type {string[]} */
  const large = [];
  for (const file of files) {
    const bytes = readFileSync(file);
    const name = relative(dir, file).split(sep).join('/');
    hash.update(name).update(bytes);
    const later = bytes.length > MOST_BYTES || FOR_FEW.test(name) || READ_ALONE.test(name);
    (later ? large : small).push(name);
  }
  const source = readFileSync(join(root, 'src/offline/service-worker.ts'), 'utf8');
  const { code } = await transform(source, {
    loader: 'ts',
    target: 'es2022',
    minify: true,
    define: {
      FILES: JSON.stringify(small),
      LARGE_FILES: JSON.stringify(large),
      ISOLATION: JSON.stringify(isolationHeaders),
      VERSION: JSON.stringify(hash.update(source).digest('hex').slice(0, 16)),
    },
  });
  writeFileSync(join(dir, 'sw.js'), code);
}
