/** Writes the licenses of all packages in the built page to one file next to it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';
import { PACKAGE as PYODIDE } from './pyodide.mjs';

/** Folder with the license texts of packages that come without one. */
const TEXTS = join(root, 'scripts', 'licenses');
const FILE = 'licenses.txt';

/**
 * Writes `licenses.txt`; the build fails if an included package has no license text.
 *
 * @returns {{ page: import('vite').Plugin, worker: import('vite').Plugin }} for the page, and for
 *   the workers, which are built before it
 */
export function licenses() {
  /** @type {Set<string>} */
  const folders = new Set([PYODIDE]);
  /** @param {Record<string, { type: string, modules?: object }>} bundle */
  const collect = (bundle) => {
    for (const { modules = {} } of Object.values(bundle)) {
      for (const id of Object.keys(modules)) {
        const folder = packageFolder(id);
        if (folder !== null) folders.add(folder);
      }
    }
  };
  return {
    page: {
      name: 'licenses',
      apply: 'build',
      generateBundle(_, bundle) {
        collect(bundle);
        this.emitFile({ type: 'asset', fileName: FILE, source: licenseTexts([...folders]) });
      },
    },
    worker: {
      name: 'licenses-of-workers',
      apply: 'build',
      generateBundle(_, bundle) {
        collect(bundle);
      },
    },
  };
}

/**
 * @param {string} id of a module
 * @returns {string | null} the folder of its package; null for the project's own modules
 */
export function packageFolder(id) {
  const [, folder] = /^\0?(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(id) ?? [];
  return folder ?? null;
}

/**
 * @param {readonly string[]} folders of packages
 * @param {string} texts folder with `NAME.txt` for packages without a text; `/` in names is `-`
 * @returns {string}
 */
export function licenseTexts(folders, texts = TEXTS) {
  /** @type {string[]} */
  const without = [];
  const parts = folders.map((folder) => {
    const { name, version, license, homepage } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const found = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|copying|notice)(\W|$)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    const kept = join(texts, `${name.replaceAll('/', '-')}.txt`);
    if (found.length === 0 && existsSync(kept)) found.push(readFileSync(kept, 'utf8').trim());
    if (found.length === 0) without.push(name);
    const head = [`${name} ${version}`, license, homepage].filter(Boolean).join('\n');
    return { name, text: `${head}\n\n${found.join('\n\n')}` };
  });
  if (without.length > 0) {
    throw new Error(
      `The built page contains packages without a license text: ${without.join(', ')}. Add each text to ${texts} as NAME.txt, replacing / in the name by -.`,
    );
  }
  parts.sort((a, b) => (a.name < b.name ? -1 : 1));
  const own = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  const rule = `\n\n${'-'.repeat(78)}\n\n`;
  return `${[
    `Palestra\n\n${own}`,
    'The page contains third-party software under these licenses:',
    ...parts.map(({ text }) => text),
  ].join(rule)}\n`;
}
