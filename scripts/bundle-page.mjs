import { build } from 'esbuild';

/**
 * A module and all that it imports as scripts for Chromium, shaders included, in memory.
 *
 * @param {string} entry path of the module
 * @param {string} folder where the scripts will be served, such as `/page`
 */
export async function bundlePage(entry, folder) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: folder,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    loader: { '.wgsl': 'text' },
    logLevel: 'error',
  });
  return outputFiles;
}
