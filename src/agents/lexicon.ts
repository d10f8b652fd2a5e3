import { criticizes } from '../config/recipes.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import { dialogueLexicon } from './format.ts';

/**
 * All lexemes that the agents of a run read and generate. An actor and its critic share one
 * vocabulary, so that one can start from the other's weights.
 */
export function runLexicon(
  { recipe, agent }: Pick<Config, 'recipe' | 'agent'>,
  environment: Environment,
): readonly string[] {
  const own = dialogueLexicon(environment, agent.format);
  const { criticism } = environment;
  return !criticizes({ recipe }) || criticism === undefined ? own : [...own, ...criticism.lexicon];
}
