import { Button } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import type { Estimate } from '../../../algorithms/confidence.ts';
import type { OpenedSweep } from '../../../exchange/sweeps/opened-sweep.ts';
import { significant, thousands } from '../../../runs/numbers.ts';
import type { TrialSummary } from '../../../sweep/summary.ts';
import { useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import { useLab } from '../../shell/lab/store.ts';
import { Pages } from '../../shell/page/pages.tsx';
import { closePanel } from '../../shell/page/panels.ts';
import { type ParameterAxis, valueText } from './axes.ts';
import { chooseTrial, layRuns, overlayId, pointAt, trainAgain, useSweep } from './store.ts';

interface TrialTableProps {
  readonly opened: OpenedSweep;
  readonly parameters: readonly ParameterAxis[];
  /** Trials within the brushes, best first. */
  readonly trials: readonly TrialSummary[];
}

/** Rows on one page of the table. */
const ROWS = 50;

/** Trials with their values and results; each expands to its seeds. */
export function TrialTable({ opened, parameters, trials }: TrialTableProps) {
  const { summary } = opened;
  const [asked, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(trials.length / ROWS));
  const page = Math.min(asked, pages - 1);
  const columns = parameters.length + 4;
  return (
    <>
      <div className="runs-scroll">
        <table className="runs-table sweep-table">
          <caption className="visually-hidden">Trials, best first</caption>
          <thead>
            <tr>
              <th scope="col">Trial</th>
              {parameters.map(({ path, title }) => (
                <th key={path} scope="col" title={path}>
                  {title}
                </th>
              ))}
              <th scope="col" title={summary.metric.key}>
                {summary.metric.title}
              </th>
              <th scope="col">Iterations, all seeds</th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {trials.length === 0 ? (
              <tr>
                <td className="runs-none" colSpan={columns}>
                  No trial matches the filters.
                </td>
              </tr>
            ) : null}
            {trials.slice(ROWS * page, ROWS * (page + 1)).map((trial) => (
              <TrialRow key={trial.number} {...{ opened, parameters, trial, columns }} />
            ))}
          </tbody>
        </table>
      </div>
      {pages === 1 ? null : (
        <Pages className="sweep-pages" page={page} pages={pages} onPage={setPage}>
          <span>
            Trials {ROWS * page + 1} to {Math.min(trials.length, ROWS * (page + 1))} of{' '}
            {trials.length}
          </span>
        </Pages>
      )}
    </>
  );
}

interface TrialRowProps {
  readonly opened: OpenedSweep;
  readonly parameters: readonly ParameterAxis[];
  readonly trial: TrialSummary;
  readonly columns: number;
}

function TrialRow({ opened, parameters, trial, columns }: TrialRowProps) {
  const { number, values, estimate, iterations } = trial;
  const isOpen = useSweep(({ chosen }) => chosen === number);
  const isPointed = useSweep(({ pointed }) => pointed === number);
  return (
    <Fragment>
      <tr
        data-trial={number}
        data-pointed={isPointed || undefined}
        onPointerEnter={() => pointAt(number)}
        onPointerLeave={() => pointAt(null)}
      >
        <th scope="row">
          <button
            type="button"
            className="runs-name"
            aria-expanded={isOpen}
            aria-label={`Seeds of trial ${number}`}
            onClick={() => chooseTrial(number)}
          >
            {isOpen ? (
              <IconChevronDown size={14} aria-hidden />
            ) : (
              <IconChevronRight size={14} aria-hidden />
            )}
            {number}
          </button>
        </th>
        {parameters.map(({ path }) => (
          <td key={path} className="amount">
            {valueText(values[path])}
          </td>
        ))}
        <td className="amount">{estimate === null ? '–' : <Interval estimate={estimate} />}</td>
        <td className="amount">{thousands(iterations)}</td>
        <td>{standingText(trial)}</td>
      </tr>
      {isOpen ? (
        <tr className="sweep-seeds">
          <td colSpan={columns}>
            <Seeds opened={opened} trial={trial} />
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}

function Interval({ estimate: { mean, low, high } }: { readonly estimate: Estimate }) {
  return (
    <>
      {significant(mean)}
      {Number.isFinite(low) ? (
        <small>
          {' '}
          {significant(low)} to {significant(high)}
        </small>
      ) : null}
    </>
  );
}

function standingText({ standing, rungs }: TrialSummary): string {
  switch (standing) {
    case 'finished':
      return 'finished';
    case 'stopped':
      return `stopped at rung ${rungs}`;
    case 'failed':
    case 'running':
      return standing;
    default:
      return standing satisfies never;
  }
}

/** The runs of a trial, with results and actions. */
function Seeds({ opened, trial }: { readonly opened: OpenedSweep; readonly trial: TrialSummary }) {
  const overlaid = useOverlaidRuns((state) => state.overlaid);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const runs = [...opened.runs.values()]
    .filter((run) => run.trial === trial.number)
    .sort((a, b) => a.seed - b.seed);
  const drawable = runs.filter((run) => run.drawable);
  const laid = new Set(overlaid.map(({ id }) => id));
  const isLaid = drawable.length > 0 && drawable.every((run) => laid.has(overlayId(run)));
  return (
    <div className="sweep-runs" data-testid="sweep-runs">
      {runs.length === 0 ? <p className="sweep-soft">None of its runs has finished yet.</p> : null}
      <ul>
        {runs.map((run) => (
          <li key={run.run}>
            <span>
              Seed {run.seed}: <b>{significant(run.value ?? undefined)}</b>
              {run.outcome === 'finished' ? null : (
                <small>
                  {' '}
                  {run.outcome}: {run.reason}
                </small>
              )}
            </span>
            <Button
              size="compact-xs"
              disabled={cannotTrain || !run.drawable}
              aria-label={`Train trial ${trial.number}, seed ${run.seed}, again`}
              onClick={() => void trainAgain(run)}
            >
              Train again
            </Button>
          </li>
        ))}
      </ul>
      {drawable.length === 0 ? null : (
        <Button
          size="compact-sm"
          variant={isLaid ? 'filled' : 'default'}
          onClick={() => (isLaid ? closePanel('sweep') : void layRuns(drawable))}
        >
          {isLaid
            ? 'Go to the charts'
            : drawable.length === 1
              ? 'Overlay its curve on the charts'
              : `Overlay its ${drawable.length} curves on the charts`}
        </Button>
      )}
    </div>
  );
}
