/** Plays the forks of a plan, whatever trains them. */

import type { Config } from '../config/schema.ts';
import type { Checkpoint, KeptTraining } from '../runs/checkpoint.ts';
import type { Row } from '../runs/row.ts';
import { type AutopsyPlan, type Fork, forkConfig, forksOf } from './plan.ts';

/** A run that is played; the trainer is one. */
export interface PlayedRun {
  readonly iteration: number;
  /** A stop condition of its config is met. */
  readonly finished: boolean;
  iterate(): Promise<Pick<Row, 'iteration' | 'metrics'>>;
  /** Plays the evaluation tasks; nothing is learned. */
  evaluate(): Promise<Pick<Row, 'metrics'>>;
  checkpoint(): Promise<Checkpoint>;
  destroy(): void;
}

/** What makes runs. */
export interface Runs {
  create(config: Config): Promise<PlayedRun>;
  /** Goes on from a checkpoint, which may be of another config of the same network. */
  resume(checkpoint: Checkpoint, config: Config): Promise<PlayedRun>;
}

export type AutopsyRow = Pick<Row, 'iteration' | 'metrics'>;

/** What happens while a plan is carried out. */
export type AutopsyEvent =
  /** An iteration; those that all forks share have the place −1, the others that of their fork. */
  | { readonly type: 'row'; readonly place: number; readonly row: AutopsyRow }
  /** A fork is over. */
  | {
      readonly type: 'end';
      readonly place: number;
      /** Success of greedy play at its end; null where it could not go on so far. */
      readonly greedy: number | null;
      /** Why it could not be played to its end, in a sentence; null where it was. */
      readonly problem: string | null;
    };

/** The place of the iterations that all forks share. */
export const SHARED = -1;

/**
 * Plays the run up to where the plan forks it, once, and then each fork from there: what they share is
 * the same bits, and the fork that goes on as it was with the run's own seed is the run. Another seed
 * draws other words from the fork on.
 *
 * @param wanted asked before every iteration; false leaves the rest
 * @yields every iteration as it ends, fork by fork in the order of `forksOf`
 */
export async function* performAutopsy(
  plan: AutopsyPlan,
  runs: Runs,
  wanted: () => boolean = () => true,
): AsyncGenerator<AutopsyEvent, void> {
  let shared: Checkpoint | null = null;
  if (plan.after > 0) {
    const [asItWas = { seed: plan.config.seed, cure: null }] = forksOf(plan);
    const run = await runs.create(forkConfig(plan, asItWas));
    try {
      while (run.iteration < plan.after && !run.finished) {
        if (!wanted()) return;
        yield { type: 'row', place: SHARED, row: await run.iterate() };
      }
      shared = await run.checkpoint();
    } finally {
      run.destroy();
    }
  }
  for (const [place, fork] of forksOf(plan).entries()) {
    if (!wanted()) return;
    yield* playFork(plan, runs, place, fork, shared, wanted);
  }
}

async function* playFork(
  plan: AutopsyPlan,
  runs: Runs,
  place: number,
  fork: Fork,
  shared: Checkpoint | null,
  wanted: () => boolean,
): AsyncGenerator<AutopsyEvent, void> {
  let run: PlayedRun | null = null;
  try {
    const config = forkConfig(plan, fork);
    run =
      shared === null
        ? await runs.create(config)
        : await runs.resume(
            fork.cure?.freshOptimizer === true ? forgetful(shared) : shared,
            config,
          );
    while (!run.finished) {
      if (!wanted()) return;
      yield { type: 'row', place, row: await run.iterate() };
    }
    const { metrics } = await run.evaluate();
    yield { type: 'end', place, greedy: metrics['eval/success_rate'] ?? null, problem: null };
  } catch (error) {
    if (!(error instanceof Error && isOfTheFork(error))) throw error;
    yield { type: 'end', place, greedy: null, problem: error.message };
  } finally {
    run?.destroy();
  }
}

/** A run that dies, and settings that cannot go on from there, are findings; all else is a fault. */
const isOfTheFork = ({ name }: Error) =>
  ['NonFiniteError', 'CheckpointError', 'ConfigError', 'RunTooLargeError'].includes(name);

/** The checkpoint with an optimiser that has made no step yet. */
function forgetful(checkpoint: Checkpoint): Checkpoint {
  const students = [...checkpoint.students].map(([role, student]) => {
    const { training } = student;
    return [
      role,
      training === null ? student : { ...student, training: atRest(training) },
    ] as const;
  });
  return { ...checkpoint, students: new Map(students) };
}

function atRest(training: KeptTraining): KeptTraining {
  const zeros = (tensors: KeptTraining['firstMoments']) =>
    new Map(
      [...tensors].map(([name, tensor]) => [
        name,
        { ...tensor, values: new Float32Array(tensor.values.length) },
      ]),
    );
  return {
    ...training,
    firstMoments: zeros(training.firstMoments),
    secondMoments: zeros(training.secondMoments),
    optimizer: new Float32Array(training.optimizer.length),
  };
}
