/** Files of a sweep folder, recognized by content in any subfolder. */
import type { z } from 'zod';
import { JsonError, readJson } from '../../files/json.ts';
import { firstFault, pathText } from '../../files/schema.ts';
import { sweepLimits } from '../../files/sweep-limits.ts';
import { isZip, readZip, ZipError } from '../../files/zip.ts';
import type { Sweep } from '../../sweep/file.ts';
import { runName, type Trial } from '../../sweep/plan.ts';
import { SweepFilesError } from './error.ts';
import { type SweepFile, type SweepFileKind, sweepFileKind } from './recognize.ts';
import { type ReadRecord, recordSchema, sweepSchema, trialSchema } from './schema.ts';

export interface Parts {
  readonly sweeps: { readonly path: string; readonly sweep: Sweep }[];
  /** By number. */
  readonly trials: Map<number, Trial>;
  /** By run name. */
  readonly records: Map<string, FoundRecord>;
  /** What was skipped and why, one sentence each. */
  readonly notes: string[];
}

export interface FoundRecord {
  readonly path: string;
  readonly record: ReadRecord;
}

/** A skipped file; the message continues after "it". */
export class PartError extends Error {
  override readonly name = 'PartError';
}

/**
 * The files themselves, or the contents of a single zip.
 *
 * @throws {SweepFilesError}
 */
export async function unpacked(files: readonly SweepFile[]): Promise<readonly SweepFile[]> {
  if (files.length > sweepLimits.files) {
    throw new SweepFilesError(`there are ${files.length} files; the limit is ${sweepLimits.files}`);
  }
  const [only] = files;
  if (files.length !== 1 || only === undefined) return files;
  const { file } = only;
  if (!isZip(await bytesOf(file.slice(0, 4)))) return files;
  if (file.size > sweepLimits.zip) {
    throw new SweepFilesError(`it has ${file.size} bytes; the limit is ${sweepLimits.zip}`);
  }
  try {
    const most = (path: string) => (path.endsWith('.json') ? sweepLimits.json.bytes : null);
    const parts = readZip(await bytesOf(file), most, sweepLimits.zip);
    return [...parts].map(([path, bytes]) => ({ path, file: new Blob([Uint8Array.from(bytes)]) }));
  } catch (error) {
    if (error instanceof ZipError) throw new SweepFilesError(`it ${error.message}`);
    throw error;
  }
}

async function bytesOf(file: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new SweepFilesError('the browser cannot read one of its files; choose it again');
  }
}

/** @throws {SweepFilesError} above the size limits; faults of single files become notes */
export async function findParts(files: readonly SweepFile[]): Promise<Parts> {
  const parts: Parts = { sweeps: [], trials: new Map(), records: new Map(), notes: [] };
  let bytes = 0;
  let faults = 0;
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = await sweepFileKind(file);
    if (kind === null) continue;
    bytes += file.file.size;
    if (bytes > sweepLimits.bytes) {
      throw new SweepFilesError(`its files have more than ${sweepLimits.bytes} bytes`);
    }
    try {
      await take(file, kind, parts);
    } catch (error) {
      if (!(error instanceof PartError)) throw error;
      faults++;
      if (faults <= sweepLimits.notes) {
        parts.notes.push(`${file.path} is left out: it ${error.message}.`);
      }
    }
  }
  const more = faults - sweepLimits.notes;
  if (more > 0) parts.notes.push(`Further files could not be read (${more}).`);
  return parts;
}

async function take(
  file: SweepFile,
  kind: SweepFileKind,
  { sweeps, trials, records }: Parts,
): Promise<void> {
  switch (kind) {
    case 'sweep': {
      const { sweep } = await parse(file, sweepSchema);
      sweeps.push({ path: file.path, sweep });
      return;
    }
    case 'trial': {
      const trial = await parse(file, trialSchema);
      trials.set(trial.number, trial);
      return;
    }
    case 'record': {
      const record = await parse(file, recordSchema);
      if (record.run !== runName(record.trial, record.seed)) {
        throw new PartError('has a run name that does not match its trial and seed');
      }
      if (records.has(record.run)) throw new PartError(`is a second record of ${record.run}`);
      records.set(record.run, { path: file.path, record });
      return;
    }
    default:
      kind satisfies never;
  }
}

/** @throws {PartError} */
export async function parse<Data>({ file }: SweepFile, schema: z.ZodType<Data>): Promise<Data> {
  const { json } = sweepLimits;
  if (file.size > json.bytes) {
    throw new PartError(`has ${file.size} bytes; the limit is ${json.bytes}`);
  }
  const bytes = await bytesOf(file);
  let value: unknown;
  try {
    value = readJson(bytes, json);
  } catch (error) {
    if (error instanceof JsonError) throw new PartError(error.message);
    throw error;
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  throw new PartError(`has an invalid ${pathText(path) || 'top level'}: ${message}`);
}
