/** The learning rate of a run, and what to change it to. */

import { significant } from '../../runs/numbers.ts';
import type { Remedy } from '../finding.ts';
import type { Moment } from '../history.ts';

/** As it was set; the rows say what a schedule had made of it by then. */
export const rate = (moment: Moment) =>
  moment.facts.optimizer?.learning_rate ?? moment.now('policy/learning_rate');

/** The learning rate in a sentence, where it is known. */
export const settingOf = (moment: Moment) =>
  Number.isFinite(rate(moment)) ? ` of ${significant(rate(moment))}` : '';

/** The learning rate times a factor, where the rows say what it was. */
export function rateTimes(
  moment: Moment,
  factor: number,
): Pick<Remedy, 'setting'> & { readonly value?: number } {
  const value = Number((rate(moment) * factor).toPrecision(2));
  return {
    setting: 'optimizer.learning_rate',
    ...(Number.isFinite(value) ? { value } : {}),
  };
}
