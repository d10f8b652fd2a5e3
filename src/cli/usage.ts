import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Thrown for a command line that cannot be used; the message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code for a command line that cannot be used. */
export const EXIT_USAGE = 2;
/** Exit code for a command that failed. */
export const EXIT_FAILED = 1;
/** Exit code after Ctrl-C, as shells have it. */
export const EXIT_INTERRUPTED = 130;

/** @throws {UsageError} for flags that do not exist, have no value, or for anything but flags. */
export function parseFlags<const Flags extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Flags,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    // Node's message goes on to explain `--`, which has no use here.
    const message = error instanceof Error ? error.message : String(error);
    const first = (message.split(/\.\s|\n/)[0] ?? message).replace(/\.$/, '');
    throw new UsageError(`${first}; --help lists what there is`);
  }
}

/**
 * The bytes of a file that a flag names.
 *
 * @param what the file in words, for instance `the config file`
 * @throws {UsageError}
 */
export function readGivenFile(what: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new UsageError(`${what} ${file} cannot be read${code}`);
  }
}

/**
 * Looks, before hours of work, whether files could be written into a folder, which need not exist.
 *
 * @throws {UsageError}
 */
export function checkFolder(flag: string, folder: string): void {
  if (existsSync(folder) && !statSync(folder).isDirectory()) {
    throw new UsageError(`${flag} ${folder}: this is a file; name a folder`);
  }
  if (!existsSync(dirname(folder))) {
    throw new UsageError(`${flag} ${folder}: the folder ${dirname(folder)} does not exist`);
  }
}

/**
 * Looks, before hours of work, whether a file could be written at the end.
 *
 * @throws {UsageError}
 */
export function checkWritable(flag: string, file: string): void {
  if (!existsSync(dirname(file))) {
    throw new UsageError(`${flag} ${file}: the folder ${dirname(file)} does not exist`);
  }
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new UsageError(`${flag} ${file}: this is a folder; name a file`);
  }
}
