/** Accuracy of trained runs by number of sampled tokens, as a section of an experiment's page. */

import { boundedInterval } from '../algorithms/confidence.ts';
import { atTokens, type CurvePoint } from '../algorithms/test-time.ts';
import { withSign } from '../runs/numbers.ts';
import { type DrawPlan, drawKinds, type KeptCurve } from '../runs/test-time.ts';
import type { Experiment } from './catalogue.ts';
import { percent, withInterval } from './columns.ts';
import { type KeptRun, staleMark } from './kept-run.ts';
import { markdownTable } from './markdown-table.ts';

/** How a point aggregates the samples of a task. */
export const readings = ['majority', 'last', 'pass'] as const;
export type Reading = (typeof readings)[number];

/** The curves of the given runs, and their differences from plain answers at equal tokens. */
export function curvesSection(experiment: Experiment, runs: readonly KeptRun[]): string {
  const [tasks = 0] = runs.flatMap(({ testTime }) => testTime?.plan.tasks ?? []);
  return `## Accuracy by generated tokens

Samples of ${tasks} evaluation tasks after training. Tokens count everything generated for a task, including critiques. Majority is the share of tasks whose most frequent answer is correct, with ties broken at random; last is the share whose last answer in the chain is correct; any is the share with at least one correct sample (pass@k). For parallel samples, each count n is computed exactly from all subsets of n samples. The stored runs also contain the intervals over tasks.

${curveTable(experiment, runs)}

## At equal tokens

Each draw minus the majority vote over plain answers at the same number of tokens, paired by seed, once for the run’s own plain answers and once for those of the first arm. The curve of plain answers is interpolated linearly in the logarithm of tokens; “beyond” means that the draw uses more tokens than all plain answers together. If an interval contains 0, the sign of the difference is uncertain.

${comparisonTable(experiment, runs)}`;
}

const titleOf = ({ how, samples, rounds }: DrawPlan): string =>
  how === 'debate'
    ? `debate of ${samples}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`
    : drawKinds[how].title;

/** A draw as one word: `chains`; `debate-3-1` for three debaters and one round. */
const keyOf = ({ how, samples, rounds }: DrawPlan): string =>
  how === 'debate' ? `${how}-${samples}-${rounds}` : how;

/** A point of a curve. */
export interface CurvePlace {
  /** The draw in one word. */
  readonly draw: string;
  readonly samples: number;
  readonly reading: Reading;
}

/** A point over the seeds of an arm; null if a run lacks it. */
export function curveCell(
  runs: readonly KeptRun[],
  { draw, samples, reading }: CurvePlace,
): string | null {
  const points = drawsOf(runs)
    .filter(({ draw: own }) => keyOf(own) === draw)
    .flatMap(({ curves }) =>
      curves.flatMap((one) => one.points.filter((point) => point.samples === samples)),
    );
  return points.length < runs.length ? null : cell(points, reading);
}

/**
 * The gain over the majority vote of the runs' plain answers at equal tokens; null if there is
 * none.
 */
export function gainCell(
  runs: readonly KeptRun[],
  { draw, samples, reading }: CurvePlace,
): string | null {
  const found = drawsOf(runs).find(({ draw: own }) => keyOf(own) === draw)?.draw;
  const place = found?.points.findIndex((point) => point.samples === samples) ?? -1;
  if (found === undefined || place < 0) return null;
  return difference(runs, found, place, reading, plainOf);
}

/** A run's curve of plain answers. */
function plainOf(run: KeptRun | undefined): KeptCurve | null {
  return run?.testTime?.curves.find(({ how }) => how === 'answers') ?? null;
}

/** The draws of the first run, each with its curves in all runs that have it. */
function drawsOf(runs: readonly KeptRun[]) {
  const [first] = runs;
  return (first?.testTime?.curves ?? []).map((draw) => ({
    draw,
    curves: runs.flatMap(
      ({ testTime }) =>
        testTime?.curves.find(
          ({ how, samples, rounds }) =>
            how === draw.how && samples === draw.samples && rounds === draw.rounds,
        ) ?? [],
    ),
  }));
}

