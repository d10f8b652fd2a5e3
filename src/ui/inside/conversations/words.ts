/** Labels for the parts of conversations. */

import type { Flip, LabelTruth, VerdictTruth } from './reading.ts';

export const flipNames: Readonly<Record<Flip, string>> = {
  'wrong-right': 'Wrong → correct',
  'wrong-wrong': 'Wrong → wrong',
  'right-right': 'Correct → correct',
  'right-wrong': 'Correct → wrong',
  open: 'Not refined',
};

/** The change of an answer, as a sentence. */
export const flipLines: Readonly<Record<Flip, string>> = {
  'wrong-right': 'Fixed: the answer was wrong and is correct after the critique.',
  'wrong-wrong': 'Still wrong: the critique did not lead to the correct answer.',
  'right-right': 'Kept: the answer was correct and stayed correct.',
  'right-wrong': 'Broken: the answer was correct and is wrong after the critique.',
  open: 'The actor did not answer again.',
};

export const verdictNames: Readonly<Record<VerdictTruth, string>> = {
  true: 'Verdict true',
  false: 'Verdict false',
  malformed: 'Malformed critique',
  none: 'No critique',
};

export const labelLines: Readonly<Record<LabelTruth, string>> = {
  right: '',
  missed: 'misses the error',
  alarm: 'false alarm',
};

export const rightness = (right: boolean): string => (right ? 'correct' : 'wrong');
