/**
 * Installs native onnxruntime beside the packages, for the tests that hold exported agents against
 * it. It takes 290 MB, which nobody who opens the lab should wait for, so it is no dependency.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.mjs';

/** @param {string} folder a package's folder @returns {string | null} its version, where it is there */
function versionIn(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

/**
 * The package's folder, installed first where it is missing or of another version than
 * onnxruntime-web: both runtimes are tested with the same operators.
 * @returns {string | null} null where it cannot be had; the reason is printed
 */
export function ensureNativeOnnxRuntime() {
  const version = versionIn(join(root, 'node_modules', 'onnxruntime-web'));
  const folder = join(root, 'node_modules', '.cache', 'palestra', 'native');
  const installed = join(folder, 'node_modules', 'onnxruntime-node');
  if (versionIn(installed) === version) return installed;
  console.error('Installing native onnxruntime for the tests of exported agents …');
  // Its install script would fetch drivers for GPUs; the processor's part is in the package itself.
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
