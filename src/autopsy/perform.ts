/** Plays the forks of a plan. Independent of the trainer. */

import type { Config } from '../config/schema.ts';
import type { Checkpoint, KeptTraining } from '../runs/checkpoint.ts';
import type { Row } from '../runs/row.ts';
import { type AutopsyPlan, type Fork, forkConfig, forksOf } from './plan.ts';

/** A run that can be played, implemented by the trainer. */
export interface PlayedRun {
  readonly iteration: number;
  /** Whether a stop condition of its config is met. */
  readonly finished: boolean;
  iterate(): Promise<Pick<Row, 'iteration' | 'metrics'>>;
  /** Evaluates the policy without training. */
  evaluate(): Promise<Pick<Row, 'metrics'>>;
  checkpoint(): Promise<Checkpoint>;
  destroy(): void;
}

/** Creates and resumes runs. */
export interface Runs {
  create(config: Config): Promise<PlayedRun>;
  /** Continues from a checkpoint, possibly with another config of the same network. */
  resume(checkpoint: Checkpoint, config: Config): Promise<PlayedRun>;
}

export type AutopsyRow = Pick<Row, 'iteration' | 'metrics'>;

/** Events while a plan is performed. */
export type AutopsyEvent =
  /** An iteration. `place` is −1 for iterations shared by all forks, otherwise the fork's index. */
  | { readonly type: 'row'; readonly place: number; readonly row: AutopsyRow }
  /** A fork has ended. */
  | {
      readonly type: 'end';
      readonly place: number;
      /** Greedy success at the end; null if the fork did not finish. */
      readonly greedy: number | null;
      /** Why the fork did not finish, in one sentence; null if it did. */
      readonly problem: string | null;
    };

/** The `place` of the iterations that all forks share. */
export const SHARED = -1;

/**
 * Plays the run once up to the forking point, then each fork from there. All forks are bit-identical up to
 * that point. The fork without a cure and with the run's own seed reproduces the run; another seed samples
 * different tokens after the forking point.
 *
 * @param wanted called before every iteration; returning false stops the autopsy
 * @yields every completed iteration, fork by fork in the order of `forksOf`
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

/**
 * Whether an error is a result of the fork: it diverged, or its settings are invalid, too large or
 * incompatible. Other errors are bugs.
 */
const isOfTheFork = ({ name }: Error) =>
  ['NonFiniteError', 'CheckpointError', 'ConfigError', 'RunTooLargeError'].includes(name);

/** The checkpoint with the optimizer state reset. */
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
