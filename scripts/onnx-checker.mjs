/**
 * Installs ONNX's checker, a Python package, for the test that validates exported graphs.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './install.mjs';

/** @param {string} python @param {string} folder additional package folder */
function hasOnnx(python, folder) {
  const env = { ...process.env, PYTHONPATH: folder };
  return spawnSync(python, ['-c', 'import onnx'], { env }).status === 0;
}

/**
 * @returns {{ python: string, packages: string } | null} a Python that imports `onnx` with this
 *   PYTHONPATH, installed first if necessary; null if that fails
 */
export function ensureOnnxChecker() {
  const packages = join(root, 'node_modules', '.cache', 'palestra', 'python');
  // The system's Python first: Debian has python3-onnx.
  const pythons = ['/usr/bin/python3', 'python3'];
  const found = pythons.find((python) => hasOnnx(python, packages));
  if (found !== undefined) return { python: found, packages };
  console.error('Installing ONNX’s checker (pip) …');
  const wanted = ['--target', packages, '--only-binary=:all:', 'onnx>=1.16'];
  const installed = pythons.find((python) => {
    const quiet = [
      '--quiet',
      '--disable-pip-version-check',
      '--no-input',
      '--no-warn-script-location',
    ];
    const { status } = spawnSync(python, ['-m', 'pip', 'install', ...quiet, ...wanted]);
    return status === 0 && hasOnnx(python, packages);
  });
  if (installed !== undefined) return { python: installed, packages };
  console.error('ONNX’s checker could not be installed; its test is skipped.');
  return null;
}
