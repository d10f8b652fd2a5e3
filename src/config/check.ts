/** Validates configs from any source and fills in defaults. */

import type { z } from 'zod';
import { estimators } from '../algorithms/advantages.ts';
import { surrogateTraits } from '../algorithms/surrogates.ts';
import { EnvironmentOptionError, optionFault } from '../envs/options.ts';
import { areLoaded, createEnvironment, familyCard, isRemote } from '../envs/registry.ts';
import type { EnvironmentOptions } from '../envs/types.ts';
import { changesOf, configAt } from './changes.ts';
import { ConfigError, shown } from './error.ts';
import { allowed, describeConfig, unknownField, valueAt } from './fields.ts';
import { didYouMean, suggestion } from './nearest.ts';
import { criticizes } from './recipes.ts';
import { type Config, configSchema } from './schema.ts';

/** All defaults, as a new object. */
export function defaultConfig(): Config {
  return parseConfig({});
}

/**
 * Validates a config from any source (file, link, panel) and fills in the defaults. Creates its
 * environments once to check their options, if their code is loaded.
 * @throws {ConfigError} naming the first invalid field
 */
export function parseConfig(value: unknown): Config {
  const config = completeConfig(value);
  const { id, options, mixture } = config.env;
  checkMade(id, options, 'env.options');
  for (const [i, part] of mixture.entries()) {
    checkMade(part.id, part.options, `env.mixture.${i}.options`);
  }
  return config;
}

/**
 * Like `parseConfig`, but creates no environments, which may take a second. For the project's own
 * configs, whose environments the tests create.
 * @throws {ConfigError} naming the first invalid field
 */
export function completeConfig(value: unknown): Config {
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) throw firstError(parsed.error.issues, value);
  checkAcrossFields(parsed.data);
  return parsed.data;
}

/** Why an environment cannot be created; null if it can. */
type MakingFault = { readonly option: string | null; readonly problem: string } | null;

/** Cache size: enough for all options that an editor or a link tries in sequence. Evicts the oldest. */
const MOST_REMEMBERED = 32;
const makingFaults = new Map<string, MakingFault>();

/** Creates an environment to check its options; cached, because configs are checked repeatedly. */
function checkMade(id: string, options: EnvironmentOptions, at: string): void {
  // Families with only default options are covered by tests. An environment whose code is not
  // loaded yet is created after loading, before anything is played.
  if (Object.keys(options).length === 0 || isRemote(id) || !areLoaded([id])) return;
  const key = JSON.stringify([id, options]);
  let fault = makingFaults.get(key);
  if (fault === undefined) {
    fault = makingFault(id, options);
    const oldest = makingFaults.keys().next().value;
    if (makingFaults.size >= MOST_REMEMBERED && oldest !== undefined) makingFaults.delete(oldest);
    makingFaults.set(key, fault);
  }
  if (fault === null) return;
  throw new ConfigError(fault.option === null ? at : `${at}.${fault.option}`, fault.problem);
}

function makingFault(id: string, options: EnvironmentOptions): MakingFault {
  try {
    const { trainTasks, evalTasks } = createEnvironment(id, options);
    if (trainTasks.length > 0 && evalTasks.length > 0) return null;
    return { option: null, problem: 'leave no tasks; choose other options' };
  } catch (error) {
    if (error instanceof EnvironmentOptionError) {
      const { option, problem } = error;
      return { option, problem };
    }
    // No run can use an environment that cannot be created, regardless of the cause.
    const why = error instanceof Error ? error.message : String(error);
    return { option: null, problem: `cannot be used together (${why}); choose other options` };
  }
}

/** Checks an environment's options against its family. */
function checkOptions(id: string, options: EnvironmentOptions, at: string): void {
  const family = familyCard(id);
  if (family === undefined) return;
  for (const [name, value] of Object.entries(options)) {
    const path = `${at}.${name}`;
    // Properties that every object inherits, such as `constructor`, are not options.
    const option = Object.hasOwn(family.options, name) ? family.options[name] : undefined;
    if (option === undefined) {
      const known = Object.keys(family.options);
      const hint = known.length === 0 ? '; it has no options' : suggestion(name, known);
      throw new ConfigError(path, `${family.id} has no such option${hint}`);
    }
    const fault = optionFault(option, value);
    if (fault === null) continue;
    // A text option's own error names the position; quoting the whole text would bury it.
    const got = option.type === 'text' ? '' : `, got ${shown(value)}`;
    throw new ConfigError(path, `${fault}${got}`);
  }
}

