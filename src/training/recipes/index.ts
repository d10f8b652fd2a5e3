import type { Config } from '../../config/schema.ts';
import type { MakeRecipe } from '../recipe.ts';
import { critique } from './critique.ts';
import { evolution } from './evolution.ts';
import { reinforcement } from './reinforcement.ts';
import { selfImprovement } from './self-improvement.ts';

/** Every recipe by its name in the config. */
export const recipes: Readonly<Record<Config['recipe'], MakeRecipe>> = {
  reinforcement,
  evolution,
  critique,
  self_improvement: selfImprovement,
};
