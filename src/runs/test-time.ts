/** Samples drawn on evaluation tasks after training, and the results that are stored. */
import type { CurvePoint, Order, SampledTask } from '../algorithms/test-time.ts';

/** How the samples of a task are drawn. */
export const drawNames = ['answers', 'chains', 'rounds', 'retries', 'debate'] as const;
export type DrawName = (typeof drawNames)[number];

/** Title of each kind, and whether its samples are independent. */
export const drawKinds: Readonly<
  Record<DrawName, { readonly title: string; readonly order: Order }>
> = {
  answers: { title: 'answers, no critic', order: 'parallel' },
  chains: { title: 'answer, critique, refinement in parallel', order: 'parallel' },
  rounds: { title: 'one answer refined again and again', order: 'sequential' },
  retries: { title: 'resampled while the critic rejects the answer', order: 'sequential' },
  debate: { title: 'debate', order: 'parallel' },
};

/** A number of samples for each task, drawn in one way. */
export interface DrawPlan {
  readonly how: DrawName;
  /** Samples per task: answers, chains, answers of one chain, or debaters. */
  readonly samples: number;
  /** In a debate: how many times each debater reads the others and answers again. */
  readonly rounds?: number;
}

/** The samples to draw from a trained run. */
export interface TestTimePlan {
  /** Number of evaluation tasks, starting from the first. */
  readonly tasks: number;
  readonly draws: readonly DrawPlan[];
}

/** Samples of all tasks, drawn in one way. */
export interface DrawnSamples {
  readonly plan: DrawPlan;
  /** One entry per task. */
  readonly sampled: readonly SampledTask[];
}

/** All samples of a run, in the order of the plan. */
export interface DrawnTasks {
  readonly tasks: readonly string[];
  readonly draws: readonly DrawnSamples[];
}

/** Results of samples drawn in one way. */
export interface KeptCurve extends DrawPlan {
  readonly points: readonly CurvePoint[];
}

/** The sampling plan of a run, and its results. */
export interface KeptTestTime {
  readonly plan: TestTimePlan;
  readonly curves: readonly KeptCurve[];
}
