import { bapoSearch } from './bapo.ts';
import { klEstimate } from './kl-penalty.ts';

/**
 * The surrogates by name. What each is, with r the ratio of a token's probability to what it was
 * when it was written, A its advantage and y its text:
 *
 * - `ppo_clip`: min(r·A, clip(r)·A) (PPO, arXiv:1707.06347, Eq. 7), bounds apart and optional dual clip.
 * - `bapo`: the same with bounds that a search sets for each update (BAPO, arXiv:2510.18927, Alg. 1).
 * - `gspo`: one ratio for all tokens of an episode, s = (π/π_old)^(1/|y|) (GSPO, arXiv:2507.18071), in
 *   the form of its §4.3 that allows every token an advantage of its own (GSPO-token): token t has the
 *   ratio sg(s)·π(y_t)/sg(π(y_t)). Where the tokens of an episode share advantage and weight, as with
 *   group-relative advantages, loss and gradient are those of GSPO itself.
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

/**
 * The plain clipped surrogate with nothing else, beside the numbers of the papers for what can be
 * switched on: BAPO's main column and Clip-Cov's bounds.
 */
export const defaultObjective: ObjectiveSettings = {
  surrogate: 'ppo_clip',
  clipLow: 0.8,
  clipHigh: 1.2,
  dualClip: Number.POSITIVE_INFINITY,
  importanceCap: Number.POSITIVE_INFINITY,
  entropyCoef: 0,
  kl: { estimator: 'k3', coef: 0 },
  value: { coef: 0, clip: Number.POSITIVE_INFINITY },
  bapo: {
    reading: 'value_share',
    order: 'high_first',
    target: 0.4,
    lowMin: 0.6,
    lowMax: 0.9,
    highMin: 1.2,
    highMax: 3,
    lowStep: 0.02,
    highStep: 0.05,
  },
  covariance: { fraction: 0.002, low: 1, high: 5, klCoef: 1, seed: 0 },
  dpoBeta: 0.1,
  sign: 0,
};

/** The loss rows of a whole update, one entry of every list for each of the U rows. */
export interface LossRows {
  /** log π of the token that the agent wrote, in nats, now. */
  readonly logps: ArrayLike<number>;
  /** Entropy of π in nats. */
  readonly entropies: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  /** log π of the same token under the policy that wrote it. */
  readonly behaviourLogps: ArrayLike<number>;
  /** log π that ratios are taken against; the behaviour's in plain PPO. */
  readonly proximalLogps: ArrayLike<number>;
  /** log π under the reference policy. */
  readonly referenceLogps: ArrayLike<number>;
  readonly advantages: ArrayLike<number>;
  /** Weight of the row in the loss; 1/U each for a token mean. */
  readonly weights: ArrayLike<number>;
  /** Value estimate when the advantages were made. */
  readonly oldValues: ArrayLike<number>;
  /** What the value is fitted to. */
  readonly returns: ArrayLike<number>;
  /** Episode of the row, counted from 0 within the update. */
  readonly episodes: ArrayLike<number>;
}

/** What a surrogate needs to know of the whole update before its rows can be looked at one by one. */
export interface Batchwide {
  /** Bounds in force. */
  readonly clipLow: number;
  readonly clipHigh: number;
  /** BAPO's contribution of positive tokens at its bounds; NaN for other surrogates. */
  readonly rho: number;
  /**
   * (U) two numbers for each row, [0, 0] where the surrogate needs none:
   * - `gspo`: mean log ratio of the row's episode, 0
   * - `clip_cov`, `kl_cov`: 1 where the row is picked, 0
   * - `dpo`: ±β·σ(−margin), + for the better episode; pair loss / rows of the pair
   */
  readonly found: readonly (readonly [number, number])[];
}

