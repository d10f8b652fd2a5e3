import '@mantine/core/styles/Progress.css';
import '../runs/runs.css';
import './logs.css';
import { Button, Drawer, NativeSelect, Progress, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { divergenceName } from '../../../diagnosis/compare.ts';
import type { Finding, Proof } from '../../../diagnosis/finding.ts';
import { stepText } from '../../../diagnosis/what-changed.ts';
import { readableLogs, toolTitles } from '../../../exchange/logs/counterparts.ts';
import type { LogSeries } from '../../../exchange/logs/log.ts';
import type { LogEntry, ShownLog } from '../../../exchange/logs/shown-log.ts';
import type { ModeName } from '../../../runs/mode-names.ts';
import { percent, several, significant, thousands } from '../../../runs/numbers.ts';
import { drawInTurn } from '../../charts/chart-data.ts';
import { useModeCard } from '../../charts/findings/card-store.ts';
import type { EvidencePiece, SeriesPiece } from '../../charts/findings/evidence.tsx';
import { FindingView } from '../../charts/findings/finding-view.tsx';
import { modeTitle } from '../../charts/findings/mode-title.ts';
import { Timeline } from '../../charts/findings/timeline.tsx';
import { layForeign } from '../../charts/foreign.ts';
import { finite } from '../../charts/points.ts';
import { foreignOfLog } from '../../charts/reenactment/foreign-of.ts';
import { reenactLog } from '../../charts/reenactment/play.ts';
import { useLab } from '../../shell/lab/store.ts';
import { closePanel, useOverlay } from '../../shell/page/panels.ts';
import { Episodes } from '../episodes/episodes.tsx';
import { useEpisodes } from '../episodes/store.ts';
import { Columns } from './columns.tsx';
import { LogChart } from './log-chart.tsx';
import { chooseOthers, useLogView, zoomTo } from './log-view.ts';
import { OpenLogs } from './open-logs.tsx';
import { compareLogs, saveReport } from './report.ts';
import { overlayLog, showLog, stopFollowing, stopReading, useLogs } from './store.ts';

/** A log of another tool: its source, its findings and its curves. */
export function Logs() {
  const overlay = useOverlay('log', 'Close log');
  const { shown, problems, choosing } = useLogs();
  const cardOpen = useModeCard((card) => card.open);
  return (
    <Drawer
      {...overlay}
      // Escape closes the topmost overlay.
      closeOnEscape={!cardOpen && !choosing}
      size="min(1240px, 100vw)"
      title={shown === null ? 'Log' : shown.entry.name}
      classNames={{ body: 'runs-body' }}
    >
      <div data-testid="logs">
        <Reading />
        {problems.map((sentence) => (
          <p key={sentence} className="runs-problem" role="alert" data-testid="log-problem">
            {sentence}
          </p>
        ))}
        <Opened />
        {shown === null ? <NoLog /> : <Log key={shown.entry.id} log={shown} />}
        <Episodes />
      </div>
    </Drawer>
  );
}

function Reading() {
  const reading = useLogs((logs) => logs.reading);
  const { read, total } = reading ?? { read: 0, total: 0 };
  const share = total === 0 ? 1 : read / total;
  return (
    <>
      <p className="visually-hidden" role="status">
        {reading === null ? '' : 'Reading.'}
      </p>
      {reading === null ? null : (
        <div className="log-reading" data-testid="log-reading">
          <span>
            Reading, {percent(share)} of {thousands(total / 1e6)} MB
          </span>
          <Progress value={100 * share} aria-label="Read so far" />
          <Button size="compact-sm" onClick={stopReading}>
            Stop
          </Button>
        </div>
      )}
    </>
  );
}

/** The logs of this session, what else can be opened, and alerts of a followed file. */
function Opened() {
  const { opened, entries, shown, following, alerts } = useLogs();
  if (shown === null && opened.length === 0 && following === null) return null;
  const known = opened.flatMap((id) => entries?.find((one) => one.id === id) ?? []);
  return (
    <>
      <nav className="row log-bar" aria-label="Open logs">
        {known.map(({ id, name }) => (
          <Button
            key={id}
            size="compact-sm"
            variant={shown?.entry.id === id ? 'filled' : 'default'}
            aria-pressed={shown?.entry.id === id}
            onClick={() => void showLog(id)}
          >
            {name}
          </Button>
        ))}
        <OpenLogs />
        {following === null ? null : (
          <span role="status" data-testid="log-following">
            Following the log.{' '}
            <Button size="compact-sm" onClick={stopFollowing}>
              Stop
            </Button>
          </span>
        )}
      </nav>
      {alerts.map((title, place) => (
        <p
          key={`${place} ${title}`}
          className="card log-alert"
          role="alert"
          data-testid="log-alert"
        >
          New finding: {title}
        </p>
      ))}
    </>
  );
}

function NoLog() {
  const busy = useLogs(({ reading, following }) => reading !== null || following !== null);
  const episodes = useEpisodes(({ name }) => name !== '');
  if (busy || episodes) return null;
  return (
    <div className="log-none">
      <p>
        Drop logs of other tools anywhere on the page, as files or folders. Supported:{' '}
        {readableLogs}. Logs are read in this browser and never uploaded.
      </p>
      <OpenLogs />
    </div>
  );
}

/** Number of series charted by default. */
const FIRST = 12;

function Log({ log }: { readonly log: ShownLog }) {
  const { entry, series } = log;
  const { axis, spans, notes } = entry;
  const source = useLogs(({ sources }) => sources.get(entry.id));
  const beside = useLogView((view) => view.beside);
  // Another log has another axis.
  useEffect(() => () => useLogView.setState({ zoom: null, beside: null, at: null }), []);
  const { score = null, titles = {} } = entry;
  const known = onceEach(series.filter(({ key, metric: of }) => of !== null || key in titles));
  const outcome = known.find(({ key }) => key === score);
  const mapped = known.filter((one) => one !== outcome);
  const others = series.filter(({ key }) => !known.some((one) => one.key === key));
  const chartOf = (one: LogSeries, large = false) => (
    <LogChart
      key={`${one.key} ${one.metric}`}
      {...{ series: one, axis, spans, large, title: titles[one.key] }}
      beside={beside === null ? undefined : counterpartIn(beside, one, titles[one.key])}
    />
  );
  return (
    <>
      <p className="runs-intro row log-intro">
        {whatItIs(entry, series)}
        {source?.table !== true ? null : (
          <Button size="compact-sm" onClick={() => useLogs.setState({ choosing: true })}>
            Assign columns
          </Button>
        )}
        {series.every(({ metric: of }) => of === null) ? null : (
          <Button
            size="compact-sm"
            title="Overlay its curves, with separate axes, on the charts of the current run"
            onClick={() => {
              layForeign(foreignOfLog(log));
              closePanel('log');
            }}
          >
            Overlay on the run
          </Button>
        )}
      </p>
      {source?.table === true ? <Columns key={entry.updated} log={log} /> : null}
      <InTurn>
        <LogFindings log={log} />
      </InTurn>
      {notes.length === 0 ? null : (
        <details className="log-notes">
          <summary>How the log was read</summary>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      <InTurn>
        <ChartBar log={log} />
        {beside === null ? null : <Compared log={log} beside={beside} />}
        {outcome === undefined ? null : <div className="log-score">{chartOf(outcome, true)}</div>}
        <div className="log-charts">{mapped.map((one) => chartOf(one))}</div>
        {others.length === 0 ? null : <Others others={others} entry={entry} drawn={known.length} />}
      </InTurn>
    </>
  );
}

/** Mounts its children in a later frame, so that a large log does not block one for long. */
function InTurn({ children }: { readonly children: ReactNode }) {
  const [turn, setTurn] = useState(false);
  useEffect(() => drawInTurn(() => flushSync(() => setTurn(true))), []);
  return turn ? children : null;
}

/** Drops duplicates: a series is listed once per metric that it matches. */
function onceEach(series: readonly LogSeries[]): readonly LogSeries[] {
  const seen = new Set<string>();
  return series.filter(({ key }) => !seen.has(key) && seen.add(key));
}

/** The same series in another log: by its name, its metric or its title. */
function counterpartIn(
  { series, entry: { titles = {} } }: ShownLog,
  { key, metric }: LogSeries,
  title: string | undefined,
): LogSeries | undefined {
  return (
    series.find((one) => one.key === key) ??
    series.find((one) => metric !== null && one.metric === metric) ??
    series.find((one) => title !== undefined && titles[one.key] === title)
  );
}

/** Zoom, comparison and export of a log. */
function ChartBar({ log }: { readonly log: ShownLog }) {
  const { zoom, beside } = useLogView();
  const { entries } = useLogs();
  const others = (entries ?? []).filter(({ id }) => id !== log.entry.id);
  return (
    <div className="row log-bar">
      {others.length === 0 ? null : (
        <NativeSelect
          aria-label="Compare with"
          value={beside?.entry.id ?? ''}
          onChange={({ currentTarget: { value } }) => void overlayLog(value === '' ? null : value)}
          data={[
            { value: '', label: 'Compare with…' },
            ...others.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      <Button size="sm" onClick={() => saveReport(log, beside)}>
        Save report
      </Button>
      {zoom === null ? (
        <span className="log-soft">
          To zoom, drag across a chart, pinch it, or select it and press + or −.
        </span>
      ) : (
        <Button size="sm" onClick={() => zoomTo(null)}>
          Show all
        </Button>
      )}
    </div>
  );
}

/** Maximum number of series listed in a comparison. */
const MOST_COMPARED = 12;

function Compared({ log, beside }: { readonly log: ShownLog; readonly beside: ShownLog }) {
  const { outcome, series, settings, steps } = useMemo(
    () => compareLogs(log, beside),
    [log, beside],
  );
  const listed = [...(outcome === null ? [] : [outcome]), ...series].slice(0, MOST_COMPARED);
  return (
    <section className="card findings" aria-label="Comparison" data-testid="log-comparison">
      <h2>Compared with {beside.entry.name}</h2>
      {steps.to > steps.from ? null : <p>The two logs have no steps in common.</p>}
      <table className="log-compared">
        <thead>
          <tr>
            <th scope="col">Series</th>
            <th scope="col">Diverges at</th>
            <th scope="col">This log</th>
            <th scope="col">{beside.entry.name}</th>
          </tr>
        </thead>
        <tbody>
          {listed.map((one) => (
            <tr key={one.keys.join(' ')}>
              <th scope="row">{divergenceName(one)}</th>
              <td>
                {one.at === null ? 'no divergence' : `${log.entry.count} ${stepText(one.at)}`}
              </td>
              <td>{significant(one.ends[0])}</td>
              <td>{significant(one.ends[1])}</td>
            </tr>
          ))}
          {settings.slice(0, MOST_COMPARED).map(({ path, values: [here, there] }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path}</code>
              </th>
              <td>setting</td>
              <td>{String(here ?? 'not in the log')}</td>
              <td>{String(there ?? 'not in the log')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function whatItIs({ tool, format, axis, rows, end }: LogEntry, { length }: { length: number }) {
  const of = tool === 'unknown' ? 'A log' : `A log of ${toolTitles[tool]}`;
  const extent = rows === 0 ? '' : `, ${several(rows, 'row')} up to ${thousands(end)} ${axis.unit}`;
  return `${of}, from ${format}: ${length} series${extent}. `;
}

function LogFindings({ log }: { readonly log: ShownLog }) {
  const { entry } = log;
  const { findings, notComputable } = entry.findings;
  return (
    <section
      className="card findings log-findings"
      aria-label="What happened"
      data-testid="log-findings"
    >
      <h2>What changed first</h2>
      <p data-testid="log-summary">
        {entry.summary ??
          'This log was stored by an older version of Palestra, without a summary. Open the file again to create one.'}
      </p>
      <Movers entry={entry} series={log.series} />
      {findings.length === 0 ? <p>No findings.</p> : <Found log={log} />}
      {notComputable.length === 0 ? null : (
        <details className="log-notes">
          <summary>
            {several(notComputable.length, 'failure mode')} cannot be detected in this log
          </summary>
          <ul>
            {notComputable.map(({ mode, log: lacking }) => (
              <li key={mode}>
                {modeTitle(mode)}: {lacking.join(', ')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** When each series changed, over the log's axis. */
function Movers({
  entry,
  series,
}: {
  readonly entry: LogEntry;
  readonly series: ShownLog['series'];
}) {
  const { movers = [], axis, end } = entry;
  if (movers.length === 0) return null;
  return (
    <Timeline
      heading={null}
      lanes={movers.map(({ text, from, to }) => ({ title: text, began: [from, to], known: null }))}
      from={Math.min(...series.map(({ x }) => x[0] ?? Number.POSITIVE_INFINITY))}
      to={end}
      unit={axis.unit}
      titled
    />
  );
}

/** The findings over the log's axis. */
function Found({ log }: { readonly log: ShownLog }) {
  const { entry, series } = log;
  const { findings } = entry.findings;
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const pieces = useMemo(() => piecesOf(log), [log]);
  const begin = Math.min(...series.map(({ x }) => x[0] ?? Number.POSITIVE_INFINITY));
  return (
    <>
      <Timeline
        heading={<h2>Findings</h2>}
        lanes={entry.spans.map(({ text, at, to }, place) => ({
          title: text,
          began: [at, to],
          known: findings[place]?.known ?? null,
        }))}
        from={begin}
        to={entry.end}
        unit={entry.axis.unit}
      />
      <ol>
        {findings.map((finding, place) => (
          <FindingView
            key={finding.mode}
            finding={finding}
            place={place}
            count={entry.count}
            pieces={pieces.get(finding.mode) ?? []}
            series={seriesPiecesOf(log, finding)}
            cures={
              <ul className="log-cures">
                {finding.remedies.map(({ text }) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            }
            {...(cannotTrain
              ? {}
              : {
                  onReenact: () => {
                    closePanel('log');
                    void reenactLog(finding, log);
                  },
                })}
          />
        ))}
      </ol>
    </>
  );
}

/** The evidence of each finding, with the points of its series. */
function piecesOf({ entry, series }: ShownLog): ReadonlyMap<ModeName, readonly EvidencePiece[]> {
  const places = entry.proofs?.values();
  const pieceOf = (proof: Proof): readonly EvidencePiece[] => {
    const iterations = places?.next().value ?? proof.iterations;
    const of = series.find(({ metric }) => metric === proof.metric);
    if (of === undefined) return [];
    return [{ proof, lit: { metric: proof.metric, iterations }, points: finite(of.x, of.y) }];
  };
  return new Map(
    entry.findings.findings.map(({ mode, evidence }) => [mode, evidence.flatMap(pieceOf)]),
  );
}

/** Evidence from series that are not metrics of the registry. */
function seriesPiecesOf({ entry, series }: ShownLog, finding: Finding): readonly SeriesPiece[] {
  const { titles = {} } = entry;
  return (finding.series ?? []).flatMap((proof) => {
    const of = series.find(({ key }) => key === proof.series);
    const [first, last] = [proof.steps[0], proof.steps.at(-1)];
    if (of === undefined || of.metric !== null || first === undefined || last === undefined) {
      return [];
    }
    const title = titles[of.key] ?? of.key;
    return {
      ...{ key: of.key, title: title.charAt(0).toUpperCase() + title.slice(1) },
      ...{ steps: [first, last] as const, values: proof.values, points: finite(of.x, of.y) },
    };
  });
}

interface OthersProps {
  readonly others: readonly LogSeries[];
  readonly entry: LogEntry;
  /** Number of charts already shown. */
  readonly drawn: number;
}

/** Series that match no known metric, which can be charted on request. */
function Others({ others, entry: { id, axis, spans }, drawn }: OthersProps) {
  const [first] = useState(() => ({
    charted: new Set(drawn === 0 ? others.slice(0, FIRST).map(({ key }) => key) : []),
    search: '',
  }));
  const { charted, search } = useLogView((view) => view.others.get(id)) ?? first;
  const listed = others.filter(({ key }) => key.toLowerCase().includes(search.toLowerCase()));
  const toggle = (key: string) => {
    const next = new Set(charted);
    if (!next.delete(key)) next.add(key);
    chooseOthers(id, { charted: next, search });
  };
  return (
    <section aria-label="Other series" data-testid="log-others">
      <h2 className="log-head">Other series</h2>
      <p className="log-soft">
        {others.length === 1
          ? 'One series matches no known metric and keeps its logged name.'
          : `${others.length} series match no known metric and keep their logged names.`}
      </p>
      {others.length <= FIRST ? null : (
        <TextInput
          aria-label="Search series"
          placeholder="Search names"
          value={search}
          onChange={(event) => chooseOthers(id, { charted, search: event.currentTarget.value })}
        />
      )}
      <div className="log-names">
        {listed.slice(0, 200).map(({ key }) => (
          <Button
            key={key}
            size="compact-xs"
            variant={charted.has(key) ? 'filled' : 'default'}
            aria-pressed={charted.has(key)}
            onClick={() => toggle(key)}
          >
            {key}
          </Button>
        ))}
        {listed.length > 200 ? <span>and {listed.length - 200} more; search for them</span> : null}
      </div>
      <div className="log-charts">
        {others
          .filter(({ key }) => charted.has(key))
          .map((one) => (
            <LogChart key={one.key} series={one} axis={axis} spans={spans} />
          ))}
      </div>
    </section>
  );
}
