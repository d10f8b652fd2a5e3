import { closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';

/** A file appears complete or not at all. */
export function writeWhole(file: string, contents: string | Uint8Array): void {
  writeFileSync(`${file}.part`, contents);
  renameSync(`${file}.part`, file);
}

/** As `writeWhole`, of contents that are made piece by piece and never are in memory as a whole. */
export function writeWholeFrom(file: string, pieces: Iterable<string>): void {
  const part = openSync(`${file}.part`, 'w');
  try {
    for (const piece of pieces) writeSync(part, piece);
  } finally {
    closeSync(part);
  }
  renameSync(`${file}.part`, file);
}