/** One loss row's part. */
export interface SurrogateRow {
  /** Loss with entropy, KL and value terms, before its weight. */
  readonly loss: number;
  /** ∂(weighted loss)/∂log π. */
  readonly pull: number;
  /** −∂(weighted loss)/∂H. */
  readonly entropyWeight: number;
  /** ∂(weighted loss)/∂value. */
  readonly dvalue: number;
  /**
   * ∂(weighted loss)/∂log π of the surrogate, KL-Cov's penalty included, without the terms of
   * entropy, reference policy and value.
   */
  readonly surrogatePull: number;
  /** π/π_behaviour. */
  readonly ratio: number;
  /** What the bounds are held against: π/π_prox, for `gspo` the episode's s. */
  readonly clipRatio: number;
  /** (ratio − 1) − log ratio: an estimate of the KL divergence to the behaviour policy, never < 0. */
  readonly approxKl: number;
  /** Estimate of the KL divergence to the reference policy; 0 without a penalty. */
  readonly refKl: number;
  /** ½·max of the squared value errors, before its coefficient. */
  readonly valueLoss: number;
  /** The lower bound removed the gradient: A < 0 and r < clipLow. */
  readonly clippedLow: boolean;
  /** The upper bound removed the gradient: A > 0 and r > clipHigh. */
  readonly clippedHigh: boolean;
  /** The dual clip removed the gradient: A < 0 and r > dualClip. */
  readonly clippedDual: boolean;
  /** |π_behaviour·min(r·A, clip(r)·A)| where A > 0, and where A < 0. */
  readonly positiveContribution: number;
  readonly negativeContribution: number;
  /** Where r lies: under clipLow, between the bounds, over clipHigh. */
  readonly zone: 'below' | 'inside' | 'above';
  /** |∂(weighted loss)/∂log π| of the policy gradient alone, without KL terms. */
  readonly pgPull: number;
}

/**
 * The part of the loss that needs all rows of an update at once.
 *
 * - `bapo`: bounds by Algorithm 1 of arXiv:2510.18927.
 * - `gspo`: log s = 1/|y|·Σ_t log rₜ for each episode (arXiv:2507.18071, Eq. 7).
 * - `clip_cov`: of the tokens with low < cov < high that PPO does not clip, max(1, ⌊fraction·U⌋) at
 *   random; `kl_cov`: as many of the highest; covᵢ = (log πᵢ − mean)(Aᵢ − mean) (arXiv:2505.22617, §4).
 * - `dpo`: margin = β·[Σ_better(log π − log π_ref) − Σ_worse(log π − log π_ref)], pair loss
 *   −log σ(margin) (arXiv:2305.18290, Eq. 7).
 */
export function batchwide(rows: LossRows, settings: ObjectiveSettings): Batchwide {
  const { surrogate, clipLow, clipHigh } = settings;
  const U = rows.advantages.length;
  const none = (): [number, number][] => Array.from({ length: U }, () => [0, 0]);
  const plain = { clipLow, clipHigh, rho: Number.NaN };
  switch (surrogate) {
    case 'bapo': {
      const ratios = Float64Array.from({ length: U }, (_, i) =>
        Math.exp(at(rows.logps, i) - at(rows.proximalLogps, i)),
      );
      const { advantages, behaviourLogps } = rows;
      const bounds = bapoSearch({ ratios, advantages, behaviourLogps }, settings.bapo);
      const { clipLow, clipHigh, rho } = bounds;
      return { clipLow, clipHigh, rho, found: none() };
    }
    case 'gspo': {
      const means = episodeSums(rows, (i) => at(rows.logps, i) - at(rows.proximalLogps, i)).map(
        ({ sum, length }) => sum / length,
      );
      return { ...plain, found: none().map((_, i) => [at(means, at(rows.episodes, i)), 0]) };
    }
    case 'clip_cov':
    case 'kl_cov': {
      const picked = pickCovariance(rows, settings);
      return { ...plain, found: none().map((_, i) => [picked.has(i) ? 1 : 0, 0]) };
    }
    case 'dpo':
      return { ...plain, found: preferences(rows, settings.dpoBeta) };
    case 'ppo_clip':
    case 'cispo':
    case 'likelihood':
      return { ...plain, found: none() };
    default:
      return surrogate satisfies never;
  }
}

/** Sum over the rows of each episode, and how many there are. */
function episodeSums(
  { episodes }: LossRows,
  term: (row: number) => number,
): { sum: number; length: number }[] {
  const sums: { sum: number; length: number }[] = [];
  for (let i = 0; i < episodes.length; i++) {
    const e = at(episodes, i);
    while (sums.length <= e) sums.push({ sum: 0, length: 0 });
    const episode = sums[e];
    if (episode === undefined) throw new RangeError(`episode ${e} of row ${i} is not a number`);
    episode.sum += term(i);
    episode.length++;
  }
  return sums;
}

