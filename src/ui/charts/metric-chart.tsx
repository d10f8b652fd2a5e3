import { useElementSize, useMergedRef } from '@mantine/hooks';
import { memo, Suspense, useEffect, useId, useMemo, useRef } from 'react';
import type { Config } from '../../config/schema.ts';
import { asOf, diagnose } from '../../diagnosis/diagnose.ts';
import type { Rule } from '../../diagnosis/evidence.ts';
import type { MetricKey } from '../../runs/metrics.ts';
import { fineShare, percent } from '../../runs/numbers.ts';
import { loadedLater } from '../comfort/release.ts';
import { Words } from '../terms/words.tsx';
import { type ChartData, type ChartEvidence, useChartData } from './chart-data.ts';
import { ChartMenu } from './chart-menu.tsx';
import { seriesKey, toggle, useChartSettings, useCrosshair } from './chart-settings.ts';
import { Crosshair } from './crosshair.tsx';
import { Curves } from './curves.tsx';
import { useForeign } from './foreign.ts';
import { Frame, type FramePhase, margin, topMargin } from './frame.tsx';
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

/** A number or a text that may depend on the run. */
type Told<T> = T | ((evidence: ChartEvidence) => T);

function told<T extends string | readonly unknown[]>(what: Told<T>, evidence: ChartEvidence): T {
  return typeof what === 'function' ? what(evidence) : what;
}

/** What a chart shows; everything else is the same for all of them. */
export interface ChartSpec {
  /** Stable name, for tests, settings and files. */
  readonly testId: string;
  readonly title: string;
  /** What the number means. */
  readonly meaning: Told<string>;
  /** Why it moves now. */
  readonly why: Rule;
  /** What is said before there is anything to explain. */
  readonly waiting?: (config: Config) => string;
  /** A function gives the same objects as long as nothing that they depend on changes. */
  readonly series: Told<readonly Series[]>;
  /** Metrics that it shows beside those of its series, as the sum of its parts. */
  readonly shows?: readonly MetricKey[];
  readonly format: (value: number | undefined) => string;
  readonly unit?: string;
  /** Ends of the y axis; what is left out follows the data, from 0 on. */
  readonly domain?: readonly [number | 'auto', number | 'auto'];
  /** What the y axis shows in any case. */
  readonly atLeast?: readonly [number, number];
  readonly levels?: Told<readonly Level[]>;
  /** The y axis as it is before the visitor changes it. */
  readonly scale?: ScaleKind;
  /** Write the new limit beside each line of a phase. */
  readonly namePhases?: boolean;
  /** Pixels. */
  readonly height: number;
  readonly large?: boolean;
}

const none: readonly Level[] = [];
const nothing: readonly MetricKey[] = [];

/** A chart that explains itself: title, present values, curve, meaning, and why it moves now. */
export const MetricChart = memo(function MetricChart({ spec }: { readonly spec: ChartSpec }) {
  const {
    testId,
    title,
    meaning,
    why,
    waiting = () => WAITING,
    format,
    unit,
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
  const all = told(spec.series, evidence);
  const lines = useMemo(
    () => linesOf(data.groups, all, axis, smoothing),
    [data, all, axis, smoothing],
  );
  const shown = useMemo(
    () =>
      lines.filter(
        ({ series, group }) =>
          !hiddenSeries.has(seriesKey(testId, series.name)) && !hiddenRuns.has(group.key),
      ),
    [lines, hiddenSeries, hiddenRuns, testId],
  );
  const metrics = useMemo(
    () => [...shows, ...all.flatMap(({ metric }) => metric ?? [])],
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
      aria-describedby={`${id}-why`}
    >
      <figcaption className="chart-head">
        <h3 id={id}>{title}</h3>
        <Values spec={spec} all={all} lines={lines} />
        <ChartMenu
          title={title}
          testId={testId}
          unit={unit ?? ''}
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
        />
      )}
      <p className="chart-meaning">
        <Words text={told(meaning, evidence)} />
      </p>
      <p className="chart-why" id={`${id}-why`}>
        <Why why={why} evidence={evidence} axis={axis} waiting={waiting} />
      </p>
    </figure>
  );
});

interface WhyProps {
  readonly why: Rule;
  readonly evidence: ChartEvidence;
  readonly axis: AxisName;
  readonly waiting: (config: Config) => string;
}

/** Why the curve moves: now, or as it was known in the iteration under the crosshair. */
function Why({ why, evidence, axis, waiting }: WhyProps) {
  const then = useCrosshair(({ at }) =>
    at === null ? null : iterationAt(evidence.rows, axis, at),
  );
  const text = why(then === null ? evidence : asOf(evidence, then)) ?? waiting(evidence.config);
  return <Words text={text} />;
}

interface ValuesProps {
  readonly spec: ChartSpec;
  readonly all: readonly Series[];
  readonly lines: readonly Line[];
}

/** The series by name, each a switch, with the present run's values: at the crosshair, or the newest. */
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

/** A series that stands at the head for others of its colour switches them with it. */
function toggleSeries(testId: string, series: Series, all: readonly Series[]): void {
  toggle('hiddenSeries', seriesKey(testId, series.name));
  for (const { name, colour, inLegend = true } of all) {
    if (!inLegend && colour === series.colour) toggle('hiddenSeries', seriesKey(testId, name));
  }
}

