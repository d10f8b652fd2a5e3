/**
 * Files on storage that several machines share. A file appears whole or not at all: it is written under a
 * name of its own, brought to the disk, and then renamed or linked to where it belongs.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** Puts a file in its place, whatever was there. */
export function replaceWhole(place: string, contents: string | Uint8Array): void {
  const part = writePart(place, contents);
  try {
    renameSync(part, place);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Puts a file where there is none. @returns false where there is one, which is left as it is */
export function createWhole(place: string, contents: string | Uint8Array): boolean {
  const part = writePart(place, contents);
  try {
    // Unlike a rename, a link fails where the name is taken, on network file systems too.
    linkSync(part, place);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(part, { force: true });
  }
}

/** What ends the names of files that are being written, or were when their writer died. */
export const PART = '.part';

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

/** Whether storage is to blame, which another try may find mended. */
export function isStorageError(error: unknown): error is Error {
  return STORAGE.some((code) => isCode(error, code));
}
