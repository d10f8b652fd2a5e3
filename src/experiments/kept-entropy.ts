/** How single steps changed a run's entropy, as stored with the run. */

import type { EntropyStep, EntropyTrial } from '../runs/entropy-trials.ts';
import { entropySteps } from '../runs/entropy-trials.ts';
import { correlation } from '../runs/rule-fit.ts';

/** How steps followed one form of the entropy-clip rule. */
interface Agreement {
  /** Number of steps whose direction it predicts. */
  readonly predicted: number;
  /** Pearson's correlation of change and rule; null if one of them is constant. */
  readonly correlation: number | null;
}

/** Totals of one kind of step over a run. */
export interface KeptSteps {
  readonly step: EntropyStep;
  readonly updates: number;
  /** Mean share of its tokens in the update's tokens with an advantage. */
  readonly share: number;
  /** Number of steps after which entropy was higher. */
  readonly rises: number;
  /** Mean entropy change, in nats. */
  readonly change: number;
  /** With the expectation of log π in each state, and with its mean over the update. */
  readonly rule: Agreement;
  readonly batchRule: Agreement;
}

export interface KeptEntropy {
  /** Step size of the trial steps. */
  readonly rate: number;
  readonly steps: readonly KeptSteps[];
}

/** Totals over a run's trials; kinds of steps without a trial are absent. */
export function keptEntropy(rate: number, trials: readonly EntropyTrial[]): KeptEntropy {
  const steps = entropySteps.flatMap((step): KeptSteps[] => {
    const own = trials.filter((trial) => trial.step === step);
    if (own.length === 0) return [];
    const mean = (of: (trial: EntropyTrial) => number) =>
      short(own.reduce((sum, trial) => sum + of(trial), 0) / own.length);
    const agreement = (of: (trial: EntropyTrial) => number): Agreement => {
      const related = correlation(own.map((trial) => [trial.change, of(trial)]));
      return {
        predicted: own.filter((trial) => trial.change * of(trial) > 0).length,
        correlation: Number.isNaN(related) ? null : short(related),
      };
    };
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

const short = (value: number) => Number(value.toPrecision(5));
