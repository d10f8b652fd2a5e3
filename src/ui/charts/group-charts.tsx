/**
 * The small charts of a group. Each can be enlarged; charts without data are listed in one line.
 */

import { type ReactNode, useRef } from 'react';
import type { Config } from '../../config/schema.ts';
import { type LabState, useLab } from '../shell/lab/store.ts';
import { Part } from '../shell/page/part.tsx';
import { useChartSettings } from './chart-settings.ts';
import type { ChartSpec } from './chart-spec.ts';
import { MetricChart } from './metric-chart.tsx';

/** Heights of a plot in a group, in pixels. */
const SMALL = 98;
const ENLARGED = 340;

const sized = new Map<ChartSpec, Readonly<Record<'small' | 'enlarged', ChartSpec>>>();

function sizedSpec(spec: ChartSpec, size: 'small' | 'enlarged'): ChartSpec {
  const known = sized.get(spec) ?? {
    small: { ...spec, height: SMALL },
    enlarged: { ...spec, height: ENLARGED, large: true },
  };
  sized.set(spec, known);
  return known[size];
}

/** Whether the current run has a value of a chart. Each row is read only once. */
function useHasData(spec: ChartSpec): boolean {
  const seen = useRef({ runId: '', upTo: 0, found: false });
  return useLab((lab) => {
    const { current } = seen;
    if (current.runId !== lab.runId || current.upTo > lab.rows.length) {
      seen.current = { runId: lab.runId ?? '', upTo: 0, found: false };
    }
    const state = seen.current;
    if (state.found || state.upTo === lab.rows.length) return state.found;
    const series = typeof spec.series === 'function' ? spec.series(evidenceOf(lab)) : spec.series;
    state.found = lab.rows
      .slice(state.upTo)
      .some((row) => series.some(({ read }) => Number.isFinite(read(row))));
    state.upTo = lab.rows.length;
    return state.found;
  });
}

const evidenceOf = ({ rows, evaluations, config }: LabState) => ({
  ...{ rows, evaluations, config },
  facts: config,
});

/** A chart in its group; renders nothing until it has data. */
export function GroupChart({ spec }: { readonly spec: ChartSpec }) {
  const enlarged = useChartSettings((settings) => settings.enlarged.has(spec.testId));
  return useHasData(spec) ? (
    <Part name={`The chart “${spec.title}”`}>
      <MetricChart spec={sizedSpec(spec, enlarged ? 'enlarged' : 'small')} grouped />
    </Part>
  ) : null;
}

interface LaterProps {
  readonly specs: readonly ChartSpec[];
  /** Other panels without data, each with the time at which it appears. */
  readonly others?: readonly (readonly [title: string, when: string])[];
}

/** One line that lists the charts without data, and when they appear. */
export function Later({ specs, others = [] }: LaterProps) {
  const config = useLab((lab) => lab.config);
  const begun = useLab((lab) => lab.rows.length > 0);
  const imitates = config.imitation.epochs > 0;
  return (
    <p className="charts-later" data-testid="charts-later">
      {begun ? null : (
        <span>
          {imitates
            ? 'Charts appear with the first iteration, after imitation.'
            : 'Charts appear with the first iteration.'}
        </span>
      )}
      {specs.map((spec) => (
        <LaterChart key={spec.testId} spec={spec} config={config} begun={begun} />
      ))}
      {others.map(([title, when]) => (
        <LaterText key={title} title={title} when={when} />
      ))}
    </p>
  );
}

interface LaterChartProps {
  readonly spec: ChartSpec;
  readonly config: Config;
  /** Whether the run has finished an iteration, which most charts wait for. */
  readonly begun: boolean;
}

function LaterChart({ spec, config, begun }: LaterChartProps) {
  const { title, waiting } = spec;
  if (useHasData(spec)) return null;
  if (waiting !== undefined) return <LaterText title={title} when={waiting(config)} />;
  return begun ? <LaterText title={title} when="no data yet." /> : null;
}

const LaterText = ({
  title,
  when,
}: {
  readonly title: string;
  readonly when: string;
}): ReactNode => (
  <span>
    <b>{title}</b>: {when}
  </span>
);
