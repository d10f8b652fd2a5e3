import { useElementSize, useMergedRef } from '@mantine/hooks';
import { memo, Suspense, useEffect, useId, useMemo, useRef } from 'react';
import type { Config } from '../../config/schema.ts';
import { asOf, diagnose } from '../../diagnosis/diagnose.ts';
import type { Rule } from '../../diagnosis/evidence.ts';
import type { MetricKey } from '../../runs/metrics.ts';
import { fineShare, percent } from '../../runs/numbers.ts';
import { loadedLater } from '../shell/comfort/release.ts';
import { Words } from '../shell/terms/words.tsx';
import { type ChartData, type ChartEvidence, useChartData } from './chart-data.ts';
import { ChartMenu } from './chart-menu.tsx';
import { seriesKey, toggle, useChartSettings, useCrosshair } from './chart-settings.ts';
import type { ChartSpec, FromRun } from './chart-spec.ts';
import { Crosshair } from './crosshair.tsx';
import { Curves } from './curves.tsx';
import { useForeign } from './foreign.ts';
import { Frame, type FramePhase, isSmall, leftMargin, margin, topMargin } from './frame.tsx';
import { extentX, extentY, type Line, linesOf, readLine } from './lines.ts';
import { type Lit, useDraws, useLit } from './lit.ts';
import { type Moment, type Moments, momentsOf, type Span, spanOf, spansOf } from './moments.ts';
import { roundEnds, type Scale, type ScaleKind, shareOf, ticksOf } from './scale.ts';
import type { Level, Series } from './series.ts';
import { Swatch } from './swatch.tsx';
import { WAITING } from './waiting.ts';
import { type AxisName, iterationAt, wholeAxis, xAxes, xTicks } from './x-axis.ts';

const ChartTable = loadedLater(async () => (await import('./chart-table.tsx')).ChartTable);
const ForeignCurve = loadedLater(async () => (await import('./foreign-curve.tsx')).ForeignCurve);

function resolve<T extends string | readonly unknown[]>(
  value: FromRun<T>,
  evidence: ChartEvidence,
): T {
  return typeof value === 'function' ? value(evidence) : value;
}

const none: readonly Level[] = [];
const nothing: readonly MetricKey[] = [];

interface MetricChartProps {
  readonly spec: ChartSpec;
  /** Fills its container; the explanation is for screen readers only, the meaning a tooltip. */
  readonly compact?: boolean;
  /** Offers to enlarge and to pin it. */
  readonly grouped?: boolean;
}