/** Indices of the rows that Clip-Cov or KL-Cov picks. */
function pickCovariance(rows: LossRows, settings: ObjectiveSettings): ReadonlySet<number> {
  const { surrogate, clipLow, clipHigh } = settings;
  const { fraction, low, high, seed } = settings.covariance;
  const logps = Array.from(rows.logps);
  const advantages = Array.from(rows.advantages);
  const meanLogp = mean(logps);
  const meanAdvantage = mean(advantages);
  const tokens = logps.map((logp, i) => {
    const A = at(advantages, i);
    const ratio = Math.exp(logp - at(rows.proximalLogps, i));
    return {
      i,
      cov: (logp - meanLogp) * (A - meanAdvantage),
      clipped: (A < 0 && ratio < clipLow) || (A > 0 && ratio > clipHigh),
      key: pcg((i ^ pcg(seed)) >>> 0),
    };
  });
  const count = Math.max(1, Math.floor(fraction * tokens.length));
  // Sorting is stable, so that among equal keys the smaller index comes first.
  const sorted =
    surrogate === 'clip_cov'
      ? tokens
          .filter(({ cov, clipped }) => cov > low && cov < high && !clipped)
          .sort((a, b) => a.key - b.key)
      : tokens.sort((a, b) => b.cov - a.cov);
  return new Set(sorted.slice(0, count).map(({ i }) => i));
}

/** PCG hash of a 32-bit number (Jarzynski and Olano, JCGT 2020), the same as on the GPU. */
function pcg(input: number): number {
  const state = (Math.imul(input, 747796405) + 2891336453) >>> 0;
  const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
  return ((word >>> 22) ^ word) >>> 0;
}

/** DPO's coefficient of each row and its share of the pair's loss. */
function preferences(rows: LossRows, beta: number): [number, number][] {
  const sums = episodeSums(rows, (i) => at(rows.logps, i) - at(rows.referenceLogps, i));
  return Array.from(rows.episodes, (e) => {
    const better = sums[e - (e % 2)];
    const worse = sums[e - (e % 2) + 1];
    if (better === undefined || worse === undefined) {
      throw new RangeError(`episode ${e} has no other to be preferred to, or less than`);
    }
    const margin = beta * (better.sum - worse.sum);
    const coefficient = beta / (1 + Math.exp(margin));
    const share = softplus(-margin) / (better.length + worse.length);
    return [e % 2 === 0 ? coefficient : -coefficient, share];
  });
}

/** log(1 + eˣ), which is −log σ(−x), without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

/**
 * Loss, pulls and statistics of row i. With w its weight, A its advantage, r = π/π_prox (for `gspo`
 * the episode's ratio s), ι = min(π_prox/π_behaviour, cap) and sg a stop-gradient, ι always under one:
 *
 *     ppo_clip, bapo   ι·max(−A·r, −A·clip(r));   A < 0 and r > c:  −ι·A·c     (c the dual clip)
 *     gspo             the same with sg(s)·π/sg(π) for r
 *     clip_cov         the same, or 0 where the row is picked
 *     kl_cov           −ι·A·r, plus coef·|log π − log π_prox| where the row is picked
 *     cispo            −ι·sg(clip(r))·A·log π
 *     likelihood       −A·log π
 *     dpo              pair loss / rows of the pair
 *
 * To it come −entropyCoef·H, coef·KL(π‖π_ref) with d = log π_ref − log π as k1 = −d, k2 = d²/2 or
 * k3 = eᵈ − 1 − d, and coef·½·max((v − R)², (clip(v, v_old ± clip) − R)²).
 *
 * With a `sign`, the loss stays whole and only the gradient is a part of it.
 */
