import type { AnswerVersion } from '../criticism.ts';
import { ANSWER, BAD, OK, partsOf } from './notation.ts';

/**
 * One text of an answer and its mended versions (self-talk, arXiv:2411.16579): behind each step whether
 * it holds, and after one that does not the step anew and what follows from it.
 *
 *     s1 4 * 2 = 8 ok s2 8 * 4 = 9 bad s2 8 * 4 = 10 ok answer 10
 *
 * @param versions each but the last with the step, from 0, that was found wrong in it
 * @returns null where a version does not go on from the steps before the one that was found wrong, or
 *   where that step is not in it
 */
export function writeMonologue(versions: readonly AnswerVersion[]): string | null {
  const said: string[] = [];
  const standing: string[] = [];
  for (const [v, { answer, wrong }] of versions.entries()) {
    const texts = partsOf(answer).map(({ text }) => text);
    const last = v === versions.length - 1;
    const end = last ? texts.length : wrong;
    const goesOn = standing.every((text, i) => texts[i] === text);
    if (end === null || (last && wrong !== null) || !goesOn || end < standing.length) return null;
    for (const text of texts.slice(standing.length, end)) {
      said.push(text.startsWith(ANSWER) ? text : `${text} ${OK}`);
      standing.push(text);
    }
    if (last) return said.join(' ');
    const taken = texts[end];
    // An answer is the end of a text, and cannot be taken back by itself.
    if (taken === undefined || taken.startsWith(ANSWER)) return null;
    said.push(`${taken} ${BAD}`);
  }
  return null;
}
