/** Single steps that test the entropy-clip rule (BAPO, arXiv:2510.18927, Eq. 6). */

/**
 * The tokens of an update by the sign of their advantage and the side of the expected log-probability
 * in their state s: a token is likely if log π(y|s) > E[log π(·|s)] = −H(s).
 */
export const tokenGroups = [
  'likely_positive',
  'unlikely_positive',
  'likely_negative',
  'unlikely_negative',
] as const;
export type TokenGroup = (typeof tokenGroups)[number];

/** `run` is the run's own step, `all` a trial step on all tokens, the others on one group. */
export const entropySteps = ['run', 'all', ...tokenGroups] as const;
export type EntropyStep = (typeof entropySteps)[number];

/** The entropy change of one step, and what the entropy-clip rule predicts for its tokens. */
export interface EntropyTrial {
  readonly step: EntropyStep;
  /** Share of the step's tokens in the update's tokens with an advantage. */
  readonly share: number;
  /** Mean entropy over the states of all tokens after the step minus before, in nats. */
  readonly change: number;
  /**
   * Σᵢ gᵢ·(log πᵢ + H(sᵢ)) over the step's tokens, in nats per unit of step size, with
   * gᵢ = ∂loss/∂log πᵢ: the rule with the expectation of log π in each state.
   */
  readonly rule: number;
  /** The same with the update's mean of log π in place of −H(s), as in `diagnostics/entropy_rule`. */
  readonly batchRule: number;
}

/** How steps followed one form of the entropy-clip rule. */
export interface Agreement {
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
