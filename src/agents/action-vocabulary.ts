import type { Config } from '../config/schema.ts';
import { begin, expertOf, play } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';

/** Expanded environments, because a config's environment is created once and read in many places. */
const expanded = new WeakMap<Environment, Environment>();

/**
 * The environment with the lexicon that the config asks for. With `phrases`, every action that the expert takes
 * in a training or evaluation task is one lexeme, so that an untrained agent writes a valid action in one token.
 * Remote environments have no expert and stay as they are.
 */
export function withActionVocabulary(
  { action_vocabulary }: Pick<Config['agent'], 'action_vocabulary'>,
  environment: Environment,
): Environment {
  if (action_vocabulary === 'words' || environment.remote !== undefined) return environment;
  const known = expanded.get(environment) ?? {
    ...environment,
    lexicon: [...new Set([...environment.lexicon, ...expertActions(environment)])],
  };
  expanded.set(environment, known);
  return known;
}

/**
 * The distinct actions of the expert, in the order of tasks and turns.
 *
 * @throws {EnvironmentFault}
 */
function expertActions(environment: Environment): ReadonlySet<string> {
  const { trainTasks, evalTasks } = environment;
  const actions = new Set<string>();
  for (const task of [...trainTasks, ...evalTasks]) {
    const turns = play(environment, begin(environment, task), expertOf(environment));
    for (const { choice } of turns) actions.add(choice.action);
  }
  return actions;
}