/** A chart with its title, current values, curve, meaning, and why it moves now. */
export const MetricChart = memo(function MetricChart(props: MetricChartProps) {
  const { spec, compact = false, grouped = false } = props;
  const {
    testId,
    title,
    meaning,
    why,
    waiting = () => WAITING,
    format,
    large,
    scale = 'linear',
    shows = nothing,
  } = spec;
  const id = useId();
  const figure = useRef<HTMLElement>(null);
  const data = useChartData(figure);
  const { evidence } = data;
  const axis = useChartSettings((settings) => settings.axis);
  const smoothing = useChartSettings((settings) => settings.smoothing);
  const hiddenSeries = useChartSettings((settings) => settings.hiddenSeries);
  const hiddenRuns = useChartSettings((settings) => settings.hiddenRuns);
  const flipped = useChartSettings((settings) => settings.logY.has(testId));
  const asTable = useChartSettings((settings) => settings.tables.has(testId));
  const kind: ScaleKind = (scale === 'log') === flipped ? 'linear' : 'log';
  const all = resolve(spec.series, evidence);
  const lines = useMemo(
    () => linesOf(data.groups, all, axis, smoothing),
    [data, all, axis, smoothing],
  );
  const shown = useMemo(
    () =>
      lines.filter(
        ({ series, group }) =>
          !hiddenSeries.has(seriesKey(testId, series.name)) &&
          // Without several groups the toolbar has no toggle.
          (data.groups.length < 2 || !hiddenRuns.has(group.key)),
      ),
    [data, lines, hiddenSeries, hiddenRuns, testId],
  );
  const metrics = useMemo(
    () => [...all.flatMap(({ metric }) => metric ?? []), ...shows],
    [all, shows],
  );
  useDraws(metrics);
  const lit = useLit((state) =>
    state.lit !== null && metrics.includes(state.lit.metric) ? state.lit : null,
  );
  const drawn = useRef(shown);
  useEffect(() => {
    drawn.current = shown;
  });
  return (
    <figure
      ref={figure}
      className={large ? 'card chart chart-large' : 'card chart'}
      data-testid={testId}
      data-metrics={metrics.join(' ')}
      data-lit={lit === null ? undefined : true}
      aria-labelledby={id}
      {...(why === null ? {} : { 'aria-describedby': `${id}-why` })}
    >
      <figcaption className="row chart-head">
        <h3 id={id} title={compact || spec.height < 150 ? resolve(meaning, evidence) : undefined}>
          {title}
        </h3>
        <Values spec={spec} all={all} lines={lines} />
        <ChartMenu
          spec={spec}
          grouped={grouped}
          kind={kind}
          figure={figure}
          series={all}
          lines={drawn}
        />
      </figcaption>
      {asTable ? (
        <Suspense fallback={<div style={{ height: spec.height }} />}>
          <ChartTable
            title={title}
            axis={axis}
            run={data.groups[0]?.runs[0]}
            lines={shown}
            format={format}
            height={spec.height}
          />
        </Suspense>
      ) : (
        <Plot
          spec={spec}
          data={data}
          lines={shown}
          metrics={metrics}
          axis={axis}
          kind={kind}
          lit={lit}
          fills={compact || large === true}
        />
      )}
      {compact ? null : (
        <p className="chart-meaning">
          <Words text={resolve(meaning, evidence)} />
        </p>
      )}
      {why === null ? null : (
        <p className={compact ? 'visually-hidden' : 'chart-why'} id={`${id}-why`}>
          <Why why={why} evidence={evidence} axis={axis} waiting={waiting} plain={compact} />
        </p>
      )}
    </figure>
  );
});

interface WhyProps {
  readonly why: Rule;
  readonly evidence: ChartEvidence;
  readonly axis: AxisName;
  readonly waiting: (config: Config) => string;
  /** Without links to terms. */
  readonly plain: boolean;
}

/** Why the curve moves, as of the newest iteration or the one under the crosshair. */
function Why({ why, evidence, axis, waiting, plain }: WhyProps) {
  const then = useCrosshair(({ at }) =>
    at === null ? null : iterationAt(evidence.rows, axis, at),
  );
  const text = why(then === null ? evidence : asOf(evidence, then)) ?? waiting(evidence.config);
  return plain ? text : <Words text={text} />;
}

interface ValuesProps {
  readonly spec: ChartSpec;
  readonly all: readonly Series[];
  readonly lines: readonly Line[];
}

/**
 * The series by name, each a toggle, with the current run's values at the crosshair, or its newest
 * values.
 */
