import type { Config } from '../config/schema.ts';
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

/** The distinct actions of the expert, in the order of tasks and turns. */
function expertActions(environment: Environment): ReadonlySet<string> {
  const { trainTasks, evalTasks, turnLimit } = environment;
  const actions = new Set<string>();
  for (const task of [...trainTasks, ...evalTasks]) {
    let { state } = environment.reset(task);
    for (let turn = 0; turn < turnLimit; turn++) {
      const { action } = environment.expert(state);
      actions.add(action);
      const next = environment.step(state, action);
      if (next.terminated) break;
      state = next.state;
    }
  }
  return actions;
}
