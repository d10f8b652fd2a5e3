import fc from 'fast-check';
import type { EpisodeSignal } from '../signal.ts';

/** An episode of one-token turns. */
export function episode(group: number, ...rewards: number[]): EpisodeSignal {
  return { group, rewards, turns: rewards.map((_, t) => t) };
}

/** Episodes of a group with one token each. */
export function singles(group: number, rewards: readonly number[]): EpisodeSignal[] {
  return rewards.map((reward) => episode(group, reward));
}

const reward = fc.integer({ min: -50, max: 50 });

/** Episodes of 1 to 6 tokens in 4 groups, with several tokens per turn and integer values. */
export const signals: fc.Arbitrary<EpisodeSignal[]> = fc.array(
  fc
    .record({
      group: fc.integer({ min: 0, max: 3 }),
      tokens: fc.array(fc.record({ reward, value: reward, jump: fc.integer({ min: 0, max: 2 }) }), {
        minLength: 1,
        maxLength: 6,
      }),
      bootstrap: reward,
      greedyReward: reward,
    })
    .map(({ group, tokens, bootstrap, greedyReward }) => {
      let turn = 0;
      return {
        group,
        rewards: tokens.map((token) => token.reward),
        turns: tokens.map(({ jump }, t) => {
          turn += t === 0 ? 0 : jump;
          return turn;
        }),
        values: tokens.map((token) => token.value),
        bootstrap,
        greedyReward,
      };
    }),
  { minLength: 1, maxLength: 12 },
);
