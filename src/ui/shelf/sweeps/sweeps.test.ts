import { describe, expect, it } from 'vitest';
import { readSweep } from '../../../sweep/file.ts';
import { runName } from '../../../sweep/plan.ts';
import { type Records, summarizeSweep } from '../../../sweep/summary.ts';
import { metricAxis, parameterAxes } from './axes.ts';
import { brushed, movedBy, snapped, within } from './brush.ts';
import { allAxes, goodnessIn, liesWithin, METRIC, nearestTrial, pathOf } from './trials.ts';

const { sweep } = readSweep(
  `method: random
metric: {name: eval/success_rate, goal: maximize}
run_cap: 6
parameters:
  preset: {value: maze}
  seed: {values: [1, 2]}
  optimizer.learning_rate: {distribution: log_uniform_values, min: 0.0001, max: 0.01}
  algorithm.objective: {values: [ppo_clip, bapo]}`,
  'rates',
);
const rates = [0.0001, 0.001, 0.01] as const;
const trials = rates.map((rate, i) => ({
  number: i + 1,
  values: {
    preset: 'maze',
    'optimizer.learning_rate': rate,
    'algorithm.objective': i === 0 ? 'ppo_clip' : 'bapo',
  },
}));
const measured: readonly (readonly [trial: number, seed: number, value: number])[] = [
  ...[[1, 1, 0.2] as const, [1, 2, 0.4] as const],
  ...[[2, 1, 0.8] as const, [2, 2, 0.6] as const],
];
const records: Records = new Map(
  measured.map(([trial, seed, value]) => [
    runName(trial, seed),
    { outcome: 'finished', reason: '', value, rungs: [], summary: { iterations: 1, turns: 1 } },
  ]),
);
const summary = summarizeSweep(sweep, trials, records);
const axes = allAxes(parameterAxes(sweep, summary.trials), metricAxis(summary));
const trialOf = (number: number) => {
  const trial = summary.trials.find((one) => one.number === number);
  if (trial === undefined) throw new Error('no such trial');
  return trial;
};
const axisOf = (id: string) => {
  const axis = axes.find((one) => one.id === id);
  if (axis === undefined) throw new Error('no such axis');
  return axis;
};

describe('a plot of trials', () => {
  it('has an axis for each varied parameter and one for the metric', () => {
    expect(axes.map(({ id, title }) => [id, title])).toEqual([
      ['optimizer.learning_rate', 'Learning rate'],
      ['algorithm.objective', 'Objective'],
      [METRIC, 'Evaluation success'],
    ]);
  });

  it('spaces a logarithmic axis by orders of magnitude and centers list values in their intervals', () => {
    const rate = axisOf('optimizer.learning_rate');
    [1, 2, 3].forEach((number, i) => {
      expect(rate.at(trialOf(number))).toBeCloseTo(i / 2);
    });
    expect(rate.format(0.5)).toBe('0.001');
    expect(rate.ticks.map(({ text }) => text)).toContain('0.001');
    const objective = axisOf('algorithm.objective');
    expect(objective.ticks).toEqual([
      { share: 0.25, text: 'ppo_clip' },
      { share: 0.75, text: 'bapo' },
    ]);
    expect(objective.at(trialOf(2))).toBe(0.75);
    expect([objective.format(0), objective.format(1)]).toEqual(['ppo_clip', 'bapo']);
  });

  it('has a metric axis that includes every seed but does not exceed the metric’s bounds', () => {
    const metric = metricAxis(summary);
    expect(metric.at(0.2)).toBeGreaterThanOrEqual(0);
    expect(metric.at(0.8)).toBeLessThanOrEqual(1);
    const sure = { ...trialOf(2), bySeed: [1, 1] };
    expect(metricAxis({ ...summary, trials: [sure] }).scale.to).toBe(1);
    expect(axisOf(METRIC).at(trialOf(3))).toBeNull();
  });
});

describe('a brush', () => {
  const none = new Map();

  it('combines with brushes on other axes: a trial must lie within all of them', () => {
    const rates = brushed(none, 'optimizer.learning_rate', [0.4, 1]);
    const inside = (brushes: typeof rates) =>
      summary.trials
        .filter((trial) => liesWithin(axes, brushes, trial))
        .map(({ number }) => number);
    expect(inside(none)).toEqual([2, 1, 3]);
    expect(inside(rates)).toEqual([2, 3]);
    // A trial without a value is outside every brush on the metric axis.
    expect(inside(brushed(rates, METRIC, [0.1, 1]))).toEqual([2]);
    expect(brushed(rates, 'optimizer.learning_rate', [0, 1])).toEqual(none);
  });

  it('has ends that keys can move, but not past each other', () => {
    expect(movedBy('ArrowUp', [0, 1], 'from', null)).toEqual([0.02, 1]);
    expect(movedBy('PageDown', [0, 1], 'to', null)).toEqual([0, 0.8]);
    expect(movedBy('End', [0.1, 0.5], 'from', null)).toEqual([0.5, 0.5]);
    expect(movedBy('ArrowDown', [0, 0.5], 'to', 2)).toEqual([0, 0.5]);
    expect(movedBy('Delete', [0.1, 0.5], 'to', null)).toEqual([0, 1]);
    expect(movedBy('x', [0.1, 0.5], 'to', null)).toBeNull();
    expect(movedBy('toString', [0.1, 0.5], 'to', null)).toBeNull();
  });

  it('snaps to whole values of a list', () => {
    expect(snapped([0.1, 0.4], 2)).toEqual([0, 0.5]);
    expect(snapped([0.1, 0.4], null)).toEqual([0.1, 0.4]);
    expect(within([0, 0.5], 0.25)).toBe(true);
    expect(within([0, 0.5], 0.75)).toBe(false);
  });
});

describe('the line of a trial', () => {
  const xOf = (axis: number) => 100 * axis;
  const yOf = (share: number) => 100 * (1 - share);

  it('crosses the axes for which its trial has a value', () => {
    expect(pathOf(axes, trialOf(3), xOf, yOf)).toBe('M0 0L100 25');
    expect(pathOf(axes, trialOf(1), xOf, yOf)).toMatch(/^M0 100L100 75L200 [\d.]+$/);
  });

  it('is selected if it is nearest to the pointer', () => {
    const near = (x: number, y: number) =>
      nearestTrial(axes, summary.trials, { x, y }, xOf, yOf, 10);
    expect(near(50, 12)).toBe(3);
    expect(near(50, 90)).toBe(1);
    expect(near(50, 60)).toBeNull();
    expect(near(-5, 12)).toBeNull();
  });

  it('is colored by its trial’s mean, on a scale from the worst trial to the best', () => {
    const good = goodnessIn(summary, 'maximize');
    expect([1, 2, 3].map((number) => good(trialOf(number)))).toEqual([0, 1, null]);
    expect(goodnessIn(summary, 'minimize')(trialOf(1))).toBe(1);
  });
});
