/** Serves Pyodide's files beside the page. They are loaded only for environments in Python. */
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

export const PACKAGE = join(root, 'node_modules', 'pyodide');

/** MIME types of the files that Pyodide loads; it loads no additional packages. */
const files = new Map([
  ['pyodide.mjs', 'text/javascript'],
  ['pyodide.asm.mjs', 'text/javascript'],
  ['pyodide.asm.wasm', 'application/wasm'],
  ['pyodide-lock.json', 'application/json'],
  ['python_stdlib.zip', 'application/zip'],
]);

/** @returns {import('vite').Plugin} */
export function pyodide() {
  return {
    name: 'pyodide',
    configureServer({ middlewares }) {
      middlewares.use('/pyodide', ({ url = '' }, response, next) => {
        const name = url.slice(1).replace(/\?.*$/, '');
        const type = files.get(name);
        if (type === undefined) return next();
        response.setHeader('Content-Type', type);
        createReadStream(join(PACKAGE, name)).pipe(response);
      });
    },
    generateBundle() {
      for (const name of files.keys()) {
        const source = readFileSync(join(PACKAGE, name));
        this.emitFile({ type: 'asset', fileName: `pyodide/${name}`, source });
      }
    },
  };
}
