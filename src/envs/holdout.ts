import type { TaskAspect } from './types.ts';

/** An aspect of which every task, in training and evaluation, has exactly one value. */
export function aspect(name: string, apart: boolean, of: (task: string) => string): TaskAspect {
  return { name, apart, asks: of, shows: (task) => [of(task)] };
}