function checkEnvironments({ env }: Config): void {
  checkOptions(env.id, env.options, 'env.options');
  const seen = new Set<string>();
  for (const [i, { id, options }] of env.mixture.entries()) {
    if (seen.has(id)) {
      throw new ConfigError(
        `env.mixture.${i}.id`,
        `repeats ${id}; list it only once and raise its share`,
      );
    }
    seen.add(id);
    checkOptions(id, options, `env.mixture.${i}.options`);
  }
}

function checkEvolution({ recipe, evolution }: Config): void {
  if (recipe !== 'evolution') return;
  const { tasks, samples, temperature, learn, iterations } = evolution;
  if (temperature === 0 && samples > 1) {
    throw new ConfigError(
      'evolution.samples',
      `must be 1 if evolution.temperature is 0, since all greedy episodes of a task are the same, got ${samples}`,
    );
  }
  if (learn === 'pairs' && samples < 2) {
    throw new ConfigError(
      'evolution.samples',
      `must be at least 2 for pairs, which need a success and a failure on the same task, got ${samples}`,
    );
  }
  if (tasks > 0 && iterations > tasks) {
    throw new ConfigError(
      'evolution.iterations',
      `must be at most ${tasks}, the number of tasks in a round, got ${iterations}`,
    );
  }
}

/** Rejects settings that recipes with an actor and a critic do not support. */
function checkCritique(config: Config): void {
  if (!criticizes(config)) return;
  const { recipe, critique, agent } = config;
  if (agent.format !== 'bare') {
    throw new ConfigError(
      'agent.format',
      `must be bare in the recipe ${recipe}, whose turns are answers and critiques, got ${agent.format}`,
    );
  }
  if (critique.filter_refinements > 0 && critique.filter_right > critique.filter_refinements) {
    throw new ConfigError(
      'critique.filter_right',
      `must be at most critique.filter_refinements (${critique.filter_refinements}), got ${critique.filter_right}`,
    );
  }
  if (critique.worlds === 'first' && config.env.mixture.length < 2) {
    throw new ConfigError(
      'critique.worlds',
      `must be "all" if env.mixture contains fewer than two environments, got "first"`,
    );
  }
  const [after, by] =
    recipe === 'critique'
      ? [critique.first_stage + critique.second_stage, 'critique.first_stage and second_stage']
      : [config.self_improvement.questions, 'self_improvement.questions'];
  if (critique.agents === 'one' && after > 0) {
    throw new ConfigError(
      'critique.agents',
      `must be "two", or set ${by} to 0, since further training makes a single agent lose one of its roles, got "one"`,
    );
  }
  if (critique.tokens + 3 > agent.context_length) {
    throw new ConfigError(
      'agent.context_length',
      `must leave room for an answer in addition to a critique of ${critique.tokens} tokens, got ${agent.context_length}`,
    );
  }
}

/** Checks that the settings after each change are a valid config. */
function checkChanges(config: Config): void {
  for (const { iteration } of changesOf(config)) {
    try {
      completeConfig(configAt(config, iteration));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError('changes', `in iteration ${iteration}, ${error.message}`);
    }
  }
}

/** Whether an iteration may leave episodes unfinished. */
export const pauses = ({ rollout }: Config): boolean =>
  rollout.partial_turns > 0 || rollout.partial_tokens > 0;

