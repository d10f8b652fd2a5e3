import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/**
 * Bundles a program once, as its npm script does, so that a test can start and kill the program's
 * own process.
 *
 * @param entry of the program, relative to the repository's root: `src/cli/sweep.ts`
 * @returns the path of the bundle
 */
export function bundledProgram(entry: string): string {
  const made = spawnSync(process.execPath, ['scripts/run.mjs', entry, '--help'], {
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`${entry} cannot be bundled: ${made.stderr}`);
  const name = entry.replace(/\.ts$/, '').replaceAll('/', '-');
  return resolve(`node_modules/.cache/palestra/${name}.mjs`);
}
