import type { AnswerVersion } from '../criticism.ts';
import { ANSWER, BAD, OK, partsOf } from './notation.ts';

/**
 * Joins an answer and its corrected versions into one text (self-talk, arXiv:2411.16579). Each step is
 * followed by a label; a step labeled bad is followed by its correction and the remaining steps:
 * `s1 4 * 2 = 8 ok s2 8 * 4 = 9 bad s2 8 * 4 = 10 ok answer 10`.
 * @param versions all but the last with the index of their wrong step
 * @returns null if a version does not keep the steps before the wrong one, or does not contain that step
 */
export function writeMonologue(versions: readonly AnswerVersion[]): string | null {
  const sentences: string[] = [];
  const standing: string[] = [];
  for (const [v, { answer, wrong }] of versions.entries()) {
    const texts = partsOf(answer).map(({ text }) => text);
    const last = v === versions.length - 1;
    const end = last ? texts.length : wrong;
    const goesOn = standing.every((text, i) => texts[i] === text);
    if (end === null || (last && wrong !== null) || !goesOn || end < standing.length) return null;
    for (const text of texts.slice(standing.length, end)) {
      sentences.push(text.startsWith(ANSWER) ? text : `${text} ${OK}`);
      standing.push(text);
    }
    if (last) return sentences.join(' ');
    const taken = texts[end];
    // An answer ends the text and cannot be withdrawn.
    if (taken === undefined || taken.startsWith(ANSWER)) return null;
    sentences.push(`${taken} ${BAD}`);
  }
  return null;
}
