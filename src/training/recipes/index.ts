import type { Config } from '../../config/schema.ts';
import type { MakeRecipe } from '../recipe.ts';

/** Every recipe by its name in the config; a run loads only its own. */
export const recipes: Readonly<Record<Config['recipe'], () => Promise<MakeRecipe>>> = {
  reinforcement: async () => (await import('./reinforcement/reinforcement.ts')).reinforcement,
  evolution: async () => (await import('./evolution/evolution.ts')).evolution,
  critique: async () => (await import('./critique/critique.ts')).critique,
  self_improvement: async () =>
    (await import('./self-improvement/self-improvement.ts')).selfImprovement,
};
