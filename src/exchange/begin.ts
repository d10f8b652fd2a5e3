/** The settings with which a run can begin with an agent that brings none of its own. */
import { runLexicon } from '../agents/lexicon.ts';
import { policySettings, policyShape } from '../agents/shape.ts';
import { measureSpelling } from '../agents/spelling.ts';
import { checkInitialAgent } from '../agents/start.ts';
import { parseConfig } from '../config/check.ts';
import type { Config } from '../config/schema.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import type { ReadAgent } from './agent.ts';

/**
 * A run's settings with the policy of an agent and, where it reads and writes byte pairs, with room for
 * the environment's observations and actions in its tokens.
 *
 * @throws {ConfigError} for a network or texts larger than any run may have
 * @throws {InitialAgentError} for a value head or a vocabulary that is not the run's
 * @throws {SpellingError} for an agent that cannot write the environment's actions
 */
export async function settingsFor(agent: ReadAgent, config: Config): Promise<Config> {
  const { shape, vocabulary, bpe } = agent;
  const environment = await loadedEnvironment(config.env);
  const { format } = config.agent;
  const policy = policySettings(shape);
  if (bpe === null) {
    const settings = parseConfig({ ...config, policy });
    const { tokens } = new WordTokenizer(runLexicon(config, environment));
    checkInitialAgent(agent, policyShape(settings, tokens.length), tokens);
    return settings;
  }
  const tokenizer = await openTokenizer(vocabulary, bpe);
  const { turn, observation } = measureSpelling(environment, tokenizer, format);
  const { agent: dialogue, algorithm } = config;
  const written = Math.max(dialogue.max_action_tokens, turn.tokens + 1);
  // Tasks that were not looked through may tell of more.
  const task = Math.ceil(1.5 * observation.tokens);
  const read = (dialogue.keep_task ? 2 : 1) * (task + 2) + written;
  const contextLength = Math.max(dialogue.context_length, 16 * Math.ceil(read / 16));
  const settings = parseConfig({
    ...config,
    policy,
    agent: { ...dialogue, max_action_tokens: written, context_length: contextLength },
    algorithm: {
      ...algorithm,
      micro_batch_tokens: Math.max(algorithm.micro_batch_tokens, contextLength),
    },
  });
  checkInitialAgent(agent, policyShape(settings, vocabulary.length), vocabulary);
  return settings;
}
