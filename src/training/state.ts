/**
 * A trainer's state between iterations, besides its students' policies. With both, training
 * resumes bit-identically. Plain data; anything from a file is checked.
 */
import { z } from 'zod';
import { firstFault, list, pathText } from '../files/schema.ts';
import { CheckpointError } from '../runs/checkpoint.ts';
import { type StreamName, streamNames } from './random.ts';
import type { StudentState } from './student.ts';

export interface TrainerState {
  readonly iteration: number;
  readonly turns: number;
  readonly tokens: number;
  /** Wall-clock time of all iterations. */
  readonly seconds: number;
  /** `eval/success_rate` if the last iteration evaluated; it may have ended the run. */
  readonly success: number | null;
  /** State of each random stream; files from before a stream was added lack it. */
  readonly streams: Readonly<Partial<Record<StreamName, readonly number[]>>>;
  /** By role. */
  readonly students: Readonly<Record<string, StudentState>>;
  /** State that the recipe carries into the next iteration; the recipe checks it. */
  readonly recipe: unknown;
}

const count = z.int().min(0);
const schema = z.strictObject({
  iteration: count,
  turns: count,
  tokens: count,
  seconds: z.number().min(0),
  success: z.number().min(0).max(1).nullable(),
  streams: z.partialRecord(z.enum(streamNames), list(z.int32(), { min: 4, max: 4 })),
  students: z.record(
    z.string().max(100),
    z.strictObject({
      updates: count,
      skipped: z.strictObject({
        count,
        first: z
          .strictObject({
            cause: z.enum(['advantages', 'log-probabilities', 'ratios', 'loss', 'gradient']),
            where: z.string().max(1000),
          })
          .nullable(),
      }),
    }),
  ),
  recipe: z.unknown(),
});

/** @throws {CheckpointError} if no trainer could have saved it */
export function unpackTrainerState(data: unknown): TrainerState {
  return parseState(schema, data);
}

/**
 * Parses data from a file with a schema.
 *
 * @throws {CheckpointError} naming the first invalid field
 */
export function parseState<Data>(of: z.ZodType<Data>, data: unknown): Data {
  const parsed = of.safeParse(data);
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  throw fault(`${pathText(path) || 'it'}: ${message}`);
}

/** The error for an unusable training state; `what` ends the sentence. */
export function fault(what: string): CheckpointError {
  return new CheckpointError(`in its training state, ${what}`);
}
