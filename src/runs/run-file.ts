/**
 * A run as one file: a zip with `run.json` (labels and config), `rows.bin` (its iterations as
 * packed data) and `checkpoint.safetensors`, which the command line also opens. See
 * docs/CHECKPOINTS.md.
 */

import { zipSync } from 'fflate';
import { z } from 'zod';
import { settlePreset } from '../config/settle.ts';
import { JsonError, readJson } from '../files/json.ts';
import { fileLimits, jsonLimits, runLimits } from '../files/limits.ts';
import { firstFault, list, pathText } from '../files/schema.ts';
import { readZip, ZipError } from '../files/zip.ts';
import { decodeCheckpoint, firstStudent } from './checkpoint.ts';
import { isMetricKey } from './metrics.ts';
import { PackedDataError, packData, unpackData } from './packed-data.ts';
import type { KeptRun, RunSnapshot } from './record.ts';
import type { Row } from './row.ts';

/** Thrown for a file that is not a run or cannot be used; the message gives the reason. */
export class RunFileError extends Error {
  override readonly name = 'RunFileError';
  /** @param reason the end of the sentence, for instance `it is too large` */
  constructor(reason: string) {
    super(`This run file cannot be used: ${reason}.`);
  }
}

const VERSION = 1;
const RUN = 'run.json';
const ROWS = 'rows.bin';
const CHECKPOINT = 'checkpoint.safetensors';

/** Size limit of each file, in bytes. */
const mostBytes: Readonly<Record<string, number>> = {
  [RUN]: jsonLimits.config.bytes,
  [ROWS]: fileLimits.runRows,
  [CHECKPOINT]: fileLimits.runUnpacked,
};

/**
 * Rows after the checkpoint are left out.
 *
 * @throws {Error} if a row of the checkpoint's iterations is missing, as `decodeRunFile` would
 *   reject the file
 */
export function encodeRunFile(
  { entry, rows }: KeptRun,
  checkpoint: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const { name, preset, created, status, adapter, pinned, tags, notes } = entry;
  const labels = { name, preset, created, status, adapter, pinned, tags, notes };
  const run = JSON.stringify({ palestra_run: VERSION, ...labels }, null, 2);
  const { iteration } = decodeCheckpoint(checkpoint);
  const covered = rows.filter((row) => row.iteration <= iteration);
  if (!isComplete(covered, iteration)) {
    throw new Error(
      `This run cannot be exported: its rows do not match the ${iteration} iterations of its checkpoint.`,
    );
  }
  return zipSync({
    [RUN]: new TextEncoder().encode(run),
    [ROWS]: packData(covered),
    // Weights do not compress.
    [CHECKPOINT]: [checkpoint, { level: 0 }],
  });
}

const label = z.string().max(200);
const runSchema = z.object({
  palestra_run: z.literal(VERSION),
  name: label.min(1),
  preset: label,
  created: z.number().min(0),
  status: z.enum(['running', 'paused', 'finished', 'stopped', 'failed']),
  adapter: label,
  pinned: z.boolean(),
  tags: list(label, { max: 100 }),
  notes: z.string().max(100_000),
});

const metrics = z.custom<Row['metrics']>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([key, n]) => isMetricKey(key) && typeof n === 'number'),
  'must contain only numbers, keyed by metric',
);
// May be NaN, for example the share of positive tokens if every advantage is 0.
const number = z.custom<number>((value) => typeof value === 'number', 'must be a number');
const zones = z.tuple([number, number, number]);
const count = z.int().min(0);
const environments = list(
  z.strictObject({ id: label, episodes: count, successRate: number, score: number, turns: number }),
  { max: runLimits.environments },
);
const rowSchema = z.strictObject({
  iteration: z.int().min(1),
  metrics,
  milliseconds: z.number().min(0),
  details: z.strictObject({
    updates: list(
      z.strictObject({
        update: count,
        loss: number,
        entropy: number,
        clipLow: number,
        clipHigh: number,
        positiveShare: number,
        clippedLow: number,
        clippedHigh: number,
        gradNorm: number,
        skipped: z.boolean(),
        cause: label.exactOptional(),
        positiveCounts: zones,
        negativeCounts: zones,
        positivePull: zones,
        negativePull: zones,
      }),
      { max: runLimits.updates },
    ),
    staleness: list(z.tuple([count, count]), { max: runLimits.iterations }),
    diagnosis: z
      .strictObject({
        update: count,
        clipLow: number,
        clipHigh: number,
        samples: list(
          z.strictObject({
            logp: number,
            ratio: number,
            advantage: number,
            entropy: number,
            held: z.boolean().exactOptional(),
          }),
          { max: runLimits.samples },
        ),
      })
      .exactOptional(),
    environments: environments.exactOptional(),
    round: z
      .strictObject({
        round: count,
        learned: z.boolean(),
        environments: list(z.strictObject({ id: z.string(), explored: count, kept: count }), {
          max: runLimits.environments,
        }),
        imitated: environments.exactOptional(),
      })
      .exactOptional(),
  }),
  evaluation: z
    .strictObject({ metrics, environments: environments.exactOptional() })
    .exactOptional(),
  device: label.exactOptional(),
  gpuLost: z.literal(true).exactOptional(),
});

