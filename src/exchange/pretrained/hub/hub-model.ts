/** A model on the Hugging Face Hub as plain data, also stored beside an unfinished download. */
import { z } from 'zod';
import { pretrainedLimits } from '../../../files/limits.ts';

/** Without folders: a model's files are at the top level. */
export const fileName = z.string().regex(/^[\w-][\w.-]{0,119}$/);

const hubFile = z.object({
  name: fileName,
  bytes: z.int().min(0).max(pretrainedLimits.bytes),
  /** `git` is the SHA-1 of a git blob. */
  hash: z.enum(['sha256', 'git']),
  /** In hexadecimal. */
  digest: z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/),
});
export type HubFile = z.infer<typeof hubFile>;

export const hubModel = z.object({
  /** `owner/name` */
  name: z.string().regex(/^[\w.-]{1,96}\/[\w.-]{1,96}$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** Text files first, so that a model without a chat template is rejected before its weights arrive. */
  files: z.array(hubFile).min(1).max(100),
});
export type HubModel = z.infer<typeof hubModel>;

export const bytesOf = ({ files }: Pick<HubModel, 'files'>): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Whether a file contains weights. */
export const isWeights = ({ name }: Pick<HubFile, 'name'>): boolean =>
  name.endsWith('.safetensors');
