/**
 * Requests and answers of the worker that parses files outside the page. The worker exits after its
 * answer; the page terminates it if it takes too long.
 */
import {
  areLoaded,
  type EnvironmentSettings,
  loadEnvironments,
  namedEnvironments,
} from '../envs/registry.ts';
import { fileLimits } from '../files/limits.ts';
import { CheckpointError } from '../runs/checkpoint.ts';
import {
  CritiqueFileError,
  checkCritiqueFileSize,
  type ReadCritiques,
  readCritiques,
} from '../runs/critique-file.ts';
import type { EnvironmentRef } from '../runs/episode.ts';
import { decodeRunFile, type ReadRunFile, RunFileError } from '../runs/run-file.ts';
import type { ReadAgent } from './agent.ts';
import { readAgentFile } from './agent-files.ts';
import { AgentFileError } from './errors.ts';
import { SweepFilesError } from './sweeps/error.ts';
import type { OpenedSweep, SweepRun } from './sweeps/opened-sweep.ts';
import { openSweep, readSweepRun } from './sweeps/read-sweep.ts';
import type { SweepFile } from './sweeps/recognize.ts';
import { checkFileSize, TrajectoryFileError } from './trajectories/trajectory-file.ts';
import { type ImportedTrajectory, importTrajectories } from './trajectories/trajectory-import.ts';

export type FileRequest =
  | { readonly kind: 'agent'; readonly file: Blob }
  | { readonly kind: 'run'; readonly file: Blob }
  | {
      readonly kind: 'trajectories';
      readonly file: Blob;
      /** Environments of the current run, tried first. */
      readonly present: readonly EnvironmentRef[];
    }
  | {
      readonly kind: 'critiques';
      readonly file: Blob;
      /** Environment or mixture of the current run, tried first. */
      readonly present: readonly EnvironmentSettings[];
    }
  | { readonly kind: 'sweep'; readonly files: readonly SweepFile[] }
  | {
      readonly kind: 'sweep-run';
      readonly files: readonly SweepFile[];
      /** Path of the run's record among the files. */
      readonly path: string;
    };

export type FileAnswer =
  | { readonly kind: 'agent'; readonly agent: ReadAgent }
  | { readonly kind: 'run'; readonly run: ReadRunFile }
  | { readonly kind: 'trajectories'; readonly trajectories: readonly ImportedTrajectory[] }
  | { readonly kind: 'critiques'; readonly critiques: ReadCritiques }
  | { readonly kind: 'sweep'; readonly sweep: OpenedSweep }
  | { readonly kind: 'sweep-run'; readonly run: SweepRun }
  /** The file cannot be used; the message is one sentence. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Any other error; no file should cause one. */
  | { readonly kind: 'failed'; readonly message: string };

/** Reads a file; never rejects. */
export async function answerFileRequest(request: FileRequest): Promise<FileAnswer> {
  try {
    return await read(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: isRefusal(error) ? 'refused' : 'failed', message };
  }
}

async function read(request: FileRequest): Promise<FileAnswer> {
  switch (request.kind) {
    case 'sweep':
      return { kind: 'sweep', sweep: await openSweep(request.files) };
    case 'sweep-run':
      return { kind: 'sweep-run', run: await readSweepRun(request.files, request.path) };
    default:
      return readOne(request);
  }
}

async function readOne(
  request: Exclude<FileRequest, { readonly files: readonly SweepFile[] }>,
): Promise<FileAnswer> {
  const { kind, file } = request;
  switch (kind) {
    case 'agent':
      if (file.size > fileLimits.agent) throw new AgentFileError(tooLarge(file, fileLimits.agent));
      return { kind, agent: await inItsWorlds(file, readAgentFile, ({ run }) => run?.config) };
    case 'run':
      if (file.size > fileLimits.run) throw new RunFileError(tooLarge(file, fileLimits.run));
      return { kind, run: await inItsWorlds(file, decodeRunFile, ({ entry }) => entry.config) };
    case 'trajectories': {
      checkFileSize(file.size);
      await loadEnvironments();
      const text = new TextDecoder().decode(await bytesOf(file));
      return { kind, trajectories: importTrajectories(text, request.present) };
    }
    case 'critiques': {
      checkCritiqueFileSize(file.size);
      await loadEnvironments();
      const text = new TextDecoder().decode(await bytesOf(file));
      return { kind, critiques: readCritiques(text, request.present) };
    }
    default:
      return kind satisfies never;
  }
}

/**
 * Checking a config creates its environments, which load on demand and are known only after reading it.
 * If they are missing, load them and read the file again; load all environments if the config names none
 * or cannot be read without them.
 */
async function inItsWorlds<T>(
  file: Blob,
  readIt: (bytes: Uint8Array) => T,
  configOf: (read: T) => unknown,
): Promise<T> {
  const bytes = await bytesOf(file);
  const first = attempt(() => readIt(bytes));
  const config = first === undefined ? undefined : configOf(first);
  const ids = config === undefined ? undefined : namedEnvironments(config);
  if (first !== undefined && ids !== undefined && areLoaded(ids)) return first;
  await loadEnvironments(ids);
  return readIt(bytes);
}

function attempt<T>(readIt: () => T): T | undefined {
  try {
    return readIt();
  } catch {
    return undefined;
  }
}

function tooLarge({ size }: Blob, most: number): string {
  return `it has ${size} bytes; the limit is ${most}`;
}

/** Thrown for a folder, or for a file that was moved or is not readable. */
class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

async function bytesOf(file: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new UnreadableFileError('The browser cannot read this file; choose an existing one.');
  }
}

function isRefusal(error: unknown): boolean {
  return [
    AgentFileError,
    CheckpointError,
    CritiqueFileError,
    RunFileError,
    SweepFilesError,
    TrajectoryFileError,
    UnreadableFileError,
  ].some((known) => error instanceof known);
}

/** Buffers of an answer to transfer to the page instead of copying. */
export function transferred(answer: FileAnswer): ArrayBuffer[] {
  switch (answer.kind) {
    case 'agent':
      return [
        ...new Set([...answer.agent.weights.values()].map(({ values }) => values.buffer)),
      ].filter((buffer) => buffer instanceof ArrayBuffer);
    case 'run':
      return [answer.run.checkpoint.buffer];
    default:
      return [];
  }
}
