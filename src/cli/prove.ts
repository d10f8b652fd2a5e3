/** `diagnose --prove`: replays forks of a run and reports the outcome. */

import {
  firstDifference,
  iterationsOf,
  judge,
  nothingPlayed,
  type Outcome,
  type Played,
  type Trial,
  withEvent,
} from '../autopsy/judge.ts';
import { performAutopsy, type Runs } from '../autopsy/perform.ts';
import { type AutopsyPlan, costOf, forksOf } from '../autopsy/plan.ts';
import type { Evidence } from '../diagnosis/evidence.ts';
import { percent } from '../runs/numbers.ts';
import { createRun, resumeRun } from '../training/create-run.ts';
import type { Machine } from './machine.node.ts';
import { plural } from './report.ts';
import type { Streams } from './streams.ts';

/** A tested finding. */
export interface Proof {
  readonly plan: AutopsyPlan;
  readonly played: Played;
  readonly trial: Trial;
  /** The first iteration that differs from the log; null if none does. */
  readonly differs: number | null;
}

/** Creates and resumes runs with the trainer. */
function trainedRuns({ createPolicy }: Pick<Machine, 'createPolicy'>): Runs {
  return {
    create: (config) => createRun({ config, createPolicy }),
    resume: (checkpoint, config) => resumeRun(checkpoint, { config, createPolicy }),
  };
}

/**
 * Carries out a plan and logs its progress.
 *
 * @param rows of the original run
 */
export async function prove(
  plan: AutopsyPlan,
  rows: Evidence['rows'],
  machine: Pick<Machine, 'createPolicy'>,
  log: Streams['log'],
): Promise<Proof> {
  const forks = forksOf(plan);
  log(
    `${plan.mode}: ${plural(plan.after, 'shared iteration')}, then ${plural(forks.length, 'fork')} of ${plural(plan.to - plan.after, 'iteration')} each; at most ${plural(costOf(plan), 'iteration')} in total`,
  );
  const began = performance.now();
  let played = nothingPlayed(plan);
  for await (const event of performAutopsy(plan, trainedRuns(machine))) {
    played = withEvent(played, event);
    if (event.type === 'row') continue;
    const { cure = null, seed } = forks[event.place] ?? {};
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    log(
      `${plan.mode}: ${iterationsOf(played)} iterations, ${seconds} s; seed ${seed}, ${cure?.name ?? 'unchanged'}: ${event.problem ?? `greedy ${percent(event.greedy ?? Number.NaN)}`}`,
    );
  }
  const trial = judge(plan, played);
  if (trial === null) throw new TypeError('the completed plan has no result');
  return { plan, played, trial, differs: firstDifference(rows, played) };
}

/** A sentence that says where the replay differs from the log's run; null if it does not. */
export function otherRun({ differs }: Proof): string | null {
  return differs === null
    ? null
    : `The replay differs from the run, starting at iteration ${differs}: the run used another device or version, or was initialized with the weights of another agent. The forks are still compared with each other.`;
}

/** The proof as JSON. */
export function plainProof(proof: Proof): object {
  const { plan, trial, played, differs } = proof;
  return {
    outcome: trial.outcome,
    text: trial.text,
    from: plan.after,
    to: plan.to,
    seeds: plan.seeds,
    iterations: iterationsOf(played),
    differs_from_log_at: differs,
    as_it_was: plainOutcome(trial.asItWas),
    cures: trial.cures.map(({ cure, difference, fate, ...outcome }) => ({
      name: cure.name,
      mode: cure.mode,
      set: Object.fromEntries(cure.set),
      fresh_optimizer: cure.freshOptimizer,
      fate,
      ...plainOutcome(outcome),
      difference: rounded(difference.mean),
      difference_interval: interval(difference),
    })),
  };
}

function plainOutcome({ success, greedy, iterations, problems }: Outcome) {
  return {
    success: rounded(success.mean),
    interval: interval(success),
    greedy: greedy === null ? null : rounded(greedy),
    iterations,
    problems,
  };
}

const rounded = (value: number) => Number(value.toFixed(4));

/** Null for a single seed, which has no interval. */
function interval({ low, high }: { readonly low: number; readonly high: number }) {
  return Number.isNaN(low) ? null : [rounded(low), rounded(high)];
}
