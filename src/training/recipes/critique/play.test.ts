import { expect, it } from 'vitest';
import { isCriticizable } from '../../../agents/modes/prompts.ts';
import { scripted } from '../../../agents/modes/testing/scripted.ts';
import { parseConfig } from '../../../config/check.ts';
import { createEnvironment, loadEnvironments } from '../../../envs/registry.ts';
import { ASKED, answerBoth } from './play.ts';

await loadEnvironments(['reasoning/chain-v1']);
const chain = createEnvironment('reasoning/chain-v1');
if (!isCriticizable(chain)) throw new Error('chains can be criticized');
const right = (of: string) => chain.expert(chain.reset(of).state).action;
const byQuestion = new Map(chain.trainTasks.map((task) => [chain.reset(task).observation, task]));

it.each([
  // Of sixteen answers, `right` are correct; eight are taken, half of them correct if possible.
  [12, 0.5, 4],
  [4, 0.5, 4],
  [2, 0.5, 2],
  [15, 0.5, 7],
  [8, 0.25, 2],
  [16, 0.5, 8],
  [0, 0.5, 0],
])(
  'selects the requested share of correct answers if possible (%i of 16 correct, share %d: %i of 8 selected)',
  async (rights, share, taken) => {
    const tasks = chain.trainTasks.slice(0, ASKED * 8);
    const actor = scripted(chain, ({ prompt, episode }) =>
      episode < rights ? right(byQuestion.get(prompt) ?? '') : 'answer',
    );
    const config = parseConfig({ critique: { right_answers: share } });
    const { conversations, turns } = await answerBoth(
      { config, environment: chain, actor, critic: actor, iteration: 1 },
      tasks,
      () => {},
    );
    expect(turns).toBe(16);
    expect(conversations).toHaveLength(8);
    const successes = conversations.map(({ utterances: [first] }) => first?.trajectory.success);
    expect(successes.filter((success) => success === true)).toHaveLength(taken);
    // In the order in which the tasks were dealt.
    const places = conversations.map(({ task }) => tasks.indexOf(task));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  },
);
