import '../runs/runs.css';
import './sweeps.css';
import { Button, Drawer, Loader } from '@mantine/core';
import { useMemo } from 'react';
import type { OpenedSweep } from '../../../exchange/sweeps/opened-sweep.ts';
import { amount, listed, several } from '../../../runs/numbers.ts';
import { useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import { closePanel, useOverlay } from '../../shell/page/panels.ts';
import { metricAxis, parameterAxes } from './axes.ts';
import { ImportanceBars } from './importance.tsx';
import { MOST_LINES, Parallel } from './parallel.tsx';
import { Scatter } from './scatter.tsx';
import { clearBrushes, isOfSweep, takeOffRuns, useSweep } from './store.ts';
import { TrialTable } from './table.tsx';
import { allAxes, goodnessIn, liesWithin } from './trials.ts';

/** A sweep: its trials, their results, and parameter importance. */
export function SweepPanel() {
  const overlay = useOverlay('sweep', 'Close the sweep');
  const { opened, reading, problem } = useSweep();
  return (
    <Drawer
      {...overlay}
      size="min(1240px, 100vw)"
      title={opened === null ? 'Sweep' : opened.sweep.name}
      classNames={{ body: 'runs-body' }}
    >
      <div data-testid="sweep" className="sweep">
        {reading === 0 ? null : (
          <p className="row sweep-reading" role="status">
            <Loader size="xs" /> Reading {reading === 1 ? 'the file' : `${reading} files`}…
          </p>
        )}
        {problem === null ? null : (
          <p className="runs-problem" role="alert" data-testid="sweep-problem">
            {problem}
          </p>
        )}
        {opened === null ? null : <Shown opened={opened} />}
      </div>
    </Drawer>
  );
}

function Shown({ opened }: { readonly opened: OpenedSweep }) {
  const { sweep, summary, notes } = opened;
  const { trials, importances } = summary;
  const brushes = useSweep((state) => state.brushes);
  const parameters = useMemo(() => parameterAxes(sweep, trials), [sweep, trials]);
  const metric = useMemo(() => metricAxis(summary), [summary]);
  const axes = useMemo(() => allAxes(parameters, metric), [parameters, metric]);
  const goodness = useMemo(() => goodnessIn(summary, sweep.metric.goal), [summary, sweep]);
  const inside = useMemo(
    () => trials.filter((trial) => liesWithin(axes, brushes, trial)),
    [trials, axes, brushes],
  );
  const numbers = useMemo(() => new Set(inside.map(({ number }) => number)), [inside]);
  return (
    <>
      <p className="runs-intro">
        {sweep.description === '' ? null : `${sentence(sweep.description)} `}
        {summaryText(opened)}
      </p>
      <Notes notes={notes} />
      <OnTheCharts />
      <section className="card sweep-part" aria-label="Trials by parameter">
        <div className="row sweep-part-head">
          <h3>Trials by parameter</h3>
          <span className="sweep-soft" role="status" data-testid="sweep-inside">
            {brushes.size === 0
              ? 'To filter trials, drag along an axis, or move the ends of its range with the arrow keys.'
              : `${inside.length} of ${several(trials.length, 'trial')} match the filters.`}
          </span>
          {brushes.size === 0 ? null : (
            <Button size="compact-sm" onClick={clearBrushes}>
              Clear filters
            </Button>
          )}
        </div>
        <Parallel
          axes={axes}
          trials={trials}
          goodness={goodness}
          isIn={({ number }) => numbers.has(number)}
        />
        <p className="sweep-soft">
          Warmer colors mean better values; dashed lines have no value yet.
          {trials.length > MOST_LINES ? ` The best ${amount(MOST_LINES)} are drawn.` : null}
        </p>
      </section>
      {parameters.length === 0 ? null : (
        <div className="sweep-two">
          <Scatter
            key={importances[0]?.path}
            parameters={parameters}
            metric={metric}
            trials={inside}
            goodness={goodness}
            first={importances[0]?.path ?? ''}
            seeds={sweep.seeds.length}
          />
          <ImportanceBars importances={importances} />
        </div>
      )}
      <TrialTable opened={opened} parameters={parameters} trials={inside} />
      <p className="sweep-soft">
        The sweep is read from its folder and not stored in this browser. Open it again to see newer
        trials.
      </p>
    </>
  );
}

/** The sweep's kind and progress. */
function summaryText({ sweep, summary: { trials, metric } }: OpenedSweep): string {
  const { sampler, seeds, metric: wanted, trials: planned } = sweep;
  const ended = trials.filter(({ standing }) => standing !== 'running').length;
  const by = { grid: 'grid search', random: 'random search', bayes: 'Bayesian search (TPE)' }[
    sampler
  ];
  const each =
    seeds.length === 1
      ? `seed ${seeds[0]}`
      : `${seeds.length} seeds (${listed(seeds.map(String))})`;
  const aim = wanted.goal === 'maximize' ? 'as large' : 'as small';
  const all = Math.max(planned, trials.length);
  return `${ended} of ${several(all, 'trial')} ${all === 1 ? 'has' : 'have'} finished. Trials are chosen by ${by}; each runs with ${each}. ${metric.title} should be ${aim} as possible: ${metric.meaning}`;
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="sweep-notes" aria-label="How it was read" data-testid="sweep-notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function OnTheCharts() {
  const count = useOverlaidRuns(({ overlaid }) => overlaid.filter(isOfSweep).length);
  if (count === 0) return null;
  return (
    <p className="row sweep-laid" role="status" data-testid="sweep-laid">
      <span>
        {count === 1 ? '1 run of a sweep is' : `${count} runs of sweeps are`} on the lab’s charts.
      </span>
      <Button variant="filled" size="compact-sm" onClick={() => closePanel('sweep')}>
        Go to the charts
      </Button>
      <Button size="compact-sm" onClick={takeOffRuns}>
        Remove
      </Button>
    </p>
  );
}
