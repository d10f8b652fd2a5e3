/**
 * Installs llama.cpp for tests that compare exported models with it. Its packages contain libraries
 * for many systems, so it is not a dependency; only the package for this system is installed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installApart, root } from './install.mjs';

const VERSION = '3.22.1';

/** The package with the library for this system. */
function library() {
  const { platform, arch } = process;
  if (platform === 'linux' && arch === 'x64') return 'linux-x64';
  if (platform === 'linux' && arch === 'arm64') return 'linux-arm64';
  if (platform === 'darwin' && arch === 'arm64') return 'mac-arm64-metal';
  if (platform === 'darwin') return 'mac-x64';
  return platform === 'win32' ? `win-${arch}` : null;
}

const folder = join(root, 'node_modules', '.cache', 'palestra', 'llama-cpp');
const installed = join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');

/** The package's module, if it is installed. @returns {string | null} */
export function findLlamaCpp() {
  return existsSync(installed) ? installed : null;
}

/**
 * The package's module; installs it if it is missing.
 * @returns {Promise<string | null>} null if it cannot be installed; prints why
 */
export async function ensureLlamaCpp() {
  const found = findLlamaCpp();
  const system = library();
  if (found !== null || system === null) return found;
  console.error('Installing llama.cpp (npm) …');
  const packages = [`node-llama-cpp@${VERSION}`, `@node-llama-cpp/${system}@${VERSION}`];
  const done = await installApart(folder, ['--omit=optional', ...packages]);
  if (done && findLlamaCpp() !== null) return installed;
  console.error('llama.cpp could not be installed; its tests are skipped.');
  return null;
}
