import { describe, expect, it } from 'vitest';
import { isCriticizable } from '../../agents/modes/prompts.ts';
import { type Asked, scripted } from '../../agents/modes/testing/scripted.ts';
import { parseConfig } from '../../config/check.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { createMixture, mixtureTask } from '../../envs/mixture.ts';
import { createEnvironment, loadEnvironments } from '../../envs/registry.ts';
import { withTrainedTasks } from '../critique-data/trained-tasks.ts';
import { hearDomains } from './domains.ts';

await loadEnvironments();
const chain = createEnvironment('reasoning/chain-v1', { steps: 8 });
const ledger = createEnvironment('reasoning/ledger-v1');
const whole = createMixture([chain, ledger].map((environment) => ({ environment, share: 1 })));
if (!isCriticizable(whole)) throw new Error('both can be criticized');
const { criticism } = whole;

const config = (critique: ConfigInput['critique']) =>
  parseConfig({
    recipe: 'critique',
    env: {
      mixture: [{ id: 'reasoning/chain-v1', options: { steps: 8 } }, { id: 'reasoning/ledger-v1' }],
    },
    agent: { context_length: 240, max_action_tokens: 52 },
    critique,
  });

describe("the critic's training domain", () => {
  it('can be some levels of one environment in a mixture', () => {
    const short = withTrainedTasks(config({ worlds: 'first', most_level: 5 }), whole);
    expect(short.trainTasks.length).toBeGreaterThan(3000);
    for (const task of short.trainTasks) {
      expect(task).toMatch(/^reasoning\/chain-v1:/);
      expect(criticism.level(task)).toBeLessThanOrEqual(5);
    }
    expect(withTrainedTasks(config({}), whole).trainTasks).toEqual(whole.trainTasks);
    const alone = () => parseConfig({ recipe: 'critique', critique: { worlds: 'first' } });
    expect(alone).toThrow(/critique\.worlds: must be "all"/);
  });
});

describe('the report by domain', () => {
  // Six tasks per domain: chains of levels 1 and 5, chains of levels 6 and 7, ledgers of levels 2 and 4.
  const of = (environment: typeof chain, levels: readonly number[]) =>
    levels.flatMap((level) =>
      environment.evalTasks
        .map((task) => mixtureTask(environment.id, task))
        .filter((task) => criticism.level(task) === level)
        .slice(0, 6 / levels.length),
    );
  const evalTasks = [...of(chain, [1, 5]), ...of(chain, [6, 7]), ...of(ledger, [2, 4])];
  const environment = { ...whole, evalTasks };
  const taskFor = new Map(evalTasks.map((task) => [whole.reset(task).observation, task]));
  const right = (task: string) => whole.expert(whole.reset(task).state).action;
  const isLong = (task: string) => criticism.level(task) > 5;
  const wrong = (task: string) =>
    criticism.finish(task, criticism.flawed(task, 0, 'result', () => 0) ?? '');

  it("contains the metrics of each domain's answers", async () => {
    const read = ({ prompt }: Asked) => {
      const [asked = '', rest] = prompt.split(' Solution: ');
      return { task: taskFor.get(asked) ?? '', rest };
    };
    // Every other answer is wrong. The critic calls all ledgers correct and judges chains
    // correctly.
    const first = (task: string) => (evalTasks.indexOf(task) % 2 === 0 ? wrong(task) : right(task));
    const actor = scripted(environment, (asked) => {
      const { task, rest } = read(asked);
      if (rest === undefined) return first(task);
      const [answer = '', critique = ''] = rest.replace(' Improve it.', '').split(' Critique: ');
      return criticism.refine(task, answer, critique);
    });
    const critic = scripted(environment, (asked) => {
      const { task, rest = '' } = read(asked);
      const answer = rest.replace(' Criticise it.', '');
      const blind = task.startsWith('reasoning/ledger') ? { step: null } : {};
      return criticism.critique(task, answer, { advice: 'value', ...blind });
    });
    const speaking = (agent: typeof actor, maxActionTokens: number) => ({
      ...agent,
      window: { ...agent.window, maxActionTokens },
    });
    const domains = await hearDomains({
      ...{ config: config({ worlds: 'first', most_level: 5 }), environment, iteration: 0 },
      ...{ actor: speaking(actor, 64), critic: speaking(critic, 90) },
    });
    expect(evalTasks.filter(isLong)).toHaveLength(6);
    expect(domains.map(({ name, heard, tasks }) => [name, heard, tasks])).toEqual([
      ['reasoning/chain-v1, levels 1 to 5', true, 6],
      ['reasoning/chain-v1, levels 6 to 7', false, 6],
      ['reasoning/ledger-v1, levels 2 to 4', false, 6],
    ]);
    const numbers = domains.map(({ numbers: own }) => [
      own.accuracy?.mean,
      own.refinedAccuracy?.mean,
      own.discrimination?.mean,
      own.discriminationRight?.mean,
      own.discriminationWrong?.mean,
      own.incorrectToCorrect?.mean,
      own.correctToIncorrect?.mean,
    ]);
    expect(numbers).toEqual([
      [0.5, 1, 1, 1, 1, 0.5, 0],
      [0.5, 1, 1, 1, 1, 0.5, 0],
      [0.5, 0.5, 0.5, 1, 0, 0, 0],
    ]);
    expect(domains[2]?.numbers.accuracy?.low).toBeLessThan(0.3);
  });
});
