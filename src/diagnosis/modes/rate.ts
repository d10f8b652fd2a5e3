/** The learning rate of a run, and what to change it to. */

import { significant } from '../../runs/numbers.ts';
import type { Remedy } from '../finding.ts';
import type { Moment } from '../history.ts';

/** As it was set; the rows say what a schedule had made of it by then. */
const set = (moment: Moment) =>
  moment.facts.optimizer?.learning_rate ?? moment.now('policy/learning_rate');

/** No schedule raises a learning rate above what was set: this much above it, something else has. */
const RAISED = 1.5;

/** The rows have a learning rate that was never set. */
const isRaised = (moment: Moment) => moment.now('policy/learning_rate') > RAISED * set(moment);

/** In force: as it was set, or what something made of it. */
export const rate = (moment: Moment) =>
  isRaised(moment) ? moment.now('policy/learning_rate') : set(moment);

/** The learning rate in a sentence, where it is known. */
export const settingOf = (moment: Moment) =>
  Number.isFinite(rate(moment)) ? ` of ${significant(rate(moment))}` : '';

/** The learning rate times a factor, where the rows say what it was. */
export function rateTimes(
  moment: Moment,
  factor: number,
): Pick<Remedy, 'setting'> & { readonly value?: number } {
  const value = Number((set(moment) * factor).toPrecision(2));
  return {
    setting: 'optimizer.learning_rate',
    ...(Number.isFinite(value) ? { value } : {}),
  };
}

/** What to do where the learning rate is not the one that was set; null where it is. */
export function asItWasSet(moment: Moment): Remedy | null {
  if (!isRaised(moment)) return null;
  return {
    setting: 'faults.learning_rate_factor',
    value: 1,
    text: `Find what raised the learning rate to ${significant(rate(moment))}: it was set to ${significant(set(moment))}.`,
  };
}
