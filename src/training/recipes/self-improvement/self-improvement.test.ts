import { describe, expect, it } from 'vitest';
import { type Act, askAgent, type Conversation } from '../../../agents/modes/conversation.ts';
import { isCriticizable } from '../../../agents/modes/prompts.ts';
import { scripted } from '../../../agents/modes/testing/scripted.ts';
import { refinementWorld, taskOf } from '../../../agents/modes/worlds.ts';
import { TabularPolicy } from '../../../agents/testing/tabular-policy.ts';
import type { Trajectory } from '../../../agents/trajectory.ts';
import { parseConfig } from '../../../config/check.ts';
import type { ConfigInput } from '../../../config/schema.ts';
import { createEnvironment, loadEnvironments } from '../../../envs/registry.ts';
import { Trainer } from '../../trainer.ts';
import { answerEpisode, correctAnswers, levelShares } from './data.ts';
import { successByLevel } from './metrics.ts';

await loadEnvironments(['reasoning/chain-v1']);
const chain = createEnvironment('reasoning/chain-v1', { steps: 3 });
if (!isCriticizable(chain)) throw new Error('chains can be criticized');
const { criticism } = chain;
const [task = ''] = chain.trainTasks;
const right = chain.expert(chain.reset(task).state).action;
const wrong = criticism.finish(task, criticism.flawed(task, 0, 'result', () => 0.3) ?? '');

/** An agent's message about a task. */
const uttered = async (text: string, world: Parameters<typeof askAgent>[1], about: string) => {
  const [trajectory] = await askAgent(
    scripted(chain, () => text),
    world,
    [about],
    {
      iteration: 1,
      episode: 0,
    },
  );
  if (trajectory === undefined) throw new Error('somebody answers');
  return trajectory;
};

/** A conversation whose messages are correct or wrong as given. */
function conversation(of: string, ...successes: readonly boolean[]): Conversation {
  const acts: readonly Act[] = ['answer', 'critique', 'refinement'];
  return {
    task: of,
    utterances: successes.map((success, u) => ({
      author: 'agent',
      act: acts[u] ?? 'answer',
      trajectory: { task: of, success, turns: [] } as unknown as Trajectory,
    })),
  };
}

describe('training data of a round', () => {
  it('contains correct answers and successful refinements as often as they occur', () => {
    const rightAtOnce = conversation('a', true);
    const mended = conversation('b', false, true, true);
    const mendedDespiteItsCritic = conversation('b', false, false, true);
    const notMended = conversation('c', false, true, false);
    const neverCriticized = conversation('d', false);
    // The same wrong answer in another sample, critiqued and refined in the same way.
    const again = { ...mended };
    const correct = correctAnswers([
      ...[rightAtOnce, mended, mendedDespiteItsCritic, notMended, neverCriticized, again],
    ]);
    expect(correct.map(({ task: of, refined }) => [of, refined])).toEqual([
      ['a', false],
      ['b', true],
      ['b', true],
      ['b', true],
    ]);
    expect(correct[1]?.trajectory).toBe(mended.utterances[2]?.trajectory);
  });

  it('has level shares that sum to 1, or null without answers', () => {
    const levels: Readonly<Record<string, number>> = { a: 1, b: 1, c: 1, d: 3 };
    expect(levelShares(Object.keys(levels), 3, (of) => levels[of] ?? 0)).toEqual([0.75, 0, 0.25]);
    expect(levelShares([], 3, () => 1)).toBeNull();
  });

  it('has every token of a refinement as a target, with only the question as context', async () => {
    const agent = scripted(chain, () => '');
    const { observation } = chain.reset(task);
    const critique = criticism.critique(task, wrong, { advice: 'value' });
    const trajectory = await uttered(
      right,
      refinementWorld(chain),
      taskOf({ task, answer: wrong, critique }),
    );
    expect(trajectory.success).toBe(true);
    const episode = answerEpisode(agent, { task, trajectory, refined: true }, observation);
    const { tokenizer } = agent;
    expect(episode.targets).toEqual([...tokenizer.encode(right), tokenizer.end]);
    expect(episode.advantages).toEqual(episode.targets.map(() => 1));
    const [sequence] = episode.sequences;
    // The end token is only ever a target.
    expect([...(sequence?.tokens ?? [])]).toEqual([
      ...[tokenizer.obs, ...tokenizer.encode(observation)],
      ...[tokenizer.act, ...tokenizer.encode(right)],
    ]);
  });
});

