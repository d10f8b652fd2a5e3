/** An imported agent: network, vocabulary and, if the file has it, its run. */

import { policyShape } from '../agents/shape.ts';
import { parseConfig } from '../config/check.ts';
import { ConfigError } from '../config/error.ts';
import type { Config } from '../config/schema.ts';
import { type BpeRules, readBpeRules } from '../policy/bpe-rules.ts';
import { checkShape, checkWeights, PolicyShapeError, parameterLayout } from '../policy/layout.ts';
import { TokenizerError } from '../policy/tokenizer-error.ts';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';
import { WeightsError } from '../policy/types.ts';
import { type KeptAgent, nonFiniteReason } from '../runs/checkpoint.ts';
import { AgentFileError } from './errors.ts';

export interface ReadAgent {
  readonly shape: PolicyShape;
  /** (V) the text of every token by id. */
  readonly vocabulary: readonly string[];
  /** Byte-pair rules; null for a word-level vocabulary. */
  readonly bpe: BpeRules | null;
  /** By parameter name. */
  readonly weights: ReadonlyMap<string, WeightTensor>;
  /** Null for an agent that was not trained here. */
  readonly run: AgentRun | null;
  /** Sentences that describe what the import added to the file's contents; null if nothing. */
  readonly added: string | null;
}

/** The training run of an agent. */
type AgentRun = Pick<KeptAgent, 'config' | 'iteration' | 'turns' | 'tokens'>;

/** @throws {AgentFileError} for a config that no policy can be built from */
export function shapeOf(config: Config, vocabulary: readonly string[]): PolicyShape {
  const shape = policyShape(config, vocabulary.length);
  try {
    checkShape(shape);
  } catch (error) {
    if (error instanceof PolicyShapeError)
      throw new AgentFileError(`its policy is unsupported: ${error.message}`);
    throw error;
  }
  return shape;
}

/** @throws {AgentFileError} */
export function agentOf({ vocabulary, bpe, weights, ...run }: KeptAgent): ReadAgent {
  const shape = shapeOf(run.config, vocabulary);
  return { shape, vocabulary, bpe: rulesOf(bpe, vocabulary), weights, run, added: null };
}

/**
 * Byte-pair rules from a file; null for a word-level vocabulary.
 *
 * @throws {AgentFileError}
 */
export function rulesOf(bpe: unknown, vocabulary: readonly string[]): BpeRules | null {
  if (bpe === null) return null;
  try {
    return readBpeRules(bpe, vocabulary);
  } catch (error) {
    if (error instanceof TokenizerError) {
      throw new AgentFileError(`its tokenizer is unsupported: ${error.message}`);
    }
    throw error;
  }
}

/**
 * The agent in the form of a checkpoint.
 *
 * @throws {AgentFileError} for an agent that was not trained here, because its environment is unknown.
 */
export function keptAgentOf({ run, vocabulary, bpe, weights }: ReadAgent): KeptAgent {
  if (run === null) {
    throw new AgentFileError(
      'it does not name its environment and dialogue format; use it to initialize a training run instead',
    );
  }
  return { ...run, vocabulary, bpe, weights };
}

/**
 * Checks that the run stored in a file matches the agent.
 *
 * @throws {AgentFileError}
 */
export function checkAgent(agent: ReadAgent): ReadAgent {
  const { shape, vocabulary, weights, run } = agent;
  if (vocabulary.length !== shape.vocabulary) {
    throw new AgentFileError(
      `its vocabulary has ${vocabulary.length} tokens, but its network has ${shape.vocabulary}`,
    );
  }
  if (new Set(vocabulary).size < vocabulary.length) {
    throw new AgentFileError('its vocabulary contains a token twice');
  }
  if (run !== null) {
    const expected = policyShape(run.config, vocabulary.length);
    for (const [name, value] of Object.entries(expected)) {
      const found = shape[name as keyof PolicyShape];
      if (found === value) continue;
      throw new AgentFileError(
        `its network has ${name} ${found}, but its run’s settings have ${value}`,
      );
    }
  }
  try {
    checkWeights(parameterLayout(shape), weights);
    const broken = nonFiniteReason(weights);
    if (broken !== null) throw new AgentFileError(broken);
  } catch (error) {
    if (error instanceof WeightsError) throw new AgentFileError(error.message);
    throw error;
  }
  return agent;
}

/**
 * Parses a run from a file's metadata.
 *
 * @throws {AgentFileError}
 */
export function readRun(values: {
  readonly config: unknown;
  readonly iteration: unknown;
  readonly turns: unknown;
  readonly tokens: unknown;
}): AgentRun {
  const count = (name: 'iteration' | 'turns' | 'tokens') => {
    const value = values[name];
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
    throw new AgentFileError(`its ${name} must be a whole number, got ${JSON.stringify(value)}`);
  };
  return {
    config: readConfig(values.config),
    iteration: count('iteration'),
    turns: count('turns'),
    tokens: count('tokens'),
  };
}

function readConfig(value: unknown): Config {
  try {
    return parseConfig(value);
  } catch (error) {
    if (error instanceof ConfigError) {
      throw new AgentFileError(`the settings of its run are invalid: ${error.message}`);
    }
    throw error;
  }
}