function armsOf({ arms }: Experiment, runs: readonly KeptRun[]) {
  return arms
    .map(({ name }) => ({ name, own: runs.filter(({ arm }) => arm === name) }))
    .filter(({ own }) => own.length > 0);
}

function curveTable(experiment: Experiment, runs: readonly KeptRun[]): string {
  const rows = armsOf(experiment, runs).flatMap(({ name, own }) =>
    drawsOf(own).flatMap(({ draw, curves }) =>
      draw.points.map(({ samples }, p) => {
        const points = curves.flatMap(({ points }) => points[p] ?? []);
        return [
          name + staleMark(own),
          titleOf(draw),
          samples,
          Math.round(points.reduce((sum, { tokens }) => sum + tokens, 0) / points.length),
          ...readings.map((reading) => cell(points, reading)),
        ];
      }),
    ),
  );
  return markdownTable([['arm', 'draw', 'samples', 'tokens', 'majority', 'last', 'any'], ...rows]);
}

function cell(points: readonly CurvePoint[], reading: Reading): string {
  const values = points.flatMap((point) => point[reading]?.mean ?? []);
  return values.length === 0 ? '–' : withInterval(boundedInterval(values), percent);
}

function comparisonTable(experiment: Experiment, runs: readonly KeptRun[]): string {
  const arms = armsOf(experiment, runs);
  const first = arms[0]?.own ?? [];
  const rows = arms.flatMap(({ name, own }, a) =>
    drawsOf(own)
      .filter(({ draw }) => a > 0 || draw.how !== 'answers')
      .flatMap(({ draw }) =>
        readingsOf(draw).flatMap((reading) =>
          compared(draw).map((p) => {
            const less = (plain: (run: KeptRun) => KeptCurve | null) =>
              difference(own, draw, p, reading, plain);
            return [
              name + staleMark([...own, ...first]),
              titleOf(draw),
              reading,
              draw.points[p]?.samples ?? 0,
              draw.how === 'answers' ? '–' : less(plainOf),
              less(({ seed }) => plainOf(first.find((run) => run.seed === seed))),
            ];
          }),
        ),
      ),
  );
  return markdownTable([
    ['arm', 'draw', 'result', 'samples', 'minus its own answers', 'minus the first arm’s'],
    ...rows,
  ]);
}

function readingsOf({ how }: DrawPlan): readonly Reading[] {
  return drawKinds[how].order === 'sequential' ? ['majority', 'last'] : ['majority'];
}

/** Every other point, always including the last. */
function compared({ points }: KeptCurve): number[] {
  return points.map((_, p) => p).filter((p) => (points.length - 1 - p) % 2 === 0);
}

/** A point of a draw minus plain answers at equal tokens, over seeds. */
function difference(
  runs: readonly KeptRun[],
  draw: DrawPlan,
  place: number,
  reading: Reading,
  plain: (run: KeptRun) => KeptCurve | null,
): string {
  const differences = runs.flatMap((run) => {
    const [found] = drawsOf([run]).filter(({ draw: own }) => titleOf(own) === titleOf(draw));
    const point = found?.draw.points[place];
    const value = point?.[reading]?.mean;
    const points = (plain(run)?.points ?? []).map(({ tokens, majority }) => ({
      tokens,
      value: majority.mean,
    }));
    const equal = point === undefined ? null : atTokens(points, point.tokens);
    return value === undefined || equal === null ? [] : value - equal;
  });
  const signed = (value: number) => withSign(value, percent);
  if (differences.length === 0) return 'beyond';
  const few = differences.length < runs.length ? ` (${differences.length} of ${runs.length})` : '';
  return withInterval(boundedInterval(differences, [-1, 1]), signed) + few;
}
