/** Settings for a run that starts from an imported agent or a pretrained model. */
import { longestHorizon } from '../agents/horizon.ts';
import { runLexicon } from '../agents/lexicon.ts';
import type { PretrainedModel } from '../agents/pretrained.ts';
import { policySettings, policyShape } from '../agents/shape.ts';
import { measureSpelling } from '../agents/spelling.ts';
import { checkInitialAgent } from '../agents/start.ts';
import { parseConfig } from '../config/check.ts';
import type { Config } from '../config/schema.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import { type Tokenizer, WordTokenizer } from '../policy/tokenizer.ts';
import type { ReadAgent } from './agent.ts';

/**
 * Adapts a run's settings to an agent: its policy shape and, with byte-pair tokens, lengths that
 * fit the environment's observations and actions.
 *
 * @throws {ConfigError} for a network or texts that exceed the limits of a run
 * @throws {InitialAgentError} for a value head or a vocabulary that differs from the run's
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
  const settings = withLengths({ ...config, policy }, tokenizer, {
    written: turn.tokens + 1,
    observation: observation.tokens,
    turns: 1,
  });
  checkInitialAgent(agent, policyShape(settings, vocabulary.length), vocabulary);
  return settings;
}

/** Limit in tokens up to which a context length is raised automatically to fit all turns. */
const MOST_HISTORY = 2048;

/**
 * Adapts a run's settings to a pretrained model: lengths that fit the instruction, the
 * environment's observations and, in the bare format, its actions. Larger settings are kept.
 *
 * @throws {ConfigError} for texts that exceed the limits of a run
 * @throws {SpellingError} for a tokenizer that cannot write the environment's actions
 */
export function settingsForModel(
  model: PretrainedModel,
  config: Config,
  environment: Environment,
): Config {
  // The texts of a remote environment are unknown here.
  if (environment.remote !== undefined) return config;
  const { agent, horizon } = config;
  const tokenizer = model.tokenizerFor(environment, agent.format);
  const { turn, observation } = measureSpelling(environment, tokenizer, agent.format);
  return withLengths(config, tokenizer, {
    written: agent.format === 'bare' ? turn.tokens + 1 : 0,
    observation: observation.tokens,
    turns: agent.history_window || Math.min(longestHorizon(horizon), environment.turnLimit),
  });
}

/** Lengths in tokens that the context must fit. */
interface Lengths {
  /** The longest action with its end token; 0 keeps the setting. */
  readonly written: number;
  readonly observation: number;
  /** Number of turns in the context. */
  readonly turns: number;
}

function withLengths(
  config: Config,
  { frame }: Tokenizer,
  { written: longest, observation, turns }: Lengths,
): Config {
  const { agent: dialogue, algorithm } = config;
  const written = Math.max(dialogue.max_action_tokens, longest);
  const around = frame.observation.length + frame.action.length;
  const opening = frame.opening.length - frame.observation.length;
  // Tasks outside the sample may have longer observations.
  const task = Math.ceil(1.5 * observation);
  const needed = opening + (dialogue.keep_task ? 2 : 1) * (task + around) + written;
  const all = needed + (turns - 1) * (observation + around + written);
  const read = Math.max(needed, Math.min(all, MOST_HISTORY));
  const contextLength = Math.max(dialogue.context_length, 16 * Math.ceil(read / 16));
  return parseConfig({
    ...config,
    agent: { ...dialogue, max_action_tokens: written, context_length: contextLength },
    algorithm: {
      ...algorithm,
      micro_batch_tokens: Math.max(algorithm.micro_batch_tokens, contextLength),
    },
  });
}