export function surrogateRow(
  rows: LossRows,
  i: number,
  settings: ObjectiveSettings,
  { clipLow, clipHigh, found }: Batchwide,
): SurrogateRow {
  const { surrogate, dualClip, sign, entropyCoef } = settings;
  const logp = at(rows.logps, i);
  const behaviour = at(rows.behaviourLogps, i);
  const proximal = at(rows.proximalLogps, i);
  const A = at(rows.advantages, i);
  const weight = at(rows.weights, i);
  const [first, second] = at(found, i);

  const logratio = surrogate === 'gspo' ? first : logp - proximal;
  const ratio = Math.exp(logratio);
  const clippedRatio = clamp(ratio, clipLow, clipHigh);
  const importance = Math.min(Math.exp(proximal - behaviour), settings.importanceCap);

  let pg_loss: number;
  let pgPull: number;
  let penaltyPull = 0;
  let clippedLow = false;
  let clippedHigh = false;
  let clippedDual = false;
  switch (surrogate) {
    case 'ppo_clip':
    case 'bapo':
    case 'gspo':
    case 'clip_cov': {
      clippedLow = A < 0 && ratio < clipLow;
      clippedHigh = A > 0 && ratio > clipHigh;
      clippedDual = A < 0 && ratio > dualClip && !clippedLow;
      const pg_loss1 = -A * ratio;
      const pg_loss2 = -A * clippedRatio;
      pg_loss = importance * (clippedDual ? -A * dualClip : Math.max(pg_loss1, pg_loss2));
      pgPull = clippedLow || clippedHigh || clippedDual ? 0 : -importance * A * ratio;
      if (surrogate === 'clip_cov' && first === 1) {
        pg_loss = 0;
        pgPull = 0;
      }
      break;
    }
    case 'kl_cov':
      pgPull = -importance * A * ratio;
      pg_loss = pgPull;
      if (first === 1) {
        pg_loss += settings.covariance.klCoef * Math.abs(logratio);
        penaltyPull = settings.covariance.klCoef * Math.sign(logratio);
      }
      break;
    case 'cispo':
      pgPull = -importance * clippedRatio * A;
      pg_loss = pgPull * logp;
      break;
    case 'likelihood':
      pgPull = -A;
      pg_loss = -A * logp;
      break;
    case 'dpo':
      pgPull = -first;
      pg_loss = second;
      break;
    default:
      return surrogate satisfies never;
  }

  const kl = referenceKl(settings.kl, logp, at(rows.referenceLogps, i));
  const value = valueTerm(rows, i, settings.value.clip);
  const everything = sign === 0;
  const ownPull = everything || A * sign > 0 ? weight * pgPull : 0;
  const otherPull = everything ? weight * (penaltyPull + settings.kl.coef * kl.slope) : 0;
  const behaviourLogratio = logp - behaviour;
  const behaviourRatio = Math.exp(behaviourLogratio);
  const contribution = Math.abs(Math.exp(behaviour) * Math.min(ratio * A, clippedRatio * A));
  return {
    loss:
      pg_loss -
      entropyCoef * at(rows.entropies, i) +
      settings.kl.coef * kl.estimate +
      settings.value.coef * value.loss,
    pull: ownPull + otherPull,
    surrogatePull: everything ? weight * (pgPull + penaltyPull) : ownPull,
    entropyWeight: everything ? weight * entropyCoef : 0,
    dvalue: everything ? weight * settings.value.coef * value.slope : 0,
    ratio: behaviourRatio,
    clipRatio: ratio,
    approxKl: behaviourRatio - 1 - behaviourLogratio,
    refKl: kl.estimate,
    valueLoss: value.loss,
    clippedLow,
    clippedHigh,
    clippedDual,
    positiveContribution: A > 0 ? contribution : 0,
    negativeContribution: A < 0 ? contribution : 0,
    zone: ratio < clipLow ? 'below' : ratio > clipHigh ? 'above' : 'inside',
    pgPull: Math.abs(ownPull),
  };
}

/** Estimate of KL(π‖π_ref) and its derivative with respect to log π; nothing without a penalty. */
function referenceKl(
  { estimator, coef }: ObjectiveSettings['kl'],
  logp: number,
  reference: number,
): { estimate: number; slope: number } {
  if (coef === 0) return { estimate: 0, slope: 0 };
  const slope = { k1: 1, k2: logp - reference, k3: -Math.expm1(reference - logp) };
  return { estimate: klEstimate(logp, reference, estimator), slope: slope[estimator] };
}

/** The clipped squared error of the value and its derivative with respect to the value. */
function valueTerm(rows: LossRows, i: number, clip: number): { loss: number; slope: number } {
  const v = at(rows.values, i);
  const old = at(rows.oldValues, i);
  const error = v - at(rows.returns, i);
  const clippedError = clamp(v, old - clip, old + clip) - at(rows.returns, i);
  const clipped = clippedError ** 2 > error ** 2;
  return { loss: 0.5 * Math.max(error ** 2, clippedError ** 2), slope: clipped ? 0 : error };
}

/**
 * log-probabilities (V) and entropy in nats of softmax(logits / T).
 *
 * @param logits (V)
 */
