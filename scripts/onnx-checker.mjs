/**
 * Installs ONNX's checker, a Python package, for the test that validates exported graphs.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root, succeeds } from './install.mjs';

/** @param {string} python @param {string} folder folder with additional packages */
function hasOnnx(python, folder) {
  const env = { ...process.env, PYTHONPATH: folder };
  return spawnSync(python, ['-c', 'import onnx'], { env }).status === 0;
}

/**
 * @returns {Promise<{ python: string, packages: string } | null>} a Python that imports `onnx` with this
 *   PYTHONPATH, installed first if necessary; null if that fails
 */
export async function ensureOnnxChecker() {
  const packages = join(root, 'node_modules', '.cache', 'palestra', 'python');
  const named = process.env.PALESTRA_PYTHON;
  // The system's Python first: Debian has python3-onnx.
  const pythons = named ? [named] : ['/usr/bin/python3', 'python3'];
  const found = pythons.find((python) => hasOnnx(python, packages));
  if (found !== undefined) return { python: found, packages };
  console.error('Installing ONNX’s checker (pip) …');
  const install = [
    ...['-m', 'pip', 'install', '-qq', '--disable-pip-version-check', '--no-input', '--retries=1'],
    ...['--no-warn-script-location', '--only-binary=:all:', '--target', packages, 'onnx>=1.16'],
  ];
  for (const python of pythons) {
    const done = await succeeds(python, install);
    if (done && hasOnnx(python, packages)) return { python, packages };
  }
  console.error('ONNX’s checker could not be installed; its test is skipped.');
  return null;
}
