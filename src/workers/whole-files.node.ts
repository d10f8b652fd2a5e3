/**
 * Files on storage shared by several machines. A file appears completely or not at all: it is
 * written under a temporary name, flushed, and then renamed or linked into place.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Writes a file, replacing an existing one. */
export function replaceWhole(place: string, contents: string | Uint8Array): void {
  const part = writePart(place, contents);
  try {
    renameSync(part, place);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Writes a file unless it exists. @returns false if it exists, in which case it is unchanged */
export function createWhole(place: string, contents: string | Uint8Array): boolean {
  const part = writePart(place, contents);
  try {
    // Unlike a rename, a link fails if the name is taken, even on network file systems.
    linkSync(part, place);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

/** Suffix of files that are being written, or whose writer died. */
const PART = '.part';

export const isPart = (name: string): boolean => name.endsWith(PART);

function writePart(place: string, contents: string | Uint8Array): string {
  const part = `${place}.${randomUUID()}${PART}`;
  const open = openSync(part, 'wx');
  try {
    const bytes = typeof contents === 'string' ? Buffer.from(contents) : contents;
    for (let done = 0; done < bytes.length; ) done += writeSync(open, bytes, done);
    fsyncSync(open);
  } catch (error) {
    closeSync(open);
    rmSync(part, { force: true });
    throw error;
  }
  closeSync(open);
  return part;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

const STORAGE = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'ESTALE', 'EMFILE', 'ENFILE'];

/** Whether storage caused an error, so that a retry may succeed. */
export function isStorageError(error: unknown): error is Error {
  return STORAGE.some((code) => isCode(error, code));
}
