/**
 * Installs native onnxruntime for tests that compare exported agents with it. It is 290 MB, so it
 * is not a dependency.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

/** @param {string} folder a package's folder @returns {string | null} its version, or null */
function versionIn(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

/**
 * The package's folder. Installs the version of onnxruntime-web, so that both runtimes have the
 * same operators.
 * @returns {string | null} null if it cannot be installed; prints why
 */
export function ensureNativeOnnxRuntime() {
  const version = versionIn(join(root, 'node_modules', 'onnxruntime-web'));
  const folder = join(root, 'node_modules', '.cache', 'palestra', 'native');
  const installed = join(folder, 'node_modules', 'onnxruntime-node');
  if (versionIn(installed) === version) return installed;
  console.error('Installing native onnxruntime (npm) …');
  // The install script downloads GPU libraries; the CPU provider is in the package.
  const result = spawnSync(
    'npm',
    [
      ...['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts'],
      ...['--no-audit', '--no-fund', `onnxruntime-node@${version}`],
    ],
    { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' },
  );
  if (result.status === 0 && versionIn(installed) === version) return installed;
  console.error('Native onnxruntime could not be installed; its tests are skipped.');
  return null;
}
