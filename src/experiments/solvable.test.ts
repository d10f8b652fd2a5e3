import { describe, expect, it } from 'vitest';
import { withActionVocabulary } from '../agents/action-vocabulary.ts';
import { writeTurn } from '../agents/format.ts';
import { presetConfig, presets } from '../config/presets.ts';
import type { Config } from '../config/schema.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { expertActions } from '../envs/testing/conformance.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import { experimentConfig, experiments } from './catalogue.ts';

/** An environment and the maximum number of tokens of a turn. */
interface Limit {
  readonly env: { readonly id: string; readonly options: Config['env']['options'] };
  readonly most: number;
  readonly agent: Pick<Config['agent'], 'action_vocabulary'>;
}

function limitsOf({ env, agent }: Config): Limit[] {
  const parts = env.mixture.length > 0 ? env.mixture : [env];
  return parts.map(({ id, options }) => ({
    env: { id, options },
    most: agent.max_action_tokens,
    agent: { action_vocabulary: agent.action_vocabulary },
  }));
}

/** Every distinct limit of the presets and experiments that use the bare format. */
function limits(): [string, Limit][] {
  const configs: readonly Config[] = [
    ...presets.map(({ name }) => presetConfig(name)),
    ...experiments.flatMap((one) => one.arms.map((arm) => experimentConfig(one, arm, 1))),
  ].filter(({ agent }) => agent.format === 'bare');
  return [...new Map(configs.flatMap(limitsOf).map((limit) => [JSON.stringify(limit), limit]))];
}

describe('every expert action in the evaluation tasks', () => {
  it.each(limits())('fits the token limit: %s', async (_, { env, most, agent }) => {
    const environment = withActionVocabulary(
      agent,
      await loadedEnvironment({ ...env, mixture: [] }),
    );
    const tokenizer = new WordTokenizer(environment.lexicon);
    const tooLong = environment.evalTasks.filter((task) =>
      expertActions(environment, task).some(
        (action) => tokenizer.encode(writeTurn({ thought: '', action }, 'bare')).length > most,
      ),
    );
    expect(tooLong).toEqual([]);
  });
});
