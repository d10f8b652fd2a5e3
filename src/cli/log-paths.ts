/** Log files at paths on the command line. */

import { closeSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type LogFile, memoryFile } from '../exchange/logs/source.ts';
import { foreignLimits, logLimits } from '../files/log-limits.ts';
import { readGivenFile } from './files.ts';
import { UsageError } from './usage.ts';

/**
 * The file at a path, or all files below a folder except hidden ones and links.
 *
 * @throws {UsageError} for a path that cannot be read
 */
export function logFilesAt(path: string): readonly LogFile[] {
  const entry = statOf(path);
  if (!entry.isDirectory()) return [fileAt(path, path, entry)];
  const found: LogFile[] = [];
  const walk = (folder: string) => {
    for (const one of readdirSync(folder, { withFileTypes: true })) {
      if (one.name.startsWith('.')) continue;
      const place = join(folder, one.name);
      if (one.isDirectory()) walk(place);
      else if (one.isFile()) found.push(fileAt(place, place, statOf(place)));
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

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new UsageError(`the log ${path} cannot be read${code}`);
  }
}

function fileAt(path: string, place: string, entry: Stats): LogFile {
  const shownPath = path.replaceAll('\\', '/');
  // A pipe has no size and can be read only once.
  if (!entry.isFile())
    return memoryFile(shownPath, readGivenFile('the log', place, logLimits.bytes));
  return { path: shownPath, size: entry.size, read: async (from, to) => readPart(place, from, to) };
}

function readPart(place: string, from: number, to: number): Uint8Array {
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
