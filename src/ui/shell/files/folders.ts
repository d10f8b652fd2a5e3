/** Files of chosen and dropped folders, with their paths. */

import type { GivenFile } from '../../../exchange/logs/log-work.ts';

/** A selected file with its path. */
export const given = (file: File): GivenFile => ({
  path: file.webkitRelativePath || file.name,
  file,
});

/**
 * Collects the files of dropped folders, except hidden ones.
 *
 * @param most number of files after which it stops
 * @param onUnreadable called with the path of a file that cannot be read
 */
export async function collect(
  entries: readonly FileSystemEntry[],
  into: GivenFile[],
  most: number,
  onUnreadable: (path: string) => void,
): Promise<void> {
  for (const entry of entries) {
    if (into.length >= most) return;
    const path = entry.fullPath.replace(/^\//, '');
    if (isFile(entry)) {
      const file = await new Promise<File | null>((resolve) =>
        entry.file(resolve, () => resolve(null)),
      );
      if (file === null) onUnreadable(path);
      else into.push({ path, file });
      continue;
    }
    if (!isFolder(entry)) continue;
    const reader = entry.createReader();
    // readEntries returns batches; an empty one is the last.
    for (;;) {
      const part = await new Promise<FileSystemEntry[]>((resolve) =>
        reader.readEntries(resolve, () => resolve([])),
      );
      if (part.length === 0) break;
      const shown = part.filter(({ name }) => !name.startsWith('.'));
      await collect(shown, into, most, onUnreadable);
    }
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
