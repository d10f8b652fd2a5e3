/** Whether files are those of a sweep, by how they begin. Small: the page asks it of whatever is dropped. */

/** A file that was dropped or chosen, with the folders it lies in. */
export interface SweepFile {
  readonly path: string;
  readonly file: Blob;
}

export type SweepFileKind = 'sweep' | 'record' | 'trial';

/** What every file of a sweep says first. */
const beginnings: readonly (readonly [SweepFileKind, RegExp])[] = [
  ['sweep', /^\s*\{\s*"palestra_sweep"\s*:/],
  ['record', /^\s*\{\s*"palestra_sweep_run"\s*:/],
  ['trial', /^\s*\{\s*"number"\s*:\s*\d+\s*,\s*"values"\s*:/],
];

/** Bytes that are looked at. */
const HEAD = 64;

/** Null for a file that is none of a sweep's. */
export async function sweepFileKind({ path, file }: SweepFile): Promise<SweepFileKind | null> {
  if (!path.endsWith('.json')) return null;
  const head = await file
    .slice(0, HEAD)
    .text()
    .catch(() => '');
  return beginnings.find(([, begins]) => begins.test(head))?.[0] ?? null;
}

/** JSON files that are tried before the others are taken for something else. */
const TRIED = 100;

/** Whether a sweep, or records of its runs, are among the files, or in a zip. */
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

/** Bytes of a zip's end that are looked at; the names of its files stand there. */
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
