import type { Config } from './schema.ts';

/** Whether a recipe has an actor and a critic. */
export function criticises({ recipe }: Pick<Config, 'recipe'>): boolean {
  return recipe === 'critique' || recipe === 'self_improvement';
}
