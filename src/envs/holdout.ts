import type { TaskAspect } from './types.ts';

/** An aspect that has exactly one value for every task, in training and evaluation. */
export function aspect(name: string, apart: boolean, of: (task: string) => string): TaskAspect {
  return { name, apart, asks: of, shows: (task) => [of(task)] };
}
