import { describe, expect, it } from 'vitest';
import { isCriticizable } from '../../agents/modes/prompts.ts';
import { TabularPolicy } from '../../agents/testing/tabular-policy.ts';
import { parseConfig } from '../../config/check.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { loadedEnvironment } from '../../envs/registry.ts';
import { type RandomStream, splitSeed } from '../random.ts';
import { Trainer } from '../trainer.ts';
import { debateTasks } from './critique/data.ts';

const small = {
  recipe: 'self_improvement',
  env: { id: 'reasoning/chain-v1', options: { steps: 3 } },
  agent: { context_length: 128, max_action_tokens: 21 },
  imitation: { epochs: 1, most_tasks: 8, batch_episodes: 4 },
  optimizer: { learning_rate: 1, warmup_updates: 0 },
  self_improvement: { questions: 0 },
  stopping: { iterations: 1 },
  evaluation: { interval: 1, tasks: 4 },
} as const satisfies ConfigInput;

const taught = {
  ...{ tokens: 32, refinements: 4, refinement_epochs: 1, critiques: 8, critique_epochs: 1 },
} as const;

async function alone(critique: ConfigInput['critique'] = {}) {
  const made: TabularPolicy[] = [];
  const config = parseConfig({ ...small, critique: { ...taught, agents: 'one', ...critique } });
  const createPolicy = async (
    ...[shape, capacity]: ConstructorParameters<typeof TabularPolicy>
  ) => {
    const policy = new TabularPolicy(shape, capacity);
    made.push(policy);
    return policy;
  };
  return { run: await Trainer.create({ config, createPolicy }), made, createPolicy };
}

describe('one agent in both roles', () => {
  it('is trained on answers, refinements and critiques together, in one network', async () => {
    const { run, made } = await alone();
    const { metrics, trajectories } = await run.iterate();
    expect(made).toHaveLength(1);
    const episodes = (made[0]?.updates ?? []).map(
      ({ batches }) => new Set(batches.flatMap(({ episodes: own = [] }) => [...own])).size,
    );
    // Episodes: first 8 answers; then also 4 refinements; then also 8 critiques. Four per update.
    expect(episodes).toHaveLength(2 + 3 + 5);
    expect(trajectories).toEqual([]);
    expect(metrics['critique/imitation_loss']).toBeGreaterThan(0);
    expect(metrics['critique/discrimination']).toBeDefined();
    const [actor, critic] = [run.agents.get('agent'), run.agents.get('critic')];
    expect(critic?.policy).toBe(actor?.policy);
    expect(critic?.window.maxActionTokens).toBe(32);
    expect(critic?.seed).not.toBe(actor?.seed);
  });

  it('is saved and restored as one student', async () => {
    const { run, createPolicy } = await alone();
    await run.iterate();
    const checkpoint = await run.checkpoint();
    expect([...checkpoint.students.keys()]).toEqual(['agent']);
    const resumed = await Trainer.resume(checkpoint, { createPolicy });
    expect((await resumed.evaluate()).metrics).toEqual((await run.evaluate()).metrics);
  });

  it('is rejected if training continues after supervision, which could degrade one of the roles', () => {
    const config = (over: ConfigInput) => () =>
      parseConfig({ ...small, critique: { ...taught, agents: 'one' }, ...over });
    expect(config({ self_improvement: { questions: 5 } })).toThrow(
      /critique\.agents: must be "two"/,
    );
    expect(config({ recipe: 'critique' })).toThrow(/set critique\.first_stage/);
  });
});

describe("debate data in the actor's supervision", () => {
  it('shows one or two other answers, correct or flawed, and uses only tasks that the expert may demonstrate', async () => {
    const environment = await loadedEnvironment(parseConfig(small).env);
    if (!isCriticizable(environment)) throw new Error('chains can be criticized');
    const config = parseConfig({ ...small, critique: { ...taught, agents: 'one', debates: 60 } });
    const stream: RandomStream = splitSeed(3).criticism;
    const tasks = debateTasks(config, environment, stream).map(
      (task): { task: string; answer: string; others: string[] } => JSON.parse(task),
    );
    expect(tasks).toHaveLength(60);
    expect(new Set(tasks.map(({ others }) => others.length))).toEqual(new Set([1, 2]));
    const shown = new Set(environment.shownTasks);
    expect(tasks.every(({ task }) => shown.has(task))).toBe(true);
    const answers = tasks.flatMap(({ task, answer, others }) =>
      [answer, ...others].map((text) => environment.criticism.judge(task, text).right),
    );
    const share = answers.filter(Boolean).length / answers.length;
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.7);
  });
});