describe('success by level', () => {
  it('is reported for first and for refined answers', async () => {
    const level = criticism.level(task);
    const answer = await uttered(wrong, chain, task);
    const critique = criticism.critique(task, wrong, { advice: 'value' });
    const about = taskOf({ task, answer: wrong, critique });
    const refinement = await uttered(right, refinementWorld(chain), about);
    const heard: Conversation = {
      task,
      utterances: [
        { author: 'agent', act: 'answer', trajectory: answer },
        { author: 'critic', act: 'critique', trajectory: answer },
        { author: 'agent', act: 'refinement', trajectory: refinement },
      ],
    };
    expect(successByLevel(chain, [heard])).toEqual({
      [`self_improvement/success_level_${level}`]: 0,
      [`self_improvement/refined_level_${level}`]: 1,
    });
  });
});

describe('a run of self-improvement', () => {
  const config = (self_improvement: ConfigInput['self_improvement']) =>
    parseConfig({
      recipe: 'self_improvement',
      env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
      agent: { context_length: 128, max_action_tokens: 21 },
      imitation: { epochs: 2, most_tasks: 300, batch_episodes: 16 },
      critique: { tokens: 32, refinements: 20, critiques: 20, critique_epochs: 1 },
      self_improvement: { questions: 30, answers: 3, epochs: 1, ...self_improvement },
      optimizer: { learning_rate: 1, warmup_updates: 0 },
      evaluation: { interval: 0 },
    });
  const first = async (self_improvement: ConfigInput['self_improvement']) => {
    const run = await Trainer.create({
      config: config(self_improvement),
      createPolicy: async (shape, capacity) => new TabularPolicy(shape, capacity),
    });
    const { metrics, trajectories } = await run.iterate();
    return { metrics, trajectories, run };
  };

  it('asks every question and critiques only wrong answers', async () => {
    const [loop, plain] = [await first({}), await first({ critic: 'off' })];
    expect(loop.trajectories).toHaveLength(90);
    expect(plain.trajectories.map(({ success }) => success)).toEqual(
      loop.trajectories.map(({ success }) => success),
    );
    const rightOnes = plain.trajectories.filter(({ success }) => success).length;
    expect(plain.metrics['self_improvement/learned']).toBe(rightOnes);
    expect(plain.metrics['self_improvement/refined']).toBe(0);
    expect(loop.metrics['rollout/success_rate']).toBe(rightOnes / 90);
    // One answer, plus a critique and a refinement for each wrong one.
    expect(plain.run.turns).toBe(90);
    const wrongOnes = 90 - rightOnes;
    expect(loop.run.turns).toBeGreaterThan(90 + wrongOnes / 2);
    expect(loop.run.turns).toBeLessThanOrEqual(90 + 2 * wrongOnes);
    expect(loop.run.tokens).toBe(loop.metrics['self_improvement/tokens']);
    expect(loop.run.tokens).toBeGreaterThan(plain.run.tokens);
  });

  it('rejects an environment without a critique oracle', async () => {
    const maze = parseConfig({ recipe: 'self_improvement', agent: { context_length: 128 } });
    await expect(
      Trainer.create({
        config: maze,
        createPolicy: async (shape, capacity) => new TabularPolicy(shape, capacity),
      }),
    ).rejects.toThrow(/env\.id: must be an environment whose answers can be critiqued/);
  });
});
