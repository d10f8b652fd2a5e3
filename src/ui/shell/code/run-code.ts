/** Checks and tries out the code of an environment, each time in a new worker that can be terminated. */

import type { CodeCheck, Trial } from '../../../agents/check-code.ts';
import type { Language } from '../../../envs/written/card.ts';
import type { CodeAnswer, CodeProgress, CodeRequest } from './worker.ts';

/** Loading the interpreter may take longer than an episode. */
const LOADING_SECONDS = 120;
const EPISODE_SECONDS = 20;

const NOT_LOADED = 'cannot be run: the interpreter could not be loaded';
const STOPPED = `does not return: an episode was stopped after ${EPISODE_SECONDS} s. Check for operations on very long texts or lists`;

/** Code and its language. */
export interface Code {
  readonly code: string;
  readonly language: Language;
}

/** An error in the code that occurs when it is tried out. */
export interface Refusal {
  readonly problem: string;
  readonly line: number | null;
}

/** @param signal cancels the check; the result is then null */
export async function check(
  { code, language }: Code,
  signal: AbortSignal,
): Promise<CodeCheck | null> {
  const answer = await ask({ kind: 'check', code, language }, signal);
  if (answer?.kind === 'check') return answer.check;
  if (answer?.kind !== 'refused') return null;
  const { problem, line } = answer;
  return { findings: [{ problem, line, level: 'error' }], facts: null };
}

/** @param signal cancels the attempt; the result is then null */
export async function tryOut(
  request: Omit<Extract<CodeRequest, { readonly kind: 'try' }>, 'kind'>,
  signal: AbortSignal,
): Promise<Trial | Refusal | null> {
  const answer = await ask({ kind: 'try', ...request }, signal);
  if (answer?.kind === 'try') return answer.trial;
  return answer?.kind === 'refused' ? answer : null;
}

function ask(request: CodeRequest, signal: AbortSignal): Promise<CodeAnswer | null> {
  if (signal.aborted) return Promise.resolve(null);
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-code',
  });
  let patience: ReturnType<typeof setTimeout> | undefined;
  const refused = (problem: string): CodeAnswer => ({ kind: 'refused', problem, line: null });
  const answer = new Promise<CodeAnswer | null>((resolve) => {
    const waitFor = (seconds: number, problem: string) => {
      clearTimeout(patience);
      patience = setTimeout(() => resolve(refused(problem)), 1000 * seconds);
    };
    worker.onmessage = ({ data }: MessageEvent<CodeAnswer | CodeProgress>) => {
      if (data.kind === 'progress') waitFor(EPISODE_SECONDS, STOPPED);
      else resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      resolve(refused(event.message || NOT_LOADED));
    };
    waitFor(LOADING_SECONDS, NOT_LOADED);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  worker.postMessage(request);
  return answer.finally(() => {
    clearTimeout(patience);
    worker.terminate();
  });
}
