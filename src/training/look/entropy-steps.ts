import { batchwide } from '../../algorithms/batchwide.ts';
import { entropyRule } from '../../algorithms/entropy-rule.ts';
import { at, type LossRows, surrogateRow } from '../../algorithms/objective.ts';
import type {
  Objective,
  OptimizerStep,
  RowScores,
  TokenPolicy,
  TrainingBatch,
} from '../../policy/types.ts';
import {
  type EntropyStep,
  type EntropyTrial,
  type TokenGroup,
  tokenGroups,
} from '../../runs/entropy-trials.ts';
import { lossRowsOf } from '../learn/loss-rows.ts';
import { mean } from '../sums.ts';

/** An update and the scores of its rows under the weights before it. */
interface Update {
  readonly batches: readonly TrainingBatch[];
  readonly objective: Objective;
  readonly scores: readonly RowScores[];
}

/**
 * Tests the entropy-clip rule (BAPO, arXiv:2510.18927, Eq. 6) by intervention: takes one step of plain
 * gradient descent on the policy loss of all tokens and one per group of tokens, each from the same
 * weights, and measures the entropy change. The policy's state is restored afterwards.
 *
 * @param rate step size
 * @returns a trial per group that has a gradient
 */
export async function tryEntropySteps(
  policy: TokenPolicy,
  update: Update,
  rate: number,
): Promise<readonly EntropyTrial[]> {
  const { batches, objective } = update;
  const tokens = tokensOf(update);
  const state = await policy.readState();
  const trials: EntropyTrial[] = [];
  for (const step of ['all', ...tokenGroups] as const) {
    const isIn = (i: number) => step === 'all' || tokens.groups[i] === step;
    if (tokens.pulls.every((pull, i) => pull === 0 || !isIn(i))) continue;
    policy.restartOptimizer();
    await policy.update(onlyRows(batches, isIn), onlyPolicyLoss(objective), gradientDescent(rate));
    const after = await policy.score(batches, objective.temperature);
    policy.writeState(state);
    trials.push(trialOf(step, tokens, after, isIn));
  }
  return trials;
}

/**
 * The run's own step as a trial, if its tokens have advantages. It also has the entropy bonus, other losses, the optimizer's moments
 * and gradient clipping.
 *
 * @param after scores of the update's rows under the weights after it
 */
export function entropyOfUpdate(
  update: Update,
  after: readonly RowScores[],
): readonly EntropyTrial[] {
  const tokens = tokensOf(update);
  const signed = tokens.groups.some((group) => group !== null);
  return signed ? [trialOf('run', tokens, after, () => true)] : [];
}

interface Tokens {
  readonly rows: LossRows;
  /** ∂(weighted policy loss)/∂log π. */
  readonly pulls: readonly number[];
  readonly ratios: readonly number[];
  /** Null without an advantage. */
  readonly groups: readonly (TokenGroup | null)[];
}

function tokensOf({ batches, objective, scores }: Update): Tokens {
  const rows = lossRowsOf(batches, scores);
  const plain = onlyPolicyLoss(objective);
  const whole = batchwide(rows, plain);
  const results = Array.from(rows.logps, (_, i) => surrogateRow(rows, i, plain, whole));
  return {
    rows,
    pulls: results.map(({ surrogatePull }) => surrogatePull),
    ratios: results.map(({ ratio }) => ratio),
    groups: results.map((_, i) => groupOf(at(rows.advantages, i), excessOf(rows, i))),
  };
}

/** log π(y|s) + H(s). */
const excessOf = (rows: LossRows, i: number) => at(rows.logps, i) + at(rows.entropies, i);

function groupOf(advantage: number, excess: number): TokenGroup | null {
  if (advantage === 0) return null;
  if (advantage > 0) return excess > 0 ? 'likely_positive' : 'unlikely_positive';
  return excess > 0 ? 'likely_negative' : 'unlikely_negative';
}

function trialOf(
  step: EntropyStep,
  { rows, pulls, ratios, groups }: Tokens,
  after: readonly RowScores[],
  isIn: (row: number) => boolean,
): EntropyTrial {
  const signed = groups.flatMap((group, i) => (group === null ? [] : [i]));
  const own = pulls.map((pull, i) => (isIn(i) ? pull : 0));
  const meanOf = (values: readonly number[]) => mean(values, (value) => value);
  return {
    step,
    share: signed.filter(isIn).length / signed.length,
    change:
      meanOf(after.flatMap(({ entropies }) => Array.from(entropies))) -
      meanOf(Array.from(rows.entropies)),
    rule: own.reduce((sum, pull, i) => sum + pull * excessOf(rows, i), 0),
    batchRule: entropyRule({ logps: Array.from(rows.logps), ratios, pulls: own }),
  };
}

/** The objective without entropy bonus, KL penalty and value loss. */
function onlyPolicyLoss(objective: Objective): Objective {
  const { kl, value } = objective;
  return {
    ...objective,
    entropyCoef: 0,
    kl: { ...kl, coef: 0 },
    value: { ...value, coef: 0 },
  };
}

/** The batches with weight 0 for all other rows; rows are counted over all batches. */
function onlyRows(
  batches: readonly TrainingBatch[],
  isIn: (row: number) => boolean,
): readonly TrainingBatch[] {
  let start = 0;
  return batches.map((batch) => {
    const from = start;
    start += batch.rows.length;
    return { ...batch, weights: batch.weights.map((weight, i) => (isIn(from + i) ? weight : 0)) };
  });
}

/**
 * AdamW's step m/(√v + ε) without moving averages is g/(|g| + ε), which for ε far above |g| is
 * gradient descent with rate learningRate/ε.
 */
function gradientDescent(rate: number): OptimizerStep {
  const epsilon = 1e6;
  return {
    ...{ learningRate: rate * epsilon, epsilon, beta1: 0, beta2: 0 },
    ...{ weightDecay: 0, maxGradNorm: Number.POSITIVE_INFINITY },
  };
}
