/** The learning rate of a run, and how to change it. */

import { significant } from '../../runs/numbers.ts';
import type { Remedy } from '../finding.ts';
import type { Moment } from '../history.ts';

/** The configured rate; if it is unknown, the scheduled rate in the row. */
const set = (moment: Moment) =>
  moment.facts.optimizer?.learning_rate ?? moment.now('policy/learning_rate');

/** No schedule exceeds the configured learning rate; a rate this far above it has another cause. */
const RAISED = 1.5;

/** Whether the rows have a learning rate that was never configured. */
const isRaised = (moment: Moment) => moment.now('policy/learning_rate') > RAISED * set(moment);

/** The configured rate, or the rate in the row if that is far higher. */
export const rate = (moment: Moment) =>
  isRaised(moment) ? moment.now('policy/learning_rate') : set(moment);

/** The learning rate in a sentence, if it is known. */
export const settingOf = (moment: Moment) =>
  Number.isFinite(rate(moment)) ? ` of ${significant(rate(moment))}` : '';

/** The learning rate times a factor, if the rate is known. */
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

/** The remedy for a learning rate that was not configured; null if it was. */
export function restoreConfiguredRate(moment: Moment): Remedy | null {
  if (!isRaised(moment)) return null;
  return {
    setting: 'faults.learning_rate_factor',
    value: 1,
    text: `Find what raised the learning rate to ${significant(rate(moment))}: the config sets ${significant(set(moment))}.`,
  };
}
