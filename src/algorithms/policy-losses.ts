/**
 * The loss of a token under each surrogate, one function per equation. A is the token's advantage,
 * r = π/π_prox (for `gspo` its episode's ratio s), ι = min(π_prox/π_behavior, cap), and sg a
 * stop-gradient, which always applies to ι:
 *
 *     ppo_clip, bapo   ι·max(−A·r, −A·clip(r));   A < 0 and r > c:  −ι·A·c     (c the dual clip)
 *     gspo             the same with sg(s)·π/sg(π) for r
 *     clip_cov         the same, or 0 if the row is selected
 *     kl_cov           −ι·A·r, plus coef·|log π − log π_prox| if the row is selected
 *     cispo            −ι·sg(clip(r))·A·log π
 *     likelihood       −A·log π
 *     dpo              pair loss / rows of the pair
 */

import type { Surrogate } from './surrogates.ts';

/** The inputs of a token's loss. */
export interface Token {
  readonly A: number;
  /** log π under the current policy, in nats. */
  readonly logp: number;
  /** log π − log π_prox; for `gspo` the episode's log s. */
  readonly logratio: number;
  readonly ratio: number;
  /** Bounds in effect, and the ratio clipped to them. */
  readonly clipLow: number;
  readonly clipHigh: number;
  readonly clippedRatio: number;
  /** c; Infinity is off. */
  readonly dualClip: number;
  /** ι */
  readonly importance: number;
  /** The token's entry in `Batchwide.found`, the result over the whole update. */
  readonly found: readonly [number, number];
  /** KL-Cov's coefficient on |log ratio|. */
  readonly penaltyCoef: number;
}

/** The bound that clipped a token. */
type ClippedBy = 'low' | 'high' | 'dual';

/** Loss and gradient before the row's weight. */
export interface PolicyLoss {
  readonly loss: number;
  /** ∂loss/∂log π of the policy gradient. */
  readonly pull: number;
  /** ∂loss/∂log π of an additional penalty; 0 if absent. */
  readonly penaltyPull?: number;
  /** The bound that removed the gradient. */
  readonly clipped?: ClippedBy;
}

/**
 * PPO (arXiv:1707.06347, Eq. 7) with separate bounds, and the dual clip (arXiv:1912.09729, Eq. 5).
 */
function clippedLoss(token: Token): PolicyLoss {
  const { A, ratio, clippedRatio, importance, dualClip } = token;
  const clipped = clippedBy(token);
  const pg_loss1 = -A * ratio;
  const pg_loss2 = -A * clippedRatio;
  const loss = importance * (clipped === 'dual' ? -A * dualClip : Math.max(pg_loss1, pg_loss2));
  return clipped === null ? { loss, pull: -importance * A * ratio } : { loss, pull: 0, clipped };
}

function clippedBy({ A, ratio, clipLow, clipHigh, dualClip }: Token): ClippedBy | null {
  if (A < 0 && ratio < clipLow) return 'low';
  if (A > 0 && ratio > clipHigh) return 'high';
  return A < 0 && ratio > dualClip ? 'dual' : null;
}

/** Clip-Cov (arXiv:2505.22617, §4.2). */
function clipCovLoss(token: Token): PolicyLoss {
  const clipped = clippedLoss(token);
  return isPicked(token) ? { ...clipped, loss: 0, pull: 0 } : clipped;
}

/** KL-Cov (arXiv:2505.22617, §4.3). */
function klCovLoss(token: Token): PolicyLoss {
  const { A, ratio, importance, logratio, penaltyCoef } = token;
  const pull = -importance * A * ratio;
  if (!isPicked(token)) return { loss: pull, pull };
  return {
    loss: pull + penaltyCoef * Math.abs(logratio),
    pull,
    penaltyPull: penaltyCoef * Math.sign(logratio),
  };
}

/** CISPO (MiniMax-M1, arXiv:2506.13585, Eq. 4). */
function cispoLoss({ A, clippedRatio, importance, logp }: Token): PolicyLoss {
  const pull = -importance * clippedRatio * A;
  return { loss: pull * logp, pull };
}

/** Supervised learning; reward-weighted if A is a reward. */
function likelihoodLoss({ A, logp }: Token): PolicyLoss {
  return { loss: -A * logp, pull: -A };
}

/** DPO (arXiv:2305.18290, Eq. 7), a row's share of its pair's loss. */
function dpoLoss({ found: [coefficient, share] }: Token): PolicyLoss {
  return { loss: share, pull: -coefficient };
}

const isPicked = ({ found }: Token) => found[0] === 1;

/** The losses by surrogate. */
export const policyLosses: Readonly<Record<Surrogate, (token: Token) => PolicyLoss>> = {
  ppo_clip: clippedLoss,
  bapo: clippedLoss,
  gspo: clippedLoss,
  cispo: cispoLoss,
  clip_cov: clipCovLoss,
  kl_cov: klCovLoss,
  likelihood: likelihoodLoss,
  dpo: dpoLoss,
};
