import { estimators } from '../../algorithms/advantages.ts';
import { defaultObjective } from '../../algorithms/objective.ts';
import type { Config } from '../../config/schema.ts';
import type { Objective } from '../../policy/types.ts';

/** What reinforcement learning lowers. A 0 in the config that means "off" becomes Infinity. */
export function reinforcementObjective(config: Config): Objective {
  const { agent, algorithm, bapo, covariance } = config;
  return {
    surrogate: algorithm.objective,
    clipLow: algorithm.clip_low,
    clipHigh: algorithm.clip_high,
    dualClip: orInfinity(algorithm.dual_clip),
    importanceCap: orInfinity(algorithm.importance_cap),
    entropyCoef: algorithm.entropy_coef,
    kl: {
      estimator: algorithm.kl_estimator,
      coef: algorithm.kl_placement === 'loss' ? algorithm.kl_coef : 0,
    },
    value: {
      coef: estimators[algorithm.advantage].against === 'values' ? algorithm.value_coef : 0,
      clip: orInfinity(algorithm.value_clip),
    },
    bapo: {
      reading: bapo.reading,
      order: bapo.order,
      target: bapo.target,
      lowMin: bapo.low_min,
      lowMax: bapo.low_max,
      lowStep: bapo.low_step,
      highMin: bapo.high_min,
      highMax: bapo.high_max,
      highStep: bapo.high_step,
    },
    covariance: {
      fraction: covariance.fraction,
      low: covariance.low,
      high: covariance.high,
      klCoef: covariance.kl_coef,
      seed: 0,
    },
    dpoBeta: defaultObjective.dpoBeta,
    sign: 0,
    temperature: agent.temperature,
  };
}

/** The negative log-probability of the expert's tokens, at the temperature that rollouts have. */
export function imitationObjective({ agent }: Config): Objective {
  return {
    ...defaultObjective,
    surrogate: 'likelihood',
    entropyCoef: 0,
    temperature: agent.temperature,
  };
}

/** Direct preference optimisation. */
export function preferenceObjective({ agent, preference }: Config): Objective {
  return {
    ...defaultObjective,
    surrogate: 'dpo',
    entropyCoef: 0,
    dpoBeta: preference.beta,
    temperature: agent.temperature,
  };
}

function orInfinity(bound: number): number {
  return bound === 0 ? Number.POSITIVE_INFINITY : bound;
}
