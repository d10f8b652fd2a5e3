import { describe, expect, it } from 'vitest';
import { isCriticizable } from '../../agents/modes/prompts.ts';
import { refine } from '../../agents/modes/refine.ts';
import { type Asked, scripted } from '../../agents/modes/testing/scripted.ts';
import { TabularPolicy } from '../../agents/testing/tabular-policy.ts';
import { parseConfig } from '../../config/check.ts';
import { createEnvironment, loadEnvironments } from '../../envs/registry.ts';
import { Trainer } from '../trainer.ts';
import { expertMonologues, monologueEpisodes, monologues } from './self-talk.ts';

await loadEnvironments(['reasoning/chain-v1']);
const chain = createEnvironment('reasoning/chain-v1');
if (!isCriticizable(chain)) throw new Error('chains can be criticized');
const environment = chain;
const { criticism } = environment;
const tasks = environment.trainTasks.slice(0, 4);
const [rightAtOnce = '', mended = '', notNamed = '', spoilt = ''] = tasks;
const taskFor = new Map(tasks.map((task) => [environment.reset(task).observation, task]));
const right = (task: string) => environment.expert(environment.reset(task).state).action;
const wrong = (task: string, step: number) =>
  criticism.finish(task, criticism.flawed(task, step, 'result', () => 0) ?? '');

const read = ({ prompt }: Asked) => {
  const [asked = '', rest] = prompt.split(' Solution: ');
  return { task: taskFor.get(asked) ?? '', rest };
};

/**
 * One task is answered correctly at once, the others are not; one refinement is wrong in another
 * step.
 */
const actor = scripted(environment, (asked) => {
  const { task, rest } = read(asked);
  if (rest === undefined) return task === rightAtOnce ? right(task) : wrong(task, 1);
  return task === spoilt ? wrong(task, 0) : right(task);
});
const critic = scripted(environment, (asked) => {
  const { task, rest = '' } = read(asked);
  const answer = rest.replace(' Criticise it.', '');
  return criticism.critique(task, answer, { advice: task === notNamed ? 'verdict' : 'value' });
});

const conversations = await refine({
  ...{ environment, tasks, rounds: 1, key: { iteration: 1, episode: 0 } },
  actor: { name: 'agent', agent: actor },
  critic: { name: 'critic', agent: critic },
});

describe('the monologue data of a round', () => {
  it('contains correct answers, and wrong ones whose critiqued step was fixed', () => {
    const texts = monologues(environment, conversations);
    expect(texts.map(({ task, refined }) => [task, refined])).toEqual([
      [rightAtOnce, false],
      [mended, true],
    ]);
    const [first, second] = texts;
    expect(first?.text).not.toContain('bad');
    expect(second?.text.match(/ bad /g)).toHaveLength(1);
    // "s2" appears twice: the withdrawn step appears in both versions.
    expect(second?.text.match(/s2 /g)).toHaveLength(2);
    for (const { task, text } of texts) {
      expect(criticism.judge(task, text)).toEqual(criticism.judge(task, right(task)));
    }
  });

  it('has every token after the question as a target, like the expert’s answers', () => {
    const all = [
      ...monologues(environment, conversations),
      ...expertMonologues(environment, tasks),
    ];
    expect(all).toHaveLength(6);
    const episodes = monologueEpisodes(actor, environment, all);
    for (const [i, { targets, advantages }] of episodes.entries()) {
      // Every word and the end token.
      expect(targets).toHaveLength((all[i]?.text.split(' ').length ?? 0) + 1);
      expect(new Set(advantages)).toEqual(new Set([1]));
    }
  });
});

describe('a round that trains on monologues', () => {
  it('teaches the actor to generate them', async () => {
    const config = parseConfig({
      recipe: 'self_improvement',
      env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
      agent: { context_length: 128, max_action_tokens: 28 },
      imitation: { epochs: 1, most_tasks: 8, batch_episodes: 4 },
      critique: { tokens: 32, refinements: 4, critiques: 4, critique_epochs: 1 },
      self_improvement: { questions: 4, answers: 1, epochs: 2, learn_as: 'monologues' },
      optimizer: { learning_rate: 1, warmup_updates: 0 },
      evaluation: { interval: 0 },
      stopping: { iterations: 1 },
    });
    const made: TabularPolicy[] = [];
    const run = await Trainer.create({
      config,
      createPolicy: async (shape, capacity) => {
        const policy = new TabularPolicy(shape, capacity);
        made.push(policy);
        return policy;
      },
    });
    await run.iterate();
    const [ok = -1] = run.agent.tokenizer.encode('ok');
    const praise = (made[0]?.updates ?? []).map(({ batches }) =>
      batches.some(({ targets }) => targets.includes(ok)),
    );
    // Answers and refinements were supervised without praise; now the expert's answers contain it
    // too.
    expect(praise.slice(0, 5)).toEqual([false, false, false, false, false]);
    expect(praise.slice(-2).every(Boolean)).toBe(true);
  });
});
