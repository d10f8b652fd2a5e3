/**
 * Installs native onnxruntime for tests that compare exported agents with it. It is 290 MB, so it
 * is not a dependency.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installApart, root } from './install.mjs';

/** @param {string} folder a package's folder @returns {string | null} its version, or null */
function versionIn(folder) {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null;
}

/**
 * The package's folder. Installs the package in the same version as onnxruntime-web, so that both runtimes
 * have the same operators.
 * @returns {Promise<string | null>} null if it cannot be installed; prints why
 */
export async function ensureNativeOnnxRuntime() {
  const version = versionIn(join(root, 'node_modules', 'onnxruntime-web'));
  const folder = join(root, 'node_modules', '.cache', 'palestra', 'native');
  const installed = join(folder, 'node_modules', 'onnxruntime-node');
  if (versionIn(installed) === version) return installed;
  console.error('Installing native onnxruntime (npm) …');
  // The install script downloads GPU libraries; the CPU provider is in the package.
  const done = await installApart(folder, [`onnxruntime-node@${version}`]);
  if (done && versionIn(installed) === version) return installed;
  console.error('Native onnxruntime could not be installed; its tests are skipped.');
  return null;
}
