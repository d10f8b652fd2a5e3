/** Code of environments that the visitor has allowed to run in this browser. */

import { create } from 'zustand';
import type { Config } from '../../../config/schema.ts';
import { writtenCard } from '../../../envs/written/card.ts';
import { permission } from '../../../envs/written/permission.ts';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';

const KEY = 'allowed-code';
/** Beyond this number the oldest is dropped; the visitor is asked about it again. */
const MOST_KEPT = 12;

function kept(): readonly string[] {
  try {
    const list: unknown = JSON.parse(readKept(KEY) ?? '[]');
    return Array.isArray(list) ? list.filter((code) => typeof code === 'string') : [];
  } catch {
    return [];
  }
}

let allowed: readonly string[] | null = null;
const allowedCode = () => {
  allowed ??= kept();
  return allowed;
};

whenForgotten(() => {
  allowed = null;
});

/** From now on, the page runs allowed code only. */
export function restrictCode(): void {
  permission.mayRun = (code) => allowedCode().includes(code);
}

export function allowCode(code: string): void {
  allowed = [code, ...allowedCode().filter((other) => other !== code)].slice(0, MOST_KEPT);
  writeKept(KEY, JSON.stringify(allowed));
}

/** A run whose code waits for the visitor's permission. */
interface Question {
  readonly code: string;
  /** Continues once it is allowed. */
  readonly goOn: () => void;
}

export const useCodeQuestion = create<{ readonly question: Question | null }>()(() => ({
  question: null,
}));

/** The first code of a config that may not run yet; null if all may. */
export function unknownCode({ id, options, mixture }: Config['env']): string | null {
  const parts = mixture.length === 0 ? [{ id, options }] : mixture;
  const codes = parts.flatMap((part) =>
    part.id === writtenCard.id && typeof part.options.code === 'string' ? part.options.code : [],
  );
  return codes.find((code) => code !== '' && !permission.mayRun(code)) ?? null;
}

/**
 * Asks the visitor before code runs that is not allowed yet.
 *
 * @returns whether it asks; if so, `goOn` is called once the code is allowed
 */
export function asksForCode(env: Config['env'], goOn: () => void): boolean {
  const code = unknownCode(env);
  useCodeQuestion.setState({ question: code === null ? null : { code, goOn } });
  return code !== null;
}
