/**
 * A run as one file: a zip with `run.json` (labels and config), `rows.bin` (its iterations, packed data)
 * and `checkpoint.safetensors`, which the command line opens as well. docs/CHECKPOINTS.md describes it.
 */
import { unzipSync, zipSync } from 'fflate';
import { z } from 'zod';
import { decodeCheckpoint } from './checkpoint.ts';
import { isMetricKey } from './metrics.ts';
import { PackedDataError, packData, unpackData } from './packed-data.ts';
import type { KeptRow, KeptRun, RunSnapshot } from './record.ts';
import { settlePreset } from './settle.ts';

/** Thrown for a file that is no run, or cannot be used; one sentence says why. */
export class RunFileError extends Error {
  override readonly name = 'RunFileError';
  /** @param reason the end of the sentence, for instance `it is no zip file` */
  constructor(reason: string) {
    super(`This run file cannot be used: ${reason}.`);
  }
}

/** Larger files are refused before they are read, and so is what they would unpack to. */
export const MOST_FILE_BYTES = 256 * 2 ** 20;
const MOST_UNPACKED_BYTES = 512 * 2 ** 20;

const VERSION = 1;
const RUN = 'run.json';
const ROWS = 'rows.bin';
const CHECKPOINT = 'checkpoint.safetensors';

export function encodeRunFile(
  { entry, rows }: KeptRun,
  checkpoint: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const { name, preset, created, status, adapter, pinned, tags, notes } = entry;
  const labels = { name, preset, created, status, adapter, pinned, tags, notes };
  const run = JSON.stringify({ palestra_run: VERSION, ...labels }, null, 2);
  const { iteration } = decodeCheckpoint(checkpoint);
  return zipSync({
    [RUN]: new TextEncoder().encode(run),
    [ROWS]: packData(rows.filter((row) => row.iteration <= iteration)),
    // Weights are noise to a compressor.
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
  tags: z.array(label).max(100),
  notes: z.string().max(100_000),
});

const metrics = z.custom<KeptRow['metrics']>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([key, n]) => isMetricKey(key) && typeof n === 'number'),
  'must have numbers under the names of metrics',
);
// A number that may be NaN, as the share of positive tokens is where every advantage is 0.
const number = z.custom<number>((value) => typeof value === 'number', 'must be a number');
const zones = z.tuple([number, number, number]);
const count = z.int().min(0);
const environments = z.array(
  z.strictObject({ id: label, episodes: count, successRate: number, score: number, turns: number }),
);
const rowSchema = z.strictObject({
  iteration: z.int().min(1),
  metrics,
  milliseconds: z.number().min(0),
  details: z.strictObject({
    updates: z.array(
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
    ),
    staleness: z.array(z.tuple([count, count])),
    diagnosis: z
      .strictObject({
        update: count,
        clipLow: number,
        clipHigh: number,
        samples: z.array(
          z.strictObject({
            logp: number,
            ratio: number,
            advantage: number,
            entropy: number,
            held: z.boolean().exactOptional(),
          }),
        ),
      })
      .exactOptional(),
    environments: environments.exactOptional(),
  }),
  evaluation: z
    .strictObject({ metrics, environments: environments.exactOptional() })
    .exactOptional(),
  gpuLost: z.literal(true).exactOptional(),
});

/** A run as it was read from a file. */
export interface ReadRunFile extends RunSnapshot {
  /** One sentence for each setting that is not used as it was written. */
  readonly replaced: readonly string[];
}

/**
 * Reads a run file. Its id is empty; who keeps it gives it one. A preset or a setting that this version
 * does not have is replaced and named.
 *
 * @throws {RunFileError} for anything but a run file.
 * @throws {CheckpointError} where the checkpoint in it cannot be used.
 */
export function decodeRunFile(bytes: Uint8Array): ReadRunFile {
  const files = unpack(bytes);
  const { palestra_run: _, ...labels } = checked(runSchema, readJson(part(files, RUN)), RUN);
  // A copy that owns its bytes, as storage wants it.
  const checkpoint = Uint8Array.from(part(files, CHECKPOINT));
  const { config, notes, iteration, training } = decodeCheckpoint(checkpoint);
  const { preset, notes: renamed } = settlePreset(labels.preset, 'in the run file');
  if (training === null) throw new RunFileError('its checkpoint has no state to train on from');
  const rows = checked(z.array(rowSchema), readPacked(part(files, ROWS)), ROWS);
  if (rows.length !== iteration || rows.some((row, i) => row.iteration !== i + 1)) {
    throw new RunFileError(`its rows are not the ${iteration} iterations of its checkpoint`);
  }
  return {
    entry: { ...labels, id: '', config, preset },
    rows,
    iteration,
    checkpoint,
    episodes: { training: [], evaluation: [], numbers: 0 },
    shown: { latest: null, success: null, failure: null, evaluation: null },
    replaced: [...renamed, ...notes],
  };
}

type Files = Readonly<Record<string, Uint8Array>>;

function unpack(bytes: Uint8Array): Files {
  if (bytes.length > MOST_FILE_BYTES) throw new RunFileError('it is too large');
  let unpacked = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (name !== RUN && name !== ROWS && name !== CHECKPOINT) return false;
        unpacked += originalSize;
        if (unpacked > MOST_UNPACKED_BYTES) throw new RunFileError('it would unpack to too much');
        return true;
      },
    });
  } catch (error) {
    if (error instanceof RunFileError) throw error;
    throw new RunFileError('it is no zip file, or a damaged one');
  }
}

function part(files: Files, name: string): Uint8Array {
  const found = files[name];
  if (found === undefined) throw new RunFileError(`${name} is missing in it`);
  return found;
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RunFileError(`its ${RUN} is not JSON`);
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
  const [issue] = parsed.error.issues;
  const where = issue?.path.map(String).join('.') || 'as a whole';
  throw new RunFileError(`in its ${name}, ${where}: ${issue?.message ?? 'it is not valid'}`);
}
