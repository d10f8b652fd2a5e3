import type { TaskAspect } from './types.ts';

/** An aspect of which every task, for training or evaluation, has one. */
export function aspect(name: string, apart: boolean, of: (task: string) => string): TaskAspect {
  return { name, apart, asks: of, shows: (task) => [of(task)] };
}
