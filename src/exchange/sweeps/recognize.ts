/** Recognizes sweep files by their first bytes. Kept small: the page runs it on every dropped file. */

/** A dropped or chosen file with its folder path. */
export interface SweepFile {
  readonly path: string;
  readonly file: Blob;
}

export type SweepFileKind = 'sweep' | 'record' | 'trial';

/** Start of every sweep file. */
const beginnings: readonly (readonly [SweepFileKind, RegExp])[] = [
  ['sweep', /^\s*\{\s*"palestra_sweep"\s*:/],
  ['record', /^\s*\{\s*"palestra_sweep_run"\s*:/],
  ['trial', /^\s*\{\s*"number"\s*:\s*\d+\s*,\s*"values"\s*:/],
];

/** Bytes read per file. */
const HEAD = 64;

/** Null if the file does not belong to a sweep. */
export async function sweepFileKind({ path, file }: SweepFile): Promise<SweepFileKind | null> {
  if (!path.endsWith('.json')) return null;
  const head = await file
    .slice(0, HEAD)
    .text()
    .catch(() => '');
  return beginnings.find(([, begins]) => begins.test(head))?.[0] ?? null;
}

/** Number of JSON files to try. */
const TRIED = 100;

/** Whether the files, or a zip among them, contain a sweep or run records. */
export async function holdSweep(files: readonly SweepFile[]): Promise<boolean> {
  const [only] = files;
  if (files.length === 1 && only !== undefined && (await isZipOfSweep(only))) return true;
  const named = files.filter(({ path }) => path.endsWith('.json')).slice(0, TRIED);
  for (const file of named) {
    const kind = await sweepFileKind(file);
    if (kind === 'sweep' || kind === 'record') return true;
  }
  return false;
}

/** Bytes read from the end of a zip, where its directory is. */
const END = 2 ** 17;

async function isZipOfSweep({ file }: SweepFile): Promise<boolean> {
  try {
    if ((await file.slice(0, 4).text()) !== 'PK\u0003\u0004') return false;
    const end = await file.slice(-END).text();
    return /(^|\W)(sweep|trial-\d{4,}-seed-\d+)[.]json/.test(end);
  } catch {
    return false;
  }
}
