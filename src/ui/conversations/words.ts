/** What the parts of conversations are called. */

import type { Flip, LabelTruth, VerdictTruth } from './reading.ts';

export const flipNames: Readonly<Record<Flip, string>> = {
  'wrong-right': 'Wrong → right',
  'wrong-wrong': 'Wrong → wrong',
  'right-right': 'Right → right',
  'right-wrong': 'Right → wrong',
  open: 'Not given anew',
};

/** What became of an answer, in a sentence. */
export const flipLines: Readonly<Record<Flip, string>> = {
  'wrong-right': 'Mended: the answer was wrong, and after the critique it is right.',
  'wrong-wrong': 'Still wrong: the critique did not lead to the right answer.',
  'right-right': 'Kept: the answer was right, and stayed so.',
  'right-wrong': 'Spoilt: the answer was right, and after the critique it is wrong.',
  open: 'The actor was not asked to answer anew.',
};

export const verdictNames: Readonly<Record<VerdictTruth, string>> = {
  true: 'Verdict true',
  false: 'Verdict false',
  malformed: 'Unreadable critique',
  none: 'Not criticised',
};

export const labelLines: Readonly<Record<LabelTruth, string>> = {
  right: '',
  missed: 'misses the error',
  alarm: 'false alarm',
};

export const rightness = (right: boolean): string => (right ? 'right' : 'wrong');
