import type { TaskAspect } from './types.ts';

/** An aspect with one value per task, both in training and in evaluation. */
export function aspect(name: string, apart: boolean, of: (task: string) => string): TaskAspect {
  return { name, apart, asks: of, shows: (task) => [of(task)] };
}
