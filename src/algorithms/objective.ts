/**
 * The surrogates by name. What each is, with r the ratio of a token's probability to what it was
 * when it was written, A its advantage and y its text:
 *
 * - `ppo_clip`: min(r·A, clip(r)·A) (PPO, arXiv:1707.06347, Eq. 7), bounds apart and optional dual clip.
 * - `bapo`: the same with bounds that a search sets for each update (BAPO, arXiv:2510.18927, Alg. 1).
 * - `gspo`: one ratio for all tokens of an episode, (π/π_old)^(1/|y|) (GSPO, arXiv:2507.18071).
 * - `cispo`: sg(clip(r))·A·log π, so that no token loses its gradient (MiniMax-M1, arXiv:2506.13585).
 * - `clip_cov`, `kl_cov`: the tokens whose log-probability and advantage vary together the most lose
 *   their gradient, or pay a KL penalty (arXiv:2505.22617).
 * - `likelihood`: A·log π; with A = 1 supervised learning, with a reward as A reward-weighted.
 * - `dpo`: direct preference optimisation (arXiv:2305.18290); episodes 2p and 2p+1 are the better and
 *   the worse of pair p.
 */
export const surrogates = [
  'ppo_clip',
  'bapo',
  'gspo',
  'cispo',
  'clip_cov',
  'kl_cov',
  'likelihood',
  'dpo',
] as const;

export type Surrogate = (typeof surrogates)[number];

/** Estimators of the KL divergence to the reference policy (Schulman, "Approximating KL divergence"). */
export const klEstimators = ['k1', 'k2', 'k3'] as const;

export type KlEstimator = (typeof klEstimators)[number];

/** How BAPO reads the contribution of positive tokens. */
export const bapoReadings = ['value_share', 'pn_ratio', 'active_gradient_share'] as const;

export type BapoReading = (typeof bapoReadings)[number];

/** Which bound BAPO moves until it is exhausted: the paper's order, then the code's. */
export const bapoOrders = ['high_first', 'low_first'] as const;

export type BapoOrder = (typeof bapoOrders)[number];

/** The bound search of BAPO (arXiv:2510.18927, Algorithm 1). Bounds are ratios. */
export interface BapoSettings {
  readonly reading: BapoReading;
  readonly order: BapoOrder;
  /** ρ₀ in the reading's own unit: a share, or positive over negative for `pn_ratio`. */
  readonly target: number;
  /** a⁻ and b⁻: where c_low starts and the most it may reach. */
  readonly lowMin: number;
  readonly lowMax: number;
  /** a⁺ and b⁺: where c_high starts and the most it may reach. */
  readonly highMin: number;
  readonly highMax: number;
  /** δ₂ and δ₁, the steps of c_low and c_high. */
  readonly lowStep: number;
  readonly highStep: number;
}

/** Which tokens Clip-Cov and KL-Cov pick, and what KL-Cov charges them. */
export interface CovarianceSettings {
  /** Share of an update's tokens; at least one token is picked. */
  readonly fraction: number;
  /** Clip-Cov draws among the tokens whose covariance lies strictly between these. */
  readonly low: number;
  readonly high: number;
  /** KL-Cov's penalty coefficient on |log ratio|. */
  readonly klCoef: number;
  /** Seed of Clip-Cov's draw; another one for every update. */
  readonly seed: number;
}

/** Everything that turns loss rows into a loss. */
export interface ObjectiveSettings {
  readonly surrogate: Surrogate;
  /** Bounds of the ratio; `bapo` takes its own. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** Dual clip (arXiv:1912.09729): for A < 0 the surrogate is at least dualClip·A; Infinity is off. */
  readonly dualClip: number;
  /** The weight π_prox/π_behaviour is at most this (truncated importance sampling); Infinity is off. */
  readonly importanceCap: number;
  /** The loss gets −entropyCoef·entropy. */
  readonly entropyCoef: number;
  /** The loss gets coef·estimate of KL(π‖π_reference). */
  readonly kl: { readonly estimator: KlEstimator; readonly coef: number };
  /**
   * The loss gets coef·½·max((v − R)², (clip(v, v_old ± clip) − R)²); coef 0 trains no value head and
   * clip Infinity never clips.
   */
  readonly value: { readonly coef: number; readonly clip: number };
  readonly bapo: BapoSettings;
  readonly covariance: CovarianceSettings;
  /** β of DPO. */
  readonly dpoBeta: number;
  /** 0: all tokens pull. 1 or −1: only tokens with advantage of this sign do, and nothing else does. */
  readonly sign: 0 | 1 | -1;
}
