/** Reads files that the user opens, each in its own worker, so that none can block the page. */
import type { EnvironmentSettings } from '../../../envs/registry.ts';
import type { ReadAgent } from '../../../exchange/agent.ts';
import type { FileAnswer, FileRequest } from '../../../exchange/file-reading.ts';
import type { OpenedSweep, SweepRun } from '../../../exchange/sweeps/opened-sweep.ts';
import type { SweepFile } from '../../../exchange/sweeps/recognize.ts';
import type { ImportedTrajectory } from '../../../exchange/trajectories/trajectory-import.ts';
import type { ReadCritiques } from '../../../runs/critique-file.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import type { ReadRunFile } from '../../../runs/run-file.ts';

/** The file cannot be used; the message is one sentence. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/** The largest valid files take a few seconds; anything slower is hostile. */
export const MOST_SECONDS = 120;

/** @throws {FileRefusedError} for a file without a readable agent */
export async function readAgent(file: Blob): Promise<ReadAgent> {
  const answer = await ask({ kind: 'agent', file });
  if (answer.kind === 'agent') return answer.agent;
  throw faultOf(answer);
}

/** @throws {FileRefusedError} for a file that is not a run */
export async function readRun(file: Blob): Promise<ReadRunFile> {
  const answer = await ask({ kind: 'run', file });
  if (answer.kind === 'run') return answer.run;
  throw faultOf(answer);
}

/**
 * @param present environments of the current run, which are tried first
 * @throws {FileRefusedError} for a file without dialogues
 */
export async function readTrajectories(
  file: Blob,
  present: readonly EnvironmentRef[],
): Promise<readonly ImportedTrajectory[]> {
  const answer = await ask({ kind: 'trajectories', file, present });
  if (answer.kind === 'trajectories') return answer.trajectories;
  throw faultOf(answer);
}

/**
 * @param present environments of the current run, which are tried first
 * @throws {FileRefusedError} for a file that is not a data set of critiques
 */
export async function readCritiqueFile(
  file: Blob,
  present: readonly EnvironmentSettings[],
): Promise<ReadCritiques> {
  const answer = await ask({ kind: 'critiques', file, present });
  if (answer.kind === 'critiques') return answer.critiques;
  throw faultOf(answer);
}

/**
 * @param files of a sweep's folder, or a zip of it
 * @throws {FileRefusedError} for files that are not a sweep
 */
export async function readSweep(files: readonly SweepFile[]): Promise<OpenedSweep> {
  const answer = await ask({ kind: 'sweep', files });
  if (answer.kind === 'sweep') return answer.sweep;
  throw faultOf(answer);
}

/**
 * @param path of the run's record among the files
 * @throws {FileRefusedError} if it is missing or damaged
 */
export async function readSweepRun(files: readonly SweepFile[], path: string): Promise<SweepRun> {
  const answer = await ask({ kind: 'sweep-run', files, path });
  if (answer.kind === 'sweep-run') return answer.run;
  throw faultOf(answer);
}

function faultOf(answer: FileAnswer): Error {
  if (answer.kind === 'refused') return new FileRefusedError(answer.message);
  return new Error(
    answer.kind === 'failed'
      ? answer.message
      : `The file has an unexpected content type: ${answer.kind}.`,
  );
}

function ask(request: FileRequest): Promise<FileAnswer> {
  const worker = new Worker(new URL('../../../exchange/file-worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-file',
  });
  let patience: ReturnType<typeof setTimeout> | undefined;
  const answer = new Promise<FileAnswer>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<FileAnswer>) => resolve(data);
    // The script did not load, or the worker ran out of memory.
    worker.onerror = (event) => {
      event.preventDefault();
      const message = event.message || 'The file could not be read. Reload the page and try again.';
      resolve({ kind: 'failed', message });
    };
    worker.onmessageerror = () =>
      resolve({
        kind: 'failed',
        message: 'The result of reading the file could not be transferred.',
      });
    patience = setTimeout(() => {
      const message = `Reading took longer than ${MOST_SECONDS / 60} minutes and was cancelled. Try a smaller file.`;
      resolve({ kind: 'refused', message });
    }, 1000 * MOST_SECONDS);
  });
  worker.postMessage(request);
  return answer.finally(() => {
    clearTimeout(patience);
    worker.terminate();
  });
}
