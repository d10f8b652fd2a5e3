/**
 * Installs ONNX's own checker beside the packages, for the test that shows exported graphs to it. It is a
 * Python package, so it is no dependency.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './install.mjs';

/** @param {string} python @param {string} folder searched for packages too */
function hasOnnx(python, folder) {
  const env = { ...process.env, PYTHONPATH: folder };
  return spawnSync(python, ['-c', 'import onnx'], { env }).status === 0;
}

/**
 * @returns {{ python: string, packages: string } | null} a Python that has `onnx` where PYTHONPATH names
 *   the folder, which is installed first where no Python has it; null where it cannot be had
 */
export function ensureOnnxChecker() {
  const packages = join(root, 'node_modules', '.cache', 'palestra', 'python');
  // The system's own first: on Debian it is python3-onnx.
  const pythons = ['/usr/bin/python3', 'python3'];
  const found = pythons.find((python) => hasOnnx(python, packages));
  if (found !== undefined) return { python: found, packages };
  console.error('Installing ONNX’s checker for the test of exported graphs …');
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