export function softmaxScores(
  logits: ArrayLike<number>,
  temperature: number,
): { logps: Float64Array; entropy: number } {
  const z = Float64Array.from(logits, (x) => x / temperature);
  // Shifted by the maximum, so that nothing overflows.
  const max = z.reduce((m, x) => Math.max(m, x), Number.NEGATIVE_INFINITY);
  const logSum = Math.log(z.reduce((sum, x) => sum + Math.exp(x - max), 0));
  const logps = z.map((x) => x - max - logSum);
  let entropy = 0;
  for (const logp of logps) {
    const p = Math.exp(logp);
    // A token of probability 0 adds 0 (the limit of p·log p), where the product would be NaN.
    if (p > 0) entropy -= p * logp;
  }
  return { logps, entropy };
}

/**
 * The whole loss of an update and its gradient in float64: the readable reference that the GPU
 * kernels are tested against.
 *
 *     loss         = Σᵢ wᵢ·lossᵢ                      π = softmax(logits / T)
 *     ∂logπ(a)/∂z_v = (1[v = a] − π_v) / T
 *     ∂H/∂z_v       = −π_v·(log π_v + H) / T
 *
 * @throws {RangeError} when the lengths do not fit together or a target is not in the vocabulary.
 */
export function objectiveReference(input: {
  /** (U·V) one row of logits for each loss row. */
  readonly logits: ArrayLike<number>;
  /** (U) token that the agent wrote. */
  readonly targets: ArrayLike<number>;
  readonly temperature: number;
  /** (U) zeros where absent. */
  readonly values?: ArrayLike<number>;
  readonly rows: Omit<LossRows, 'logps' | 'entropies' | 'values'>;
  readonly settings: ObjectiveSettings;
}): {
  readonly loss: number;
  /** (U) */
  readonly rows: SurrogateRow[];
  readonly batchwide: Batchwide;
  /** (U·V) */
  readonly dlogits: Float64Array;
  /** (U) */
  readonly dvalues: Float64Array;
  /** (U) */
  readonly logps: Float64Array;
  /** (U) nats */
  readonly entropies: Float64Array;
} {
  const { logits, targets, temperature, settings } = input;
  const U = targets.length;
  const V = U === 0 ? 0 : logits.length / U;
  if (!Number.isInteger(V)) {
    throw new RangeError(`${logits.length} logits cannot be shared among ${U} rows`);
  }
  const values = input.values ?? new Float64Array(U);
  for (const [name, { length }] of Object.entries({ values, ...input.rows })) {
    if (length !== U) throw new RangeError(`${name} has ${length} entries for ${U} targets`);
  }

  const scores = Array.from({ length: U }, (_, i) =>
    softmaxScores(
      Float64Array.from({ length: V }, (_, v) => at(logits, i * V + v)),
      temperature,
    ),
  );
  const logps = Float64Array.from(scores, (score, i) => {
    const target = at(targets, i);
    if (!(target < V)) throw new RangeError(`target ${target} is not in a vocabulary of ${V}`);
    return at(score.logps, target);
  });
  const entropies = Float64Array.from(scores, ({ entropy }) => entropy);

  const lossRows: LossRows = { ...input.rows, logps, entropies, values };
  const found = batchwide(lossRows, settings);
  const rows = scores.map((_, i) => surrogateRow(lossRows, i, settings, found));

  const dlogits = new Float64Array(logits.length);
  scores.forEach((score, i) => {
    const { pull, entropyWeight } = at(rows, i);
    score.logps.forEach((logp, v) => {
      const p = Math.exp(logp);
      const dlogp = (v === at(targets, i) ? 1 : 0) - p;
      const dentropy = p > 0 ? -p * (logp + score.entropy) : 0;
      dlogits[i * V + v] = (pull * dlogp - entropyWeight * dentropy) / temperature;
    });
  });
  return {
    loss: rows.reduce((sum, row, i) => sum + at(input.rows.weights, i) * row.loss, 0),
    rows,
    batchwide: found,
    dlogits,
    dvalues: Float64Array.from(rows, ({ dvalue }) => dvalue),
    logps,
    entropies,
  };
}

function clamp(x: number, low: number, high: number): number {
  return Math.min(Math.max(x, low), high);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

function at<T>(values: ArrayLike<T>, i: number): T {
  const value = values[i];
  if (value === undefined) throw new RangeError(`no entry ${i} among ${values.length}`);
  return value;
}
