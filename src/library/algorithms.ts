/**
 * `palestra/algorithms`: the papers' equations in plain float64 numbers. The kernels are tested
 * against these functions.
 */

export {
  type AdvantageName,
  advantageNames,
  type EstimatorTraits,
  estimators,
} from '../algorithms/advantages.ts';
export { type LossAggregation, lossWeights } from '../algorithms/aggregation.ts';
export { type BapoBounds, type BapoRows, bapoSearch } from '../algorithms/bapo.ts';
export { clusteredMean, clusteredShare } from '../algorithms/clustered.ts';
export {
  bootstrapInterval,
  boundedInterval,
  type Estimate,
  interquartileMean,
  studentInterval,
  wilson,
} from '../algorithms/confidence.ts';
export {
  type CritiquedAnswer,
  type CritiqueMetrics,
  critiqueMetrics,
} from '../algorithms/critique-metrics.ts';
export { entropyRule } from '../algorithms/entropy-rule.ts';
export { explainedVariance } from '../algorithms/explained-variance.ts';
export { fixedHorizon, type HorizonSchedule, scalingInter } from '../algorithms/horizon.ts';
export { type KlEstimator, klEstimate, klEstimators } from '../algorithms/kl-penalty.ts';
export { majority, majorityAtK, type Vote } from '../algorithms/majority.ts';
export type { BapoSettings, CovarianceSettings } from '../algorithms/objective.ts';
export { passAtK } from '../algorithms/pass-at-k.ts';
export { type PolicyLoss, policyLosses, type Token } from '../algorithms/policy-losses.ts';
export type {
  AdvantageEstimator,
  EpisodeSignal,
  EstimatorSettings,
  TokenAdvantages,
} from '../algorithms/signal.ts';
export { type Surrogate, type SurrogateTraits, surrogateTraits } from '../algorithms/surrogates.ts';
