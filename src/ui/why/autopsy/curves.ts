/** Curves of an autopsy: the run and its forks. */

import type { Played } from '../../../autopsy/judge.ts';
import type { AutopsyRow } from '../../../autopsy/perform.ts';
import { type AutopsyPlan, forksOf } from '../../../autopsy/plan.ts';

export interface ForkPoint {
  readonly iteration: number;
  /** Share of the training episodes that solved their task. */
  readonly success: number;
}

export interface ForkCurve {
  /** `unchanged`, or the name of its remedy. */
  readonly name: string;
  /** A CSS color. */
  readonly color: string;
  readonly points: readonly ForkPoint[];
}

const COLORS = 8;

export const UNCHANGED = 'unchanged';

const colorOf = (place: number) =>
  place === 0 ? 'var(--p-ink)' : `var(--p-run-${((place - 1) % COLORS) + 1})`;

export function pointsOf(rows: readonly AutopsyRow[]): readonly ForkPoint[] {
  return rows.flatMap(({ iteration, metrics }) => {
    const success = metrics['rollout/success_rate'];
    return success === undefined || !Number.isFinite(success) ? [] : [{ iteration, success }];
  });
}

/** Mean over the seeds played so far, iteration by iteration. */
function meanOf(all: readonly (readonly ForkPoint[])[]): readonly ForkPoint[] {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const { iteration, success } of all.flat()) {
    const { sum, count } = sums.get(iteration) ?? { sum: 0, count: 0 };
    sums.set(iteration, { sum: sum + success, count: count + 1 });
  }
  return [...sums]
    .map(([iteration, { sum, count }]) => ({ iteration, success: sum / count }))
    .toSorted((a, b) => a.iteration - b.iteration);
}

/**
 * The unchanged fork first, then a curve per remedy; forks that have not started have no points.
 */
export function forkCurves(plan: AutopsyPlan, { forks }: Played): readonly ForkCurve[] {
  const asked = forksOf(plan);
  return [null, ...plan.cures].map((cure, place) => ({
    name: cure?.name ?? UNCHANGED,
    color: colorOf(place),
    points: meanOf(
      forks.filter((_, at) => asked[at]?.cure === cure).map(({ rows }) => pointsOf(rows)),
    ),
  }));
}
