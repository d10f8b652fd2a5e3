import type { Config } from './schema.ts';

/** Properties of a recipe that other modules use. */
export interface RecipeTraits {
  /** Its name in lists of runs; null if the method names the run. */
  readonly title: string | null;
  /** Whether it has an actor and a critic. */
  readonly critic: boolean;
  /**
   * Phases of an iteration in the step-through, in order; a loss and an update come once per
   * update.
   */
  readonly phases: readonly string[];
}

/** Every recipe, declared once. */
export const recipeTraits = {
  reinforcement: {
    title: null,
    critic: false,
    phases: ['rollout', 'score', 'advantages', 'loss', 'update'],
  },
  evolution: { title: 'AgentEvol', critic: false, phases: ['explore', 'sift', 'learn'] },
  critique: {
    title: 'Critique-RL',
    critic: true,
    // Only the second stage refines.
    phases: ['answer', 'criticise', 'refine', 'reward', 'advantages', 'loss', 'update'],
  },
  self_improvement: {
    title: 'Critique in the loop',
    critic: true,
    phases: ['answer', 'criticise', 'refine'],
  },
} as const satisfies Readonly<Record<Config['recipe'], RecipeTraits>>;

/** Recipes with an actor and a critic. */
export const recipesWithCritic: readonly string[] = Object.entries(recipeTraits).flatMap(
  ([name, { critic }]) => (critic ? [name] : []),
);

/** Whether a recipe has an actor and a critic. */
export function criticises({ recipe }: Pick<Config, 'recipe'>): boolean {
  return recipeTraits[recipe].critic;
}
