/** Curves of the samples drawn on the page. */

import type { Estimate } from '../../../algorithms/confidence.ts';
import { favorites } from '../../../algorithms/majority.ts';
import {
  atTokens,
  type CurvePoint,
  curve,
  doublings,
  type Order,
  type Sample,
} from '../../../algorithms/test-time.ts';
import {
  type DrawName,
  type DrawnSamples,
  type DrawnTasks,
  type DrawPlan,
  drawKinds,
} from '../../../runs/test-time.ts';

/** `chosen`: the final answer. `any`: whether any sample is correct. */
export type Reading = 'chosen' | 'any';

/**
 * Number of plain answers that cost about as much as one chain: answer, critique and refinement.
 */
const ANSWERS_OF_A_CHAIN = 3;

/**
 * What the page draws: a number of samples per task with the critic, and plain answers for about the same
 * number of tokens.
 */
export function wantedDraws(samples: number): readonly DrawPlan[] {
  return [
    { how: 'answers', samples: ANSWERS_OF_A_CHAIN * samples },
    { how: 'chains', samples },
    { how: 'rounds', samples },
    { how: 'retries', samples },
  ];
}

/** Samples per task of one draw. */
export function samplesOf(drawn: DrawnTasks, how: DrawName): number {
  return drawn.draws.find(({ plan }) => plan.how === how)?.plan.samples ?? 0;
}

/** The final answer: the majority of independent samples, the last of dependent ones. */
export function read(point: CurvePoint, reading: Reading): Estimate {
  return reading === 'any' ? point.pass : (point.last ?? point.majority);
}

export interface DrawnCurve {
  readonly how: DrawName;
  readonly title: string;
  readonly points: readonly CurvePoint[];
}

export function curvesOf({ draws }: DrawnTasks): readonly DrawnCurve[] {
  return draws.map(({ plan: { how, samples }, sampled }) => {
    const { title, order } = drawKinds[how];
    return { how, title, points: curve(sampled, order, doublings(samples)) };
  });
}

/** Result of a draw at a number of samples per task. */
export interface AtSamples {
  readonly how: DrawName;
  readonly title: string;
  readonly point: CurvePoint;
  /**
   * Gain over plain answers with the same number of tokens; null for plain answers themselves, and if too few
   * of them were drawn.
   */
  readonly gain: number | null;
}

export function atSamples(
  drawn: DrawnTasks,
  curves: readonly DrawnCurve[],
  k: number,
  reading: Reading,
): readonly AtSamples[] {
  const plain = (curves.find(({ how }) => how === 'answers')?.points ?? []).map((point) => ({
    tokens: point.tokens,
    value: read(point, reading).mean,
  }));
  return drawn.draws.flatMap(({ plan: { how }, sampled }) => {
    const { title, order } = drawKinds[how];
    const [point] = curve(sampled, order, [k]);
    if (point === undefined) return [];
    const equal = how === 'answers' ? null : atTokens(plain, point.tokens);
    const gain = equal === null ? null : read(point, reading).mean - equal;
    return { how, title, point, gain };
  });
}

/** The first samples of a task. */
export interface TaskSamples {
  readonly task: string;
  readonly samples: readonly Sample[];
  /** The final answers, several if the vote is tied; null stands for no answer. */
  readonly given: readonly (string | null)[];
  /** Share of the final answers that are correct. */
  readonly right: number;
}

export function taskSamples(
  { tasks }: DrawnTasks,
  { plan, sampled }: DrawnSamples,
  k: number,
): readonly TaskSamples[] {
  const { order } = drawKinds[plan.how];
  return tasks.map((task, t) => {
    const samples = (sampled[t]?.samples ?? []).slice(0, k);
    const given = givenOf(samples, order);
    const right = given.filter((answer) =>
      samples.some((sample) => sample.right && sample.answer === answer),
    );
    return { task, samples, given, right: given.length === 0 ? 0 : right.length / given.length };
  });
}

function givenOf(samples: readonly Sample[], order: Order): readonly (string | null)[] {
  if (order === 'sequential') return samples.slice(-1).map(({ answer }) => answer);
  return favorites(samples.map(({ answer }) => answer));
}