interface PlotProps {
  readonly spec: ChartSpec;
  readonly data: ChartData;
  readonly lines: readonly Line[];
  /** Those that it shows. */
  readonly metrics: readonly MetricKey[];
  readonly axis: AxisName;
  readonly kind: ScaleKind;
  /** Evidence that is pointed at and that it draws. */
  readonly lit: Lit | null;
}

function Plot({ spec, data, lines, metrics, axis, kind, lit }: PlotProps) {
  const { namePhases = false, large = false, format, title, testId } = spec;
  const { ref, width, height: room } = useElementSize<HTMLDivElement>();
  const box = useMergedRef(ref);
  const zoom = useChartSettings((settings) => settings.zoom);
  const logX = useChartSettings((settings) => settings.logX);
  const foreign = useForeign((state) => state.foreign);
  // A large one is as high as what stands beside it.
  const height = large ? Math.max(spec.height, Math.floor(room)) : spec.height;
  const run = data.groups[0]?.runs[0];
  const moments = useMemo(() => momentsOf(run, axis), [run, axis]);
  const { findings } = diagnose(data.evidence);
  const spans = useMemo(() => spansOf(findings, run, axis), [findings, run, axis]);
  const shade = useMemo(
    () => (lit === null ? null : spanOf(lit.iterations, 'Evidence', run, axis)),
    [lit, run, axis],
  );
  const happened = useMemo(() => inWords(moments, spans), [moments, spans]);
  const levels = spec.levels === undefined ? none : told(spec.levels, data.evidence);
  const plot = {
    width: Math.max(0, width - margin.left - margin.right),
    height: height - topMargin(namePhases && moments.phases.length > 0) - margin.bottom,
  };
  const whole = wholeScale(axis, logX ? 'log' : 'linear', lines, data);
  const x: Scale = zoom === null ? whole : { kind: whole.kind, from: zoom[0], to: zoom[1] };
  const y = yScale(spec, kind, x, plot.width, lines, levels);
  const scales = { x, y, ...plot };
  const inSight = levels.filter(({ value }) => value >= y.from && value <= y.to);
  const readTick = kind === 'log' && format === percent ? fineShare : format;
  return (
    <div
      className={large ? 'plot-place plot-place-large' : 'plot-place'}
      style={{ minHeight: spec.height }}
    >
      <div ref={box} className="plot" style={large ? {} : { height }}>
        {width > 0 ? (
          <>
            <Frame
              width={width}
              height={height}
              x={x}
              xTicks={xTicks(axis, x, plot.width)}
              xFormat={xAxes[axis].format}
              y={y}
              yTicks={ticksOf(y, large ? 6 : 4)}
              yFormat={readTick}
              levels={inSight.map(({ value }) => value)}
              phases={framePhases(moments.phases, x, plot.width, namePhases)}
            />
            <Curves
              lines={lines}
              levels={inSight}
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

const inWords = (
  { phases, warnings, turned, evaluations }: Moments,
  spans: readonly Span[],
): readonly Moment[] => [
  ...spans.map(({ at, text }) => ({ at, text: `Since about here: ${text}` })),
  ...phases.map(({ at, text }) => ({ at, text: `Up to ${text} from here on` })),
  ...turned.map(({ at, text }) => ({ at, text: `${text} from here on` })),
  ...warnings,
  ...evaluations.map((at) => ({ at, text: 'Evaluated' })),
];

/** Lines of phases in sight, named where the names do not run into each other. */
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

/** The x axis with nothing zoomed away. */
function wholeScale(
  axis: AxisName,
  kind: ScaleKind,
  lines: readonly Line[],
  { groups }: ChartData,
): Scale {
  const own = extentX(lines, kind) ?? [1, 1];
  // Charts of few measurements go as far as the others.
  const { read } = xAxes[axis];
  const ends = groups.flatMap(({ runs }) =>
    runs.map((run) => ({ curve: run.tracks.get(read, read).follow(run.rows) })),
  );
  const [from, to] = extentX(ends, kind) ?? own;
  return wholeAxis(axis, kind, from, to);
}

/** Less of the range than this below a fixed start is rounding, as of an estimate of zero. */
const BELOW = 0.002;

function yScale(
  { domain = [0, 'auto'], atLeast, large }: ChartSpec,
  kind: ScaleKind,
  x: Scale,
  width: number,
  lines: readonly Line[],
  levels: readonly Level[],
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
  // A fixed start below the data is kept; what clearly reaches below it is shown all the same.
  const below = first !== 'auto' && least < first - BELOW * (most - first);
  const from = first === 'auto' || (kind === 'log' && first <= 0) || below ? least : first;
  const to = last === 'auto' ? most : last;
  if (!Number.isFinite(from) || !Number.isFinite(to) || from > to) {
    return kind === 'log' ? { kind, from: 0.1, to: 1 } : { kind, from: 0, to: 1 };
  }
  const rounded = roundEnds(kind, from, to, large ? 6 : 4);
  return {
    kind,
    from: first === from ? from : rounded.from,
    to: last === to && to > rounded.from ? to : rounded.to,
  };
}
