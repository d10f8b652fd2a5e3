import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import type { ConfigInput } from '../config/schema.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../runs/checkpoint.ts';
import { createRun, resumeRun } from '../training/create-run.ts';
import { restoreTokenizer } from '../training/restore-agent.ts';
import { iterate, timeless } from '../training/testing/corridor-run.ts';
import { withActionVocabulary } from './action-vocabulary.ts';
import { runLexicon } from './lexicon.ts';
import { TabularPolicy } from './testing/tabular-policy.ts';

const phrases = { action_vocabulary: 'phrases' } as const;

const redBall = await loadedEnvironment(
  parseConfig({ env: { id: 'babyai/goto-red-ball-v1', options: { room_size: 5, distractors: 1 } } })
    .env,
);

const tokenizerOf = (environment: Environment) =>
  new WordTokenizer(runLexicon(parseConfig({}), environment));

describe('withActionVocabulary', () => {
  it('makes every action of the expert one token, and keeps what a text says', () => {
    const environment = withActionVocabulary(phrases, redBall);
    const whole = tokenizerOf(environment);
    expect(tokenizerOf(redBall).encode('go to red ball 1').length).toBeGreaterThan(1);
    for (const task of [...redBall.trainTasks.slice(0, 20), ...redBall.evalTasks.slice(0, 20)]) {
      const { state, observation } = environment.reset(task);
      const { action } = environment.expert(state);
      expect(whole.encode(action)).toHaveLength(1);
      expect(whole.decode(whole.encode(action))).toBe(action);
      expect(whole.decode(whole.encode(observation))).toBe(observation);
    }
  });

  it('leaves words and environments without an expert as they are', () => {
    expect(withActionVocabulary({ action_vocabulary: 'words' }, redBall)).toBe(redBall);
    const remote = { ...redBall, remote: {} } as unknown as Environment;
    expect(withActionVocabulary(phrases, remote)).toBe(remote);
  });

  it('expands an environment once', () => {
    expect(withActionVocabulary(phrases, redBall)).toBe(withActionVocabulary(phrases, redBall));
  });
});

const config = (agent: ConfigInput['agent']) =>
  parseConfig({
    ...{ seed: 4, agent, env: { id: 'babyai/goto-red-ball-v1', options: { room_size: 5 } } },
    rollout: { tasks_per_iteration: 2, group_size: 4 },
    horizon: { schedule: 'fixed', turns: 4 },
    optimizer: { learning_rate: 1, warmup_updates: 0 },
    evaluation: { interval: 0 },
  });

describe('a run with phrases', () => {
  const tabular = async (...[shape, capacity]: ConstructorParameters<typeof TabularPolicy>) =>
    new TabularPolicy(shape, capacity);
  const given = {
    config: config({ ...phrases, max_action_tokens: 1, context_length: 160 }),
    createPolicy: tabular,
  };

  it('plays valid actions of one token before it has learned anything', async () => {
    const run = await createRun(given);
    const [first] = await iterate(run, 1);
    const turns = first?.trajectories.flatMap((trajectory) => trajectory.turns) ?? [];
    expect(turns.every(({ actionTokens }) => actionTokens.length === 1)).toBe(true);
    expect(turns.some(({ understood }) => understood)).toBe(true);
    run.destroy();
  });

  it('resumes bit-identically, and its checkpoint holds the vocabulary', async () => {
    const run = await createRun(given);
    await iterate(run, 1);
    const checkpoint = decodeCheckpoint(encodeCheckpoint(await run.checkpoint()));
    const [next] = await iterate(run, 1);
    const resumed = await resumeRun(checkpoint, { createPolicy: tabular });
    const [same] = await iterate(resumed, 1);
    expect(timeless(same?.metrics ?? {})).toEqual(timeless(next?.metrics ?? {}));
    const student = checkpoint.students.get('agent');
    const tokenizer = await restoreTokenizer({ vocabulary: student?.vocabulary ?? [], bpe: null });
    expect(tokenizer.encode('go to red ball 1')).toHaveLength(1);
    run.destroy();
    resumed.destroy();
  });
});
