import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackRuns } from './archive.ts';
import { type ExperimentRun, parseRun } from './run.ts';

/** A run with the file that holds it. */
interface RunInFile {
  readonly file: string;
  readonly run: ExperimentRun;
}

/** Suffix of an archive's file name, which follows the experiment's name. */
export const ARCHIVE = '.jsonl.gz';

/** The archive of an experiment's runs. */
export const archiveOf = (results: string, name: string): string =>
  join(results, `${name}${ARCHIVE}`);

/**
 * Every kept run of an experiment: those in its archive and those in separate files, which
 * `reproduce` writes until they are packed. A separate file replaces the same arm and seed in the
 * archive.
 *
 * @param results the folder of all experiments, such as docs/results
 * @throws {KeptRunError}
 */
export function readRuns(results: string, name: string): readonly RunInFile[] {
  const found = new Map<string, RunInFile>();
  const add = (file: string, run: ExperimentRun) =>
    found.set(`${run.arm}\n${run.seed}`, { file, run });
  const archive = archiveOf(results, name);
  if (existsSync(archive)) {
    for (const run of unpackRuns(archive, readFileSync(archive))) add(archive, run);
  }
  for (const file of looseFiles(results, name))
    add(file, parseRun(file, readFileSync(file, 'utf8')));
  return [...found.values()];
}

/** The files of runs that are not in the archive. */
function looseFiles(results: string, name: string): readonly string[] {
  const folder = join(results, name);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => join(folder, file));
}
