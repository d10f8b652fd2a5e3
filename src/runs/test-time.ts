/** Which samples are drawn of evaluation tasks once a run is trained, and what of them is kept. */
import type { CurvePoint, Order, SampledTask } from '../algorithms/test-time.ts';

/** How samples of a task come about. */
export const drawNames = ['answers', 'chains', 'rounds', 'retries', 'debate'] as const;
export type DrawName = (typeof drawNames)[number];

/** What each of them is, and whether its samples stand alone. */
export const drawKinds: Readonly<
  Record<DrawName, { readonly title: string; readonly order: Order }>
> = {
  answers: { title: 'answers, no critic', order: 'parallel' },
  chains: { title: 'answer, critique, refinement in parallel', order: 'parallel' },
  rounds: { title: 'one answer refined again and again', order: 'sequential' },
  retries: { title: 'sampled again while the critic says wrong', order: 'sequential' },
  debate: { title: 'debate', order: 'parallel' },
};

/** Samples of each task, drawn in one way. */
export interface DrawPlan {
  readonly how: DrawName;
  /** Samples of a task: answers, chains, answers of one chain, or those who debate. */
  readonly samples: number;
  /** In a debate: how often each reads the others and answers again. */
  readonly rounds?: number;
}

/** What is drawn of a trained run. */
export interface TestTimePlan {
  /** Evaluation tasks, from the first on. */
  readonly tasks: number;
  readonly draws: readonly DrawPlan[];
}

/** What was drawn of tasks in one way. */
export interface DrawnSamples {
  readonly plan: DrawPlan;
  /** Task by task. */
  readonly sampled: readonly SampledTask[];
}

/** What was drawn of a run, in the order of the plan. */
export interface DrawnTasks {
  readonly tasks: readonly string[];
  readonly draws: readonly DrawnSamples[];
}

/** Results of samples drawn in one way. */
export interface KeptCurve extends DrawPlan {
  readonly points: readonly CurvePoint[];
}

/** Samples drawn from a run, and their results. */
export interface KeptTestTime {
  readonly plan: TestTimePlan;
  readonly curves: readonly KeptCurve[];
}
