/** What the clipped surrogate is computed from. R loss rows over a vocabulary of V tokens. */
export interface PpoClipInput {
  /** (R·V) logits of the policy that learns, row-major. */
  readonly logits: ArrayLike<number>;
  /** (R) token that the agent wrote. */
  readonly targets: ArrayLike<number>;
  /** (R) log-probability in nats that the behaviour policy gave it. */
  readonly behaviourLogps: ArrayLike<number>;
  /** (R) */
  readonly advantages: ArrayLike<number>;
  /** (R) weight of each row in the loss; 1/R each for a token mean. */
  readonly weights: ArrayLike<number>;
  /** Lower bound of the ratio, for instance 0.8. */
  readonly clipLow: number;
  /** Upper bound of the ratio, for instance 1.2. */
  readonly clipHigh: number;
  readonly entropyCoef: number;
  /** Logits are divided by it before the softmax. */
  readonly temperature: number;
}

/** One loss row. */
export interface PpoClipRow {
  /** log π(target), nats. */
  readonly logp: number;
  /** Entropy of π, nats. */
  readonly entropy: number;
  readonly logratio: number;
  readonly ratio: number;
  /** (ratio − 1) − logratio: an estimate of the KL divergence to the behaviour policy, never < 0. */
  readonly approxKl: number;
  /** −min(ratio·A, clip(ratio)·A) − entropyCoef·entropy, before its weight. */
  readonly loss: number;
  /** The lower bound removed the gradient: A < 0 and ratio < clipLow. */
  readonly clippedLow: boolean;
  /** The upper bound removed the gradient: A > 0 and ratio > clipHigh. */
  readonly clippedHigh: boolean;
}

export interface PpoClipResult {
  /** Σ weight · row loss. */
  readonly loss: number;
  readonly rows: readonly PpoClipRow[];
  /** (R·V) ∂loss/∂logits. */
  readonly dlogits: Float64Array;
}

/**
 * The clipped surrogate objective (PPO, arXiv:1707.06347, Eq. 7) with separate bounds given as
 * ratios, and an entropy bonus (Eq. 9), in float64:
 *
 *     rₜ   = π(yₜ) / π_behaviour(yₜ)
 *     loss = Σₜ wₜ · [ −min( rₜ·Aₜ , clip(rₜ, c_low, c_high)·Aₜ ) − β·H(πₜ) ]
 *     π    = softmax(logits / T)
 *
 * Names follow CleanRL's `ppo.py`. The gradient, with z the logits and k a token of the vocabulary:
 *
 *     ∂logπ(y)/∂z_k = (1[k = y] − π_k) / T
 *     ∂H/∂z_k       = −π_k · (log π_k + H) / T
 *
 * The surrogate's gradient is −w·r·A·∂logπ(y), or zero where clipping took it. This is the readable
 * reference that the GPU kernel is tested against.
 *
 * @throws {RangeError} when the lengths do not fit together or a target is not in the vocabulary.
 */
export function ppoClipReference(input: PpoClipInput): PpoClipResult {
  const { logits, targets, behaviourLogps, advantages, weights } = input;
  const { clipLow, clipHigh, entropyCoef, temperature } = input;
  const R = targets.length;
  const V = R === 0 ? 0 : logits.length / R;
  for (const [name, length] of [
    ['behaviourLogps', behaviourLogps.length],
    ['advantages', advantages.length],
    ['weights', weights.length],
  ] as const) {
    if (length !== R) throw new RangeError(`${name} has ${length} entries for ${R} targets`);
  }
  if (!Number.isInteger(V)) {
    throw new RangeError(`${logits.length} logits cannot be shared among ${R} rows`);
  }

  const dlogits = new Float64Array(logits.length);
  const rows: PpoClipRow[] = [];
  let totalLoss = 0;
  for (let r = 0; r < R; r++) {
    const z = Float64Array.from({ length: V }, (_, k) => at(logits, r * V + k) / temperature);
    const target = at(targets, r);
    if (!(target < V)) throw new RangeError(`target ${target} is not in a vocabulary of ${V}`);
    const A = at(advantages, r);
    const weight = at(weights, r);

    const logProbs = logSoftmax(z);
    const probs = logProbs.map(Math.exp);
    const logp = at(logProbs, target);
    let entropy = 0;
    // A token of probability 0 adds 0 (the limit of p·log p), where the product would be NaN.
    for (let k = 0; k < V; k++) {
      if (at(probs, k) > 0) entropy -= at(probs, k) * at(logProbs, k);
    }

    const logratio = logp - at(behaviourLogps, r);
    const ratio = Math.exp(logratio);
    const pg_loss1 = -A * ratio;
    const pg_loss2 = -A * Math.min(Math.max(ratio, clipLow), clipHigh);
    const loss = Math.max(pg_loss1, pg_loss2) - entropyCoef * entropy;
    const clippedLow = A < 0 && ratio < clipLow;
    const clippedHigh = A > 0 && ratio > clipHigh;

    const dlogp = clippedLow || clippedHigh ? 0 : -weight * A * ratio;
    const dentropy = -weight * entropyCoef;
    for (let k = 0; k < V; k++) {
      const p = at(probs, k);
      const dEntropy = p > 0 ? -p * (at(logProbs, k) + entropy) : 0;
      const dLogp = (k === target ? 1 : 0) - p;
      dlogits[r * V + k] = (dlogp * dLogp + dentropy * dEntropy) / temperature;
    }
    totalLoss += weight * loss;
    rows.push({
      logp,
      entropy,
      logratio,
      ratio,
      approxKl: ratio - 1 - logratio,
      loss,
      clippedLow,
      clippedHigh,
    });
  }
  return { loss: totalLoss, rows, dlogits };
}

/** log softmax(z), shifted by the maximum so that nothing overflows. */
function logSoftmax(z: Float64Array): Float64Array {
  const max = z.reduce((m, x) => Math.max(m, x), Number.NEGATIVE_INFINITY);
  const logSum = Math.log(z.reduce((sum, x) => sum + Math.exp(x - max), 0));
  return z.map((x) => x - max - logSum);
}

function at(values: ArrayLike<number>, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError(`no entry ${i} among ${values.length}`);
  return value;
}
