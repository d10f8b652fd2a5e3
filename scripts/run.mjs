/**
 * `node scripts/run.mjs ENTRY.ts [args…]`: bundles a TypeScript entry for Node and runs it.
 *
 * The program inherits standard input, output and error; its exit code and signals are passed on.
 * `.wgsl` files become modules (wgsl.mjs), packages are external, and stack traces point at the
 * TypeScript source. The program uses the Vulkan driver that vulkan.mjs chooses.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPackages, root } from './install.mjs';
import { onParentExit } from './parent.mjs';
import { vulkanEnvironment } from './vulkan.mjs';

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error('Usage: node scripts/run.mjs ENTRY.ts [args…]');
  process.exit(2);
}
const source = existsSync(resolve(entry)) ? resolve(entry) : resolve(root, entry);
if (!existsSync(source)) {
  console.error(`No such file: ${entry}`);
  process.exit(2);
}

installPackages();
const environment = await vulkanEnvironment().catch((error) => {
  console.error(error.message);
  process.exit(2);
});
const program = await bundle(source);

const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], {
  stdio: 'inherit',
  env: { ...process.env, ...environment },
});

process.on('SIGINT', () => {
  // A terminal sends Ctrl-C to the child as well; sending it twice would look like "quit at once".
  if (!process.stdin.isTTY) child.kill('SIGINT');
});
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => child.kill(signal));
}
onParentExit(() => child.kill('SIGTERM'));
child.on('error', (error) => {
  console.error(`Node could not be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.exit(128 + constants.signals[signal]);
});

/**
 * Scripts of this folder depend on their location, so they are not bundled.
 * @returns {import('esbuild').Plugin}
 */
function scriptsOutside() {
  return {
    name: 'scripts-outside',
    setup({ onResolve }) {
      onResolve({ filter: /\/scripts\/[\w-]+\.mjs$/ }, ({ path, resolveDir }) => ({
        path: pathToFileURL(resolve(resolveDir, path)).href,
        external: true,
      }));
    },
  };
}

/**
 * @param {string} file absolute path of the TypeScript entry
 * @returns {Promise<string>} absolute path of the bundled program
 */
async function bundle(file) {
  // Imported after the installation.
  const esbuild = await import('esbuild');
  const { wgslForEsbuild } = await import('./wgsl.mjs');
  const name = relative(root, file)
    .replace(/\.[cm]?tsx?$/, '')
    .replace(/[^\w.-]+/g, '-');
  const folder = join(root, 'node_modules', '.cache', 'palestra');
  const output = join(folder, `${name}.mjs`);
  const result = await esbuild
    .build({
      entryPoints: [file],
      outfile: output,
      write: false,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      jsx: 'automatic',
      plugins: [scriptsOutside(), wgslForEsbuild()],
      sourcemap: 'inline',
      logLevel: 'error',
    })
    .catch(() => process.exit(1)); // esbuild has printed the errors
  mkdirSync(folder, { recursive: true });
  // Renaming is atomic: a second run of the same entry never reads a half-written program.
  const partial = `${output}.${process.pid}`;
  for (const { contents } of result.outputFiles) writeFileSync(partial, contents);
  renameSync(partial, output);
  return output;
}
