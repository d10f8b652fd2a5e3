/** Log files at paths on the command line. */

import {
  closeSync,
  type Dirent,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { LogError } from '../exchange/logs/error.ts';
import { type LogFile, memoryFile } from '../exchange/logs/source.ts';
import { foreignLimits, logLimits } from '../files/log-limits.ts';
import { readGivenFile } from './files.ts';
import { UsageError } from './usage.ts';

/**
 * The file at a path, or all files below a folder except hidden ones and links. Reading a file throws a
 * `LogError` if it cannot be read.
 *
 * @param say receives a line for each folder or file below the path that is skipped because it cannot be read
 * @throws {UsageError} for a path that cannot be read
 */
export function logFilesAt(
  path: string,
  say: (line: string) => void = () => {},
): readonly LogFile[] {
  const entry = statOf(path);
  if (!entry.isDirectory()) return [fileAt(path, path, entry)];
  const found: LogFile[] = [];
  const skipping = (read: () => void) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      say(`${error.message}; it is skipped`);
    }
  };
  const walk = (folder: string) => {
    for (const one of entriesOf(folder)) {
      if (one.name.startsWith('.')) continue;
      const place = join(folder, one.name);
      if (one.isDirectory()) skipping(() => walk(place));
      else if (one.isFile()) skipping(() => found.push(fileAt(place, place, statOf(place))));
      if (found.length > foreignLimits.files) {
        throw new UsageError(
          `${path} contains more than ${foreignLimits.files} files; name a folder within it`,
        );
      }
    }
  };
  walk(path);
  return found;
}

class UnreadableError extends UsageError {
  constructor(path: string, error: unknown) {
    super(`the log ${path} cannot be read${codeOf(error)}`);
  }
}

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw new UnreadableError(path, error);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw new UnreadableError(folder, error);
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';

function fileAt(path: string, place: string, entry: Stats): LogFile {
  const shownPath = path.replaceAll('\\', '/');
  // A pipe has no size and can be read only once.
  if (!entry.isFile())
    return memoryFile(shownPath, readGivenFile('the log', place, logLimits.bytes));
  return { path: shownPath, size: entry.size, read: async (from, to) => readPart(place, from, to) };
}

/** @throws {LogError} for a file that was removed or cannot be opened */
function readPart(place: string, from: number, to: number): Uint8Array {
  try {
    return partOf(place, from, to);
  } catch (error) {
    throw new LogError(`cannot be read${codeOf(error)}`);
  }
}

function partOf(place: string, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  const open = openSync(place, 'r');
  try {
    let used = 0;
    while (used < bytes.length) {
      const read = readSync(open, bytes, used, bytes.length - used, from + used);
      if (read === 0) break;
      used += read;
    }
    return bytes.subarray(0, used);
  } finally {
    closeSync(open);
  }
}
