import { estimators } from '../../algorithms/advantages.ts';
import { defaultObjective } from '../../algorithms/objective.ts';
import { traitsOf } from '../../algorithms/surrogates.ts';
import type { Config } from '../../config/schema.ts';
import type { Objective } from '../../policy/types.ts';
import type { TrainingEpisode } from './batch.ts';

/** The loss of reinforcement learning. A 0 that means "off" in the config becomes Infinity. */
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

/**
 * Whether a batch can move the weights: some advantage is not 0, or the loss has a term without
 * advantages. Otherwise the gradient is exactly 0, and a step would only apply Adam's old momentum.
 */
export function hasGradient(
  { surrogate, entropyCoef, kl, value, covariance }: Objective,
  batch: readonly Pick<TrainingEpisode, 'advantages'>[],
): boolean {
  const penalty = traitsOf(surrogate).fields.includes('covariance.kl_coef') ? covariance.klCoef : 0;
  return (
    [entropyCoef, kl.coef, value.coef, penalty].some((coefficient) => coefficient !== 0) ||
    batch.some(({ advantages }) => advantages.some((advantage) => advantage !== 0))
  );
}

/** The negative log-probability of the expert's tokens, at the rollout temperature. */
export function imitationObjective({ agent }: Config): Objective {
  return {
    ...defaultObjective,
    surrogate: 'likelihood',
    entropyCoef: 0,
    temperature: agent.temperature,
  };
}

/** Direct preference optimization. */
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