function checkAcrossFields(config: Config): void {
  checkChanges(config);
  checkEnvironments(config);
  checkEvolution(config);
  checkCritique(config);
  const { policy, rollout, horizon, agent, algorithm } = config;
  if (policy.width % policy.heads !== 0 || (policy.width / policy.heads) % 4 !== 0) {
    throw new ConfigError(
      'policy.heads',
      `width ${policy.width} divided by ${policy.heads} heads must be a multiple of 4`,
    );
  }
  if (policy.heads % policy.kv_heads !== 0) {
    throw new ConfigError(
      'policy.kv_heads',
      `must divide the ${policy.heads} query heads, got ${policy.kv_heads}`,
    );
  }
  for (const [i, turns] of horizon.rounds.entries()) {
    const before = horizon.rounds[i - 1];
    if (before !== undefined && turns < before) {
      throw new ConfigError(
        'horizon.rounds',
        `must never decrease, got ${turns} after ${before} in [${horizon.rounds.join(', ')}]`,
      );
    }
  }
  if (agent.max_action_tokens + 3 > agent.context_length) {
    throw new ConfigError(
      'agent.context_length',
      `must leave room for an observation in addition to ${agent.max_action_tokens} action tokens, got ${agent.context_length}`,
    );
  }
  if (algorithm.micro_batch_tokens < agent.context_length) {
    throw new ConfigError(
      'algorithm.micro_batch_tokens',
      `must hold at least one context of ${agent.context_length} tokens, got ${algorithm.micro_batch_tokens}`,
    );
  }
  const { advantage, objective } = algorithm;
  if (estimators[advantage].against === 'group' && rollout.group_size < 2) {
    throw new ConfigError(
      'rollout.group_size',
      `must be at least 2 for ${advantage}, which compares the episodes of a group, got ${rollout.group_size}`,
    );
  }
  if (rollout.resampling_rounds > 0 && rollout.group_size < 2) {
    throw new ConfigError(
      'rollout.resampling_rounds',
      'needs groups of at least 2 episodes; raise rollout.group_size',
    );
  }
  if (surrogateTraits[objective].looksAt === 'bounds') {
    for (const side of ['low', 'high'] as const) {
      const [from, to] = [config.bapo[`${side}_min`], config.bapo[`${side}_max`]];
      if (to < from) {
        throw new ConfigError(
          `bapo.${side}_max`,
          `must be at least ${side}_min ${from}, got ${to}`,
        );
      }
    }
  }
  if (config.covariance.high <= config.covariance.low) {
    throw new ConfigError(
      'covariance.high',
      `must be greater than covariance.low ${config.covariance.low}, got ${config.covariance.high}`,
    );
  }
  if (pauses(config) && config.env.mixture.length === 0 && isRemote(config.env.id)) {
    throw new ConfigError(
      'rollout.partial_turns',
      'must be 0, and so must partial_tokens, in a remote environment',
    );
  }
  if (rollout.resampling_rounds > 0 && pauses(config)) {
    throw new ConfigError(
      'rollout.resampling_rounds',
      'cannot be used with partial rollouts; set one of the two to 0',
    );
  }
  const episodes = rollout.tasks_per_iteration * rollout.group_size;
  if (algorithm.mini_batches > episodes) {
    throw new ConfigError(
      'algorithm.mini_batches',
      `must be at most ${episodes}, the number of episodes in an iteration, got ${algorithm.mini_batches}`,
    );
  }
}

type Issue = z.core.$ZodIssue;

/** Formats the first error as one line that also says what is allowed. */
function firstError(issues: readonly Issue[], value: unknown): ConfigError {
  const issue = issues[0];
  if (issue === undefined) return new ConfigError('', 'the config is not valid');
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    return unknownField(path === '' ? key : `${path}.${key}`);
  }
  const given = shown(valueAt(value, issue.path));
  const field = describeConfig().find(
    (candidate) => candidate.path === path || path.startsWith(`${candidate.path}.`),
  );
  if (field !== undefined) {
    const got = valueAt(value, issue.path);
    const near = typeof got === 'string' ? didYouMean(got, field.choices ?? []) : '';
    return new ConfigError(
      path,
      `must be ${allowed(field)}, got ${given}${near === '' ? '' : `.${near}`}`,
    );
  }
  if (path === '') return new ConfigError('', `the config must be an object, got ${given}`);
  return new ConfigError(path, `must be an object, got ${given}`);
}
