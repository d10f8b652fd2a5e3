/** Whether an answer is the right one. */

import type { Answer } from './tool.ts';

/**
 * Types do not count, nor upper case, nor the order of a list: `"2021"` is `2021`. A list of one is
 * not the one.
 */
export function sameAnswer(given: Answer, wanted: Answer): boolean {
  const [a, b] = [normalised(given), normalised(wanted)];
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

function normalised(answer: Answer): readonly string[] {
  if (typeof answer === 'object') return ['list', ...answer.map(part).sort()];
  return [part(answer)];
}

function part(value: string | number): string {
  const text = String(value).trim().toLowerCase();
  return text !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : text;
}
