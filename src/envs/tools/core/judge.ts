/** Whether an answer is correct. */

import type { Answer } from './tool.ts';

/**
 * Ignores types, case and the order of a list: `"2021"` equals `2021`. A list with one item does not equal
 * the item.
 */
export function sameAnswer(given: Answer, wanted: Answer): boolean {
  const [a, b] = [normalized(given), normalized(wanted)];
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

function normalized(answer: Answer): readonly string[] {
  if (typeof answer === 'object') return ['list', ...answer.map(part).sort()];
  return [part(answer)];
}

function part(value: string | number): string {
  const text = String(value).trim().toLowerCase();
  return text !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : text;
}
