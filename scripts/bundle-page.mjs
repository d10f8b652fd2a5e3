import { build } from 'esbuild';
import { wgslForEsbuild } from './wgsl.mjs';

/**
 * Bundles modules with all imports, including shaders, as scripts for Chromium, in memory.
 *
 * @param {string | readonly string[]} entries paths of the modules
 * @param {string} folder from which the scripts are served, such as `/page`
 */
export async function bundlePage(entries, folder) {
  const { outputFiles } = await build({
    entryPoints: [entries].flat(),
    outdir: folder,
    write: false,
    bundle: true,
    // The benchmark reads shaders in the page; the code that reads them from files is never called
    // there.
    external: ['node:*'],
    splitting: true,
    format: 'esm',
    target: 'es2022',
    plugins: [wgslForEsbuild()],
    logLevel: 'error',
  });
  return outputFiles;
}
