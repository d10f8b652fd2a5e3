import type { Iteration, RecipeRun } from '../../recipe.ts';
import type { Student } from '../../student.ts';
import { imitatedTasks } from './imitation.ts';
import { type Imitated, imitationPhase } from './imitation-phase.ts';

/** Result of the imitation before the first round. */
export interface ImitatedBase extends Imitated {
  /** The base set; null if it is known already. */
  readonly tasks: readonly string[] | null;
}

/** Imitation ran in an earlier iteration. */
export const imitatedBefore: ImitatedBase = { metrics: {}, tasks: null };

/**
 * Draws the base set and imitates the expert on it. With 0 imitation epochs, nothing is trained and
 * the initial agent explores.
 */
export async function imitateBase(
  run: RecipeRun,
  student: Student,
  iteration: Iteration,
): Promise<ImitatedBase> {
  const { config, environment, streams } = run;
  const { learn, start } = config.evolution;
  if (learn === 'likelihood' && start === 'base') student.keepStart();
  const tasks = imitatedTasks(config, environment, streams.warmStart);
  if (config.imitation.epochs === 0) return { metrics: {}, tasks };
  return { ...(await imitationPhase(run, student, iteration, tasks)), tasks };
}
