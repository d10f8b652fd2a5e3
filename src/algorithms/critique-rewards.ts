import type { CritiquedAnswer } from './critique-metrics.ts';

/**
 * The reward of a critique (Critique-RL, arXiv:2510.24320, §4). r(x, y) is 1 for a correct answer,
 * r(x, y′) for a correct refined one, and f(x, y, c) is the critique's verdict:
 *
 *     r_dis         1[f(x, y, c) = r(x, y)]                                        (Eq. 7)
 *     r_refine      r(x, y′)                                                       (Eq. 4)
 *     r_Δ           r(x, y′) − r(x, y)                                             (Eq. 5)
 *     r_correction  1 from wrong to correct, 0.2 from correct to correct, else 0   (Eq. 6)
 */

/** r_correction of a correct answer that stays correct. */
const KEPT_RIGHT = 0.2;

/** Rewards based on the refined answer, which the critic affects only indirectly. */
export const indirectRewards = {
  refine: ({ refined }) => Number(refined),
  delta: ({ right, refined }) => Number(refined) - Number(right),
  correction: ({ right, refined }) => (refined ? (right ? KEPT_RIGHT : 1) : 0),
  none: () => 0,
} as const satisfies Readonly<Record<string, (answer: CritiquedAnswer) => number>>;

export type IndirectReward = keyof typeof indirectRewards;

export const indirectRewardNames = Object.keys(indirectRewards) as readonly IndirectReward[];

/** How the two rewards are combined. */
export const rewardForms = ['sum', 'replace'] as const;
export type RewardForm = (typeof rewardForms)[number];

/** r_dis; 0 for a malformed critique. */
export function discriminationReward({
  right,
  verdict,
}: Pick<CritiquedAnswer, 'right' | 'verdict'>): number {
  return Number(verdict === right);
}

interface RewardSettings {
  readonly indirect: IndirectReward;
  /** β₁: the weight of a correct verdict. */
  readonly discrimination: number;
  readonly form: RewardForm;
}

/**
 * The reward of the second stage, with r the indirect reward:
 *
 *     sum      r + β₁·r_dis                                       (Eq. 9)
 *     replace  r + β₁ if the verdict is correct, else −1          (the authors' code, β₁ = 0.2)
 */
export function critiqueReward(
  answer: CritiquedAnswer,
  { indirect, discrimination, form }: RewardSettings,
): number {
  const verdictReward = discriminationReward(answer);
  const r = indirectRewards[indirect](answer);
  switch (form) {
    case 'sum':
      return r + discrimination * verdictReward;
    case 'replace':
      return verdictReward === 1 ? r + discrimination : -1;
    default:
      return form satisfies never;
  }
}
