/** Sums up how single steps changed a run's entropy. */

import {
  type Agreement,
  type EntropyTrial,
  entropySteps,
  type KeptEntropy,
  type KeptSteps,
} from '../runs/entropy-trials.ts';
import { correlation } from '../runs/rule-fit.ts';
import { rounded } from './run.ts';

/** Totals over a run's trials; kinds of steps without a trial are absent. */
export function keptEntropy(rate: number, trials: readonly EntropyTrial[]): KeptEntropy {
  const steps = entropySteps.flatMap((step): KeptSteps[] => {
    const own = trials.filter((trial) => trial.step === step);
    if (own.length === 0) return [];
    const mean = (of: (trial: EntropyTrial) => number) =>
      rounded(own.reduce((sum, trial) => sum + of(trial), 0) / own.length) ?? 0;
    const agreement = (of: (trial: EntropyTrial) => number): Agreement => ({
      predicted: own.filter((trial) => trial.change * of(trial) > 0).length,
      correlation: rounded(correlation(own.map((trial) => [trial.change, of(trial)]))),
    });
    return [
      {
        ...{ step, updates: own.length, share: mean(({ share }) => share) },
        rises: own.filter(({ change }) => change > 0).length,
        change: mean(({ change }) => change),
        rule: agreement(({ rule }) => rule),
        batchRule: agreement(({ batchRule }) => batchRule),
      },
    ];
  });
  return { rate, steps };
}