function Values({ spec: { testId, format, unit }, all, lines }: ValuesProps) {
  const at = useCrosshair((crosshair) => crosshair.at) ?? Number.POSITIVE_INFINITY;
  const hidden = useChartSettings((settings) => settings.hiddenSeries);
  const named = all.filter(({ inLegend = true }) => inLegend);
  const several = lines.length > all.length;
  return (
    <dl className="chart-values">
      {named.map((series) => {
        const line = lines.find((one) => one.series === series);
        const reading = line === undefined ? null : readLine(line, at);
        const swatch = (
          <Swatch series={series} {...(several && line !== undefined ? { line } : {})} />
        );
        const off = hidden.has(seriesKey(testId, series.name));
        return (
          <div key={series.name} {...(off ? { className: 'series-off' } : {})}>
            <dt>
              {all.length === 1 ? (
                <>
                  {swatch}
                  <span className="visually-hidden">{series.name}</span>
                </>
              ) : (
                <button
                  type="button"
                  className="series-switch"
                  aria-pressed={!off}
                  title={off ? `Show ${series.name}` : `Hide ${series.name}`}
                  onClick={() => toggleSeries(testId, series, all)}
                >
                  {swatch} {series.name}
                </button>
              )}
            </dt>
            <dd>
              {format(reading?.value)}
              {unit === undefined ? null : <span className="unit"> {unit}</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Toggles a series, and with it the series of the same color that the header does not list. */
function toggleSeries(testId: string, series: Series, all: readonly Series[]): void {
  toggle('hiddenSeries', seriesKey(testId, series.name));
  for (const { name, color, inLegend = true } of all) {
    if (!inLegend && color === series.color) toggle('hiddenSeries', seriesKey(testId, name));
  }
}

interface PlotProps {
  readonly spec: ChartSpec;
  readonly data: ChartData;
  readonly lines: readonly Line[];
  readonly metrics: readonly MetricKey[];
  readonly axis: AxisName;
  readonly kind: ScaleKind;
  /** Highlighted evidence that this chart shows. */
  readonly lit: Lit | null;
  /** Takes the height of its container instead of the spec's. */
  readonly fills: boolean;
}

function Plot({ spec, data, lines, metrics, axis, kind, lit, fills }: PlotProps) {
  const { large = false, format, title, testId } = spec;
  const { ref, width, height: room } = useElementSize<HTMLDivElement>();
  const box = useMergedRef(ref);
  const zoom = useChartSettings((settings) => settings.zoom);
  const logX = useChartSettings((settings) => settings.logX);
  const foreign = useForeign((state) => state.foreign);
  const height = fills ? Math.max(spec.height, Math.floor(room)) : spec.height;
  const small = isSmall(width);
  const namePhases = spec.namePhases === true && !small;
  const run = data.groups[0]?.runs[0];
  const moments = useMemo(() => momentsOf(run, axis), [run, axis]);
  const { findings } = diagnose(data.evidence);
  const spans = useMemo(() => spansOf(findings, run, axis), [findings, run, axis]);
  const shade = useMemo(
    () => (lit === null ? null : spanOf(lit.iterations, 'Evidence', run, axis)),
    [lit, run, axis],
  );
  const happened = useMemo(() => describe(moments, spans), [moments, spans]);
  const levels = spec.levels === undefined ? none : resolve(spec.levels, data.evidence);
  const plot = {
    width: Math.max(0, width - leftMargin(width) - margin.right),
    height: height - topMargin(namePhases && moments.phases.length > 0) - margin.bottom,
  };
  const whole = wholeScale(axis, logX ? 'log' : 'linear', lines, data);
  const x: Scale = zoom === null ? whole : { kind: whole.kind, from: zoom[0], to: zoom[1] };
  const yTickCount = height > 260 ? 6 : 4;
  const y = yScale(spec, kind, x, plot.width, lines, levels, yTickCount);
  const scales = { x, y, ...plot };
  const inSight = levels.filter(({ value }) => value >= y.from && value <= y.to);
  const readTick = kind === 'log' && format === percent ? fineShare : format;
  return (
    <div
      className={fills ? 'plot-place plot-place-large' : 'plot-place'}
      style={{ minHeight: spec.height }}
    >
      <div ref={box} className="plot" style={fills ? {} : { height }}>
        {width > 0 ? (
          <>
            <Frame
              width={width}
              height={height}
              x={x}
              xTicks={small ? [x.from, x.to] : xTicks(axis, x, plot.width)}
              xFormat={xAxes[axis].format}
              y={y}
              yTicks={small ? [y.from, y.to] : ticksOf(y, yTickCount)}
              yFormat={readTick}
              levels={inSight.map(({ value }) => value)}
              phases={framePhases(moments.phases, x, plot.width, namePhases)}
            />
            <Curves
              lines={lines}
              levels={small ? none : inSight}
              scales={scales}
              moments={moments}
              spans={spans}
              lit={shade}
              large={large}
            />
            {foreign === null ? null : (
              <Suspense>
                <ForeignCurve foreign={foreign} metrics={metrics} {...plot} />
              </Suspense>
            )}
          </>
        ) : null}
      </div>
      {width > 0 && run !== undefined ? (
        <Crosshair
          chart={testId}
          title={title}
          axis={axis}
          run={run}
          lines={lines}
          moments={happened}
          scales={scales}
          whole={whole}
          format={format}
        />
      ) : null}
    </div>
  );
}

const describe = (
  { phases, warnings, turned, evaluations }: Moments,
  spans: readonly Span[],
): readonly Moment[] => [
  ...spans.map(({ at, text }) => ({ at, text: `Began around here: ${text}` })),
  ...phases.map(({ at, text }) => ({ at, text: `Limit from here on: ${text}` })),
  ...turned.map(({ at, text }) => ({ at, text: `Changed here: ${text}` })),
  ...warnings,
  ...evaluations.map((at) => ({ at, text: 'Evaluated' })),
];

/** Phase lines in view, labeled where labels do not overlap. */
function framePhases(
  phases: readonly Moment[],
  x: Scale,
  width: number,
  named: boolean,
): readonly FramePhase[] {
  let free = Number.NEGATIVE_INFINITY;
  let drawn = Number.NEGATIVE_INFINITY;
  return phases.flatMap(({ at, text }) => {
    const place = width * shareOf(x, at);
    if (!(place >= 0 && place <= width) || place < drawn + 3) return [];
    drawn = place;
    const room = named && place >= free;
    if (room) free = place + 56;
    return [{ at, name: room ? text : null }];
  });
}

/** The x axis without zoom. */
function wholeScale(
  axis: AxisName,
  kind: ScaleKind,
  lines: readonly Line[],
  { groups }: ChartData,
): Scale {
  const own = extentX(lines, kind) ?? [1, 1];
  // Charts with few measurements extend as far as the others.
  const { read } = xAxes[axis];
  const ends = groups.flatMap(({ runs }) =>
    runs.map((run) => ({ curve: run.tracks.get(read, read).follow(run.rows) })),
  );
  const [from, to] = extentX(ends, kind) ?? own;
  return wholeAxis(axis, kind, from, to);
}

/**
 * A value that lies below the fixed start of an axis by less than this share of the range counts as
 * a rounding error; an estimate of zero may be slightly negative.
 */
const BELOW = 0.002;

function yScale(
  { domain = [0, 'auto'], atLeast }: ChartSpec,
  kind: ScaleKind,
  x: Scale,
  width: number,
  lines: readonly Line[],
  levels: readonly Level[],
  ticks: number,
): Scale {
  const extent = extentY(lines, x, width, kind);
  const values = [
    ...(extent ?? []),
    ...(atLeast ?? []),
    ...levels.map(({ value }) => value),
  ].filter((value) => kind === 'linear' || value > 0);
  const least = Math.min(...values);
  const most = Math.max(...values);
  const [first, last] = domain;
  // A fixed start below the data is kept; values clearly below it are still shown.
  const below = first !== 'auto' && least < first - BELOW * (most - first);
  const from = first === 'auto' || (kind === 'log' && first <= 0) || below ? least : first;
  const to = last === 'auto' ? most : last;
  if (!Number.isFinite(from) || !Number.isFinite(to) || from > to) {
    return kind === 'log' ? { kind, from: 0.1, to: 1 } : { kind, from: 0, to: 1 };
  }
  const rounded = roundEnds(kind, from, to, ticks);
  return {
    kind,
    from: first === from ? from : rounded.from,
    to: last === to && to > rounded.from ? to : rounded.to,
  };
}
