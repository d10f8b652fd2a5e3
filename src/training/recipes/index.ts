import type { Config } from '../../config/schema.ts';
import type { MakeRecipe } from '../recipe.ts';

/** Every recipe by its name in the config; a run loads its own. */
export const recipes: Readonly<Record<Config['recipe'], () => Promise<MakeRecipe>>> = {
  reinforcement: async () => (await import('./reinforcement.ts')).reinforcement,
  evolution: async () => (await import('./evolution.ts')).evolution,
  critique: async () => (await import('./critique.ts')).critique,
  self_improvement: async () => (await import('./self-improvement.ts')).selfImprovement,
};
