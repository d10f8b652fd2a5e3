/** Checks and tries out the code of an environment; the page terminates this worker if it takes too long. */

import { type CodeCheck, checkCode, type Trial, tryCode } from '../../../agents/check-code.ts';
import type { Language } from '../../../envs/written/card.ts';
import { compile } from '../../../envs/written/environment.ts';
import { CodeError, startInterpreter } from '../../../envs/written/interpreter.ts';
import { startPython } from '../../../envs/written/python/program.ts';

export type CodeRequest =
  | { readonly kind: 'check'; readonly code: string; readonly language: Language }
  | {
      readonly kind: 'try';
      readonly code: string;
      readonly language: Language;
      readonly task: number;
      readonly actions: readonly string[];
      /** Whether the expert finishes the episode. */
      readonly finish: boolean;
    };

export type CodeAnswer =
  | { readonly kind: 'check'; readonly check: CodeCheck }
  | { readonly kind: 'try'; readonly trial: Trial }
  | { readonly kind: 'refused'; readonly problem: string; readonly line: number | null };

/** Sent when the interpreter has started and after every episode of a check. */
export interface CodeProgress {
  readonly kind: 'progress';
}

// Page and worker types both apply here; a worker's `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<CodeRequest>) => {
  await (data.language === 'python' ? startPython() : startInterpreter());
  sendProgress();
  scope.postMessage(answer(data));
};

function sendProgress(): void {
  const progress: CodeProgress = { kind: 'progress' };
  scope.postMessage(progress);
}

function answer(request: CodeRequest): CodeAnswer {
  const { kind, code, language } = request;
  if (kind === 'check') return { kind, check: checkCode(code, sendProgress, language) };
  try {
    const { task, actions, finish } = request;
    return { kind, trial: tryCode(compile(code, language), task, actions, finish) };
  } catch (error) {
    if (!(error instanceof CodeError)) throw error;
    return { kind: 'refused', problem: error.problem, line: error.line };
  }
}
