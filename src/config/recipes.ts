/** Properties of a recipe that other modules use. */
interface RecipeTraits {
  /** Its name in lists of runs; null if the method names the run. */
  readonly title: string | null;
  /** What an iteration does; follows its name and a colon. */
  readonly about: string;
  /** Whether it has an actor and a critic. */
  readonly critic: boolean;
  /**
   * Phases of an iteration in the step-through, in order; a loss and an update come once per
   * update.
   */
  readonly phases: readonly string[];
  /** What the step-through shows, as the end of a sentence. */
  readonly shows: string;
}

/** Every recipe, declared once. `src/agents/recipe-sizes.ts` has its sizes. */
export const recipeTraits = {
  reinforcement: {
    title: null,
    about: 'rollouts, advantages, then epochs of updates',
    critic: false,
    phases: ['rollout', 'score', 'advantages', 'loss', 'update'],
    shows:
      'which episodes were played, how they were rewarded, how the rewards become an advantage for every token, how the advantage becomes a loss, and what one optimizer step changes.',
  },
  evolution: {
    title: 'AgentEvol',
    about:
      'exploration of many tasks, then supervised learning on successes and expert dialogues (AgentEvol, arXiv:2406.04151)',
    critic: false,
    phases: ['explore', 'sift', 'learn'],
    shows:
      'what the agent tried, which of its episodes are kept or dropped, and what the kept ones are combined with for training.',
  },
  critique: {
    title: 'Critique-RL',
    about:
      'an actor answers, a critic critiques, the actor refines, and the critic is rewarded for the result (Critique-RL, arXiv:2510.24320)',
    critic: true,
    // Only the second stage refines.
    phases: ['answer', 'criticize', 'refine', 'reward', 'advantages', 'loss', 'update'],
    shows:
      'the actor’s answers, the critiques, the actor’s refinements, the advantage of each critique over the others, and what one optimizer step changes in the critic. Before the first iteration both undergo supervised training, which takes a while.',
  },
  self_improvement: {
    title: 'Critique in the loop',
    about:
      'the actor learns from its correct answers, and from answers corrected with a critic’s help (critique in the loop, arXiv:2411.16579)',
    critic: true,
    phases: ['answer', 'criticize', 'refine'],
    shows:
      'the actor’s answers, the critiques of wrong answers, and the refinements. The actor learns from the correct ones.',
  },
} as const satisfies Readonly<Record<string, RecipeTraits>>;

type RecipeName = keyof typeof recipeTraits;
export const recipeNames = Object.keys(recipeTraits) as readonly RecipeName[];

/** Recipes with an actor and a critic. */
export const recipesWithCritic: readonly string[] = recipeNames.filter(
  (name) => recipeTraits[name].critic,
);

/** Whether a recipe has an actor and a critic. */
export function criticizes({ recipe }: { readonly recipe: RecipeName }): boolean {
  return recipeTraits[recipe].critic;
}
