import { grpo } from './grpo.ts';

/** Maps the total rewards (G) of one group of episodes to their advantages (G). */
export type AdvantageEstimator = (rewards: readonly number[]) => number[];

/** Every advantage estimator by the name that a config gives it. */
export const advantages = { grpo } as const satisfies Record<string, AdvantageEstimator>;

/** Name of a registered estimator. */
export type AdvantageName = keyof typeof advantages;
