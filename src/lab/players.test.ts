import { describe, expect, it } from 'vitest';
import { greedy } from '../agents/agent.ts';
import { isCriticizable } from '../agents/modes/prompts.ts';
import { scripted } from '../agents/modes/testing/scripted.ts';
import { parseConfig } from '../config/check.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { AGENT, CRITIC } from '../runs/checkpoint.ts';
import { answerTask, collectFrom, compareCritiques, drawFrom, type PlayedRun } from './players.ts';

const config = parseConfig({
  recipe: 'critique',
  env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
  agent: { context_length: 128, max_action_tokens: 40 },
  critique: { tokens: 40, sources: 'sampled' },
});
const environment = await loadedEnvironment(config.env);
if (!isCriticizable(environment)) throw new Error('reasoning/chain-v1 must support critiques');
const { criticism } = environment;
const [task = ''] = environment.trainTasks;
const right = environment.expert(environment.reset(task).state).action;
const wrong = criticism.finish(task, criticism.flawed(task, 0, 'result', () => 0) ?? '');
const critique = criticism.critique(task, wrong, { advice: 'value' });

/** An actor that follows every critique, and a critic that calls every answer correct. */
const run: PlayedRun = {
  config,
  environment,
  agents: new Map([
    [
      AGENT,
      scripted(environment, ({ prompt, episode }) => {
        const [, received] = prompt.split(' Critique: ');
        if (received !== undefined) {
          return criticism.refine(task, wrong, received.replace(' Improve it.', ''));
        }
        return episode === 7 ? wrong : right;
      }),
    ],
    [CRITIC, scripted(environment, () => 'right')],
  ]),
};

describe('a run with a critic', () => {
  it('answers a task, with a different answer for each draw', async () => {
    expect(await answerTask(run, task, 3)).toBe(right);
    expect(await answerTask(run, task, 7)).toBe(wrong);
  });

  it('refines an answer after each critique: by the user, the critic and the oracle', async () => {
    const elsewhere = criticism.critique(task, wrong, { advice: 'value', step: null });
    const refinements = await compareCritiques(run, { task, answer: wrong, critique: elsewhere });
    expect(refinements).toEqual([
      { author: 'visitor', critique: elsewhere, refinement: wrong },
      { author: 'critic', critique: 'right', refinement: wrong },
      { author: 'oracle', critique, refinement: right },
    ]);
  });

  it('rejects texts with unknown words or too many tokens', async () => {
    const refusal = (about: Partial<Record<'task' | 'answer' | 'critique', string>>) =>
      expect(compareCritiques(run, { task, answer: wrong, critique, ...about })).rejects;
    await refusal({ answer: 's1 99 + 1 = 100' }).toThrow(/The answer has words .* Use only words/);
    const odd = await compareCritiques(run, { task, answer: '<pad> s1 <act>', critique });
    expect(odd.map(({ author }) => author)).toEqual(['visitor', 'critic', 'oracle']);
    const long = new Array(60).fill('wrong').join(' ');
    await refusal({ critique: long }).toThrow(/Your critique has 60 tokens; .* at most 40/);
    await refusal({ task: 'chain_999999' }).toThrow(/chain_999999/);
    const alone = { ...run, agents: new Map([[AGENT, greedy(scripted(environment, () => ''))]]) };
    await expect(answerTask(alone, task, 1)).rejects.toThrow(/no critic: start a run/);
  });

  it('makes the same data set for the same seed', async () => {
    const shares: number[] = [];
    const first = await collectFrom(run, { count: 4, seed: 5 }, (share) => shares.push(share));
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(first.items.length + first.counts.duplicates).toBeGreaterThan(0);
    expect(await collectFrom(run, { count: 4, seed: 5 }, () => {})).toEqual(first);
  });

  it('draws samples on evaluation tasks for each part of the plan, in order', async () => {
    const shares: number[] = [];
    const plan = {
      tasks: 2,
      draws: [
        { how: 'answers', samples: 3 },
        { how: 'rounds', samples: 2 },
      ],
    } as const;
    const { tasks, draws } = await drawFrom(run, plan, (share) => shares.push(share));
    expect(tasks).toEqual(environment.evalTasks.slice(0, 2));
    expect(draws.map(({ plan: { how } }) => how)).toEqual(['answers', 'rounds']);
    const counts = draws.map(({ sampled }) => sampled.map(({ samples }) => samples.length));
    expect(counts).toEqual([
      [3, 3],
      [2, 2],
    ]);
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });
});