/** A run read from a file. */
export interface ReadRunFile extends RunSnapshot {
  /** One sentence for each setting that was replaced because this version cannot use it. */
  readonly replaced: readonly string[];
}

/**
 * Reads a run file. The id is empty; the caller assigns one. A preset or setting that this version
 * does not have is replaced and listed in `replaced`.
 *
 * @throws {RunFileError} for anything but a run file
 * @throws {CheckpointError} if its checkpoint cannot be used
 */
export function decodeRunFile(bytes: Uint8Array): ReadRunFile {
  const files = unpack(bytes);
  const { palestra_run: _, ...labels } = checked(runSchema, readRunJson(part(files, RUN)), RUN);
  // Copied, because storage needs a buffer that contains only these bytes.
  const checkpoint = Uint8Array.from(part(files, CHECKPOINT));
  const decoded = decodeCheckpoint(checkpoint);
  const { config, notes, iteration, trainer } = decoded;
  const { base } = firstStudent(decoded);
  const { preset, notes: renamed } = settlePreset(labels.preset, 'in the run file');
  if (trainer === null)
    throw new RunFileError('its checkpoint has no training state to resume from');
  const rows = checked(
    list(rowSchema, { max: runLimits.iterations }),
    readPacked(part(files, ROWS)),
    ROWS,
  );
  if (!isComplete(rows, iteration)) {
    throw new RunFileError(`its rows do not match the ${iteration} iterations of its checkpoint`);
  }
  return {
    entry: { ...labels, id: '', config, preset, ...(base && { base }) },
    rows,
    iteration,
    checkpoint,
    episodes: { training: [], evaluation: [], numbers: 0 },
    shown: { latest: null, success: null, failure: null, evaluation: null },
    replaced: [...renamed, ...notes],
  };
}

/** Whether there is exactly one row for each iteration, in order. */
function isComplete(rows: readonly Row[], iterations: number): boolean {
  return rows.length === iterations && rows.every((row, i) => row.iteration === i + 1);
}

type Files = ReadonlyMap<string, Uint8Array>;

function unpack(bytes: Uint8Array): Files {
  if (bytes.length > fileLimits.run) throw new RunFileError('it is too large');
  try {
    return readZip(bytes, (name) => mostBytes[name] ?? null, fileLimits.runUnpacked);
  } catch (error) {
    if (error instanceof ZipError) throw new RunFileError(`it ${error.message}`);
    throw error;
  }
}

function part(files: Files, name: string): Uint8Array {
  const found = files.get(name);
  if (found === undefined) throw new RunFileError(`its ${name} is missing`);
  return found;
}

function readRunJson(bytes: Uint8Array): unknown {
  try {
    return readJson(bytes, jsonLimits.config);
  } catch (error) {
    if (error instanceof JsonError) throw new RunFileError(`its ${RUN} ${error.message}`);
    throw error;
  }
}

function readPacked(bytes: Uint8Array): unknown {
  try {
    return unpackData(bytes);
  } catch (error) {
    if (error instanceof PackedDataError)
      throw new RunFileError(`of its ${ROWS}, ${error.message}`);
    throw error;
  }
}

function checked<Data>(schema: z.ZodType<Data>, value: unknown, name: string): Data {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  throw new RunFileError(`in its ${name}, ${pathText(path) || 'as a whole'}: ${message}`);
}
