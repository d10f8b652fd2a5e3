/** Counts how many evaluation tasks ask for something that training shows. */

import { createHash } from 'node:crypto';
import type { Environment, EnvironmentOptions, TaskAspect } from '../types.ts';

export interface Overlap {
  readonly name: string;
  /** Whether the environment claims that training shows none of it. */
  readonly apart: boolean;
  /** Number of evaluation tasks that have this aspect. */
  readonly asking: number;
  /** Number of those whose value occurs in training. */
  readonly shown: number;
}

/** First observations as an aspect. They need not be held out, because they may say little about the task. */
function firstObservations(of: (task: string) => string): TaskAspect {
  return { name: 'first observations', apart: false, asks: of, shows: (task) => [of(task)] };
}

/** A digest instead of the text, because thousands of texts would take too much memory. */
export function mark(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}

/**
 * The overlap of every aspect of an environment, and of its first observations.
 * @param observed a task's first observation or a digest of it
 */
export function overlapsOf(
  environment: Environment,
  trainTasks: readonly string[],
  evalTasks: readonly string[],
  observed: (task: string) => string = (task) => environment.reset(task).observation,
): Overlap[] {
  return [...environment.holdout.aspects, firstObservations(observed)].map((aspect) => {
    const shown = new Set<string>();
    for (const task of trainTasks) for (const text of aspect.shows(task)) shown.add(mark(text));
    const asked = evalTasks.flatMap((task) => aspect.asks(task) ?? []);
    return {
      name: aspect.name,
      apart: aspect.apart,
      asking: asked.length,
      shown: asked.filter((text) => shown.has(mark(text))).length,
    };
  });
}

/**
 * The line in docs/ENVIRONMENTS.md for an environment with these options.
 * @param overlaps computed over all of its tasks
 */
export function overlapLine(
  environment: Environment,
  options: EnvironmentOptions,
  overlaps: readonly Overlap[],
): string {
  const { evalTasks, holdout } = environment;
  const { cluster } = holdout;
  const clusters = new Set(evalTasks.map((task) => cluster?.of(task) ?? task)).size;
  const tasks =
    cluster === undefined || clusters === evalTasks.length
      ? String(evalTasks.length)
      : `${evalTasks.length} of ${clusters} ${cluster.name}`;
  const given = Object.entries(options).map(([name, value]) => `, ${name} ${value}`);
  const never = overlaps.filter(({ shown }) => shown === 0).map(({ name }) => name);
  const again = overlaps
    .filter(({ shown }) => shown > 0)
    .map(({ name, shown, asking }) => `${name}: ${shown} of ${asking}`);
  const cells = [
    `\`${environment.id}\`${given.join('')}`,
    tasks,
    never.join('; ') || '–',
    again.join('; ') || '–',
  ];
  return `| ${cells.join(' | ')} |`;
}
