import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { presetConfig } from '../config/presets.ts';
import type { ConfigInput } from '../config/schema.ts';
import { policyCapacity } from './capacity.ts';
import { policyShape } from './shape.ts';

function updateRows(over: ConfigInput, turnLimit = 100): number {
  const config = parseConfig({
    rollout: { tasks_per_iteration: 4, group_size: 8, ...over.rollout },
    horizon: { turns: 10 },
    ...over,
    algorithm: { mini_batches: 3, ...over.algorithm },
  });
  return policyCapacity(config, policyShape(config, 16), turnLimit).updateRows;
}

describe('policyCapacity', () => {
  it('fits the longest update', () => {
    // 32 episodes in three mini-batches: at most 11 each, with ten turns of one token.
    expect(updateRows({})).toBe(110);
    expect(updateRows({ agent: { max_action_tokens: 3 } })).toBe(330);
    expect(updateRows({}, 6)).toBe(66);
    expect(
      updateRows({ horizon: { schedule: 'scaling_inter', rounds: [2, 5, 7], interval: 1 } }),
    ).toBe(77);
  });

  it('fits replayed groups and groups that partial rollouts complete together', () => {
    const rollout = { tasks_per_iteration: 4, group_size: 8 };
    // As many replayed as fresh episodes, rounded up to a group: 72 episodes, at most 24 in a mini-batch.
    expect(updateRows({ replay: { share: 0.5 } })).toBe(240);
    // Ten turns, three at a time, take four iterations: 128 episodes, at most 43 in a mini-batch.
    expect(updateRows({ rollout: { ...rollout, partial_turns: 3 } })).toBe(430);
    // Five tokens are at least three turns of two tokens: the same four iterations.
    const agent = { max_action_tokens: 2 };
    expect(updateRows({ agent, rollout: { ...rollout, partial_tokens: 5 } })).toBe(860);
    expect(updateRows({ agent, rollout: { ...rollout, partial_turns: 30 } })).toBe(220);
  });

  it('fits the batches of a warm start', () => {
    // Expert dialogues may be as long as the environment allows.
    expect(updateRows({ imitation: { epochs: 1, batch_episodes: 6 } })).toBe(600);
    expect(updateRows({ preference: { epochs: 1, batch_pairs: 6 } })).toBe(120);
    expect(updateRows({ imitation: { batch_episodes: 600 } })).toBe(110);
  });

  it('caps an update at 2²⁰ loss rows', () => {
    expect(
      updateRows({
        rollout: { tasks_per_iteration: 1024, group_size: 256 },
        algorithm: { mini_batches: 1 },
      }),
    ).toBe(2 ** 20);
  });

  it('is the same for any number of answers that self-improvement generates', () => {
    const capacity = (questions: number, answers: number) => {
      const config = parseConfig({
        ...presetConfig('critique-loop'),
        self_improvement: { questions, answers },
      });
      return policyCapacity(config, policyShape(config, 16), 1);
    };
    expect(capacity(1, 1)).toEqual(capacity(400, 8));
    expect(capacity(0, 1)).toEqual(capacity(400, 8));
  });
});
