import { renameSync, writeFileSync } from 'node:fs';

/** A file appears complete or not at all. */
export function writeWhole(file: string, contents: string | Uint8Array): void {
  writeFileSync(`${file}.part`, contents);
  renameSync(`${file}.part`, file);
}
