import { Button, Drawer, Progress, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Proof } from '../../diagnosis/finding.ts';
import { toolTitles } from '../../exchange/logs/counterparts.ts';
import type { LogSeries } from '../../exchange/logs/log.ts';
import type { LogEntry, ShownLog } from '../../exchange/logs/shown-log.ts';
import type { ModeName } from '../../runs/mode-names.ts';
import { percent, thousands } from '../../runs/numbers.ts';
import { layForeign } from '../charts/foreign.ts';
import { finite } from '../charts/points.ts';
import { useModeCard } from '../findings/card-store.ts';
import type { EvidencePiece } from '../findings/evidence.tsx';
import { FindingView } from '../findings/finding-view.tsx';
import { modeTitle } from '../findings/mode-title.ts';
import { Timeline } from '../findings/timeline.tsx';
import { useLab } from '../lab/store.ts';
import { foreignOfLog } from '../reenactment/foreign-of.ts';
import { reenactLog } from '../reenactment/play.ts';
import { Columns } from './columns.tsx';
import { LogChart } from './log-chart.tsx';
import './logs.css';
import { OpenLogs } from './open-logs.tsx';
import { stopReading, useLogs } from './store.ts';
import { openLogsPanel, useLogsPanel } from './wanted.ts';

/** A log of another tool: what it is, what a diagnosis finds in it, and its curves. */
export function Logs() {
  const { open } = useLogsPanel();
  const { shown, problems } = useLogs();
  const cardOpen = useModeCard((card) => card.open);
  return (
    <Drawer
      opened={open}
      onClose={() => openLogsPanel(false)}
      // Escape closes what lies in front.
      closeOnEscape={!cardOpen}
      position="right"
      size="min(1240px, 100vw)"
      title={shown === null ? 'Log' : shown.entry.name}
      closeButtonProps={{ 'aria-label': 'Close the log' }}
      classNames={{ content: 'settings', body: 'runs-body', title: 'settings-title' }}
      overlayProps={{ backgroundOpacity: 0.25 }}
    >
      <div data-testid="logs">
        <Reading />
        {problems.map((sentence) => (
          <p key={sentence} className="runs-problem" role="alert" data-testid="log-problem">
            {sentence}
          </p>
        ))}
        {shown === null ? <NoLog /> : <Log key={shown.entry.id} log={shown} />}
      </div>
    </Drawer>
  );
}

function Reading() {
  const reading = useLogs((logs) => logs.reading);
  if (reading === null) return null;
  const { read, total } = reading;
  const share = total === 0 ? 1 : read / total;
  return (
    <div className="log-reading" role="status" data-testid="log-reading">
      <span>
        Reading, {percent(share)} of {thousands(total / 1e6)} MB
      </span>
      <Progress value={100 * share} aria-label="Read so far" />
      <Button size="compact-sm" variant="default" onClick={stopReading}>
        Stop
      </Button>
    </div>
  );
}

function NoLog() {
  const reading = useLogs((logs) => logs.reading !== null);
  if (reading) return null;
  return (
    <div className="log-none">
      <p>
        Drop logs of other tools anywhere on the page, files or folders: TensorBoard event files,
        verl, TRL, OpenRLHF, Stable-Baselines3, CleanRL, RLlib, W&amp;B, MLflow, CSV, JSON lines,
        Parquet. They are read here and sent nowhere.
      </p>
      <OpenLogs />
    </div>
  );
}

/** Series that are drawn before anybody asks for more. */
const FIRST = 12;

function Log({ log }: { readonly log: ShownLog }) {
  const { entry, series } = log;
  const { axis, spans, notes } = entry;
  const source = useLogs(({ sources }) => sources.get(entry.id));
  const mapped = series.filter(({ metric: known }) => known !== null);
  const others = series.filter(({ metric: known }) => known === null);
  return (
    <>
      <p className="runs-intro log-intro">
        {whatItIs(entry, series)}
        {source?.table !== true ? null : (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => useLogs.setState({ choosing: true })}
          >
            Say what the columns are
          </Button>
        )}
        {mapped.length === 0 ? null : (
          <Button
            size="compact-sm"
            variant="default"
            title="Its curves, on axes of their own, over the charts of the present run"
            onClick={() => {
              layForeign(foreignOfLog(log));
              openLogsPanel(false);
            }}
          >
            Lay it over the run
          </Button>
        )}
      </p>
      {source?.table === true ? <Columns key={entry.updated} log={log} /> : null}
      <LogFindings log={log} />
      {notes.length === 0 ? null : (
        <details className="log-notes">
          <summary>How it was read</summary>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      <div className="log-charts">
        {mapped.map((one) => (
          <LogChart key={`${one.key} ${one.metric}`} series={one} axis={axis} spans={spans} />
        ))}
      </div>
      {others.length === 0 ? null : <Others others={others} entry={entry} drawn={mapped.length} />}
    </>
  );
}

function whatItIs({ tool, format, axis, rows, end }: LogEntry, { length }: { length: number }) {
  const of = tool === 'unknown' ? 'A log' : `A log of ${toolTitles[tool]}`;
  const extent = rows === 0 ? '' : `, ${thousands(rows)} rows up to ${thousands(end)} ${axis.unit}`;
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
      {findings.length === 0 ? (
        <>
          <h2>What happened</h2>
          <p>
            {entry.rows === 0
              ? 'No series of it is one that the diagnosis knows.'
              : 'Nothing that the diagnosis can see in these numbers.'}
          </p>
        </>
      ) : (
        <Found log={log} />
      )}
      {notComputable.length === 0 ? null : (
        <details className="log-notes">
          <summary>{notComputable.length} ways to fail cannot be told from this log</summary>
          <ul>
            {notComputable.map(({ mode, log: lacking }) => (
              <li key={mode}>
                {modeTitle(mode)}: log {lacking.join(', ')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** The findings, over the log's own axis. */
function Found({ log }: { readonly log: ShownLog }) {
  const { entry, series } = log;
  const { findings } = entry.findings;
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const pieces = useMemo(() => piecesOf(log), [log]);
  const begin = Math.min(...series.map(({ x }) => x[0] ?? Number.POSITIVE_INFINITY));
  return (
    <>
      <Timeline
        heading={<h2>What happened</h2>}
        lanes={entry.spans.map(({ text, at, to }, place) => ({
          title: text,
          began: [at, to],
          // Rows of a log lie elsewhere on its axis.
          known: entry.count === 'row' ? null : (findings[place]?.known ?? null),
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
                    openLogsPanel(false);
                    void reenactLog(finding, log);
                  },
                })}
          />
        ))}
      </ol>
    </>
  );
}

/** The evidence of each finding with the series that it is of. */
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

interface OthersProps {
  readonly others: readonly LogSeries[];
  readonly entry: LogEntry;
  /** Charts that stand there already. */
  readonly drawn: number;
}

/** What is no metric of the registry: listed, and drawn where somebody wants to see it. */
function Others({ others, entry: { axis, spans }, drawn }: OthersProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(drawn === 0 ? others.slice(0, FIRST).map(({ key }) => key) : []),
  );
  const [search, setSearch] = useState('');
  const listed = others.filter(({ key }) => key.toLowerCase().includes(search.toLowerCase()));
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  return (
    <section aria-label="Other series" data-testid="log-others">
      <h2 className="log-head">Other series</h2>
      <p className="log-soft">
        {others.length === 1
          ? 'One name is no metric that is known here. It stays as it was logged.'
          : `${others.length} names are no metrics that are known here. They stay as they were logged.`}
      </p>
      {others.length <= FIRST ? null : (
        <TextInput
          aria-label="Search series"
          placeholder="Search names"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <div className="log-names">
        {listed.slice(0, 200).map(({ key }) => (
          <Button
            key={key}
            size="compact-xs"
            variant={chosen.has(key) ? 'filled' : 'default'}
            aria-pressed={chosen.has(key)}
            onClick={() => toggle(key)}
          >
            {key}
          </Button>
        ))}
        {listed.length > 200 ? <span>and {listed.length - 200} more; search for them</span> : null}
      </div>
      <div className="log-charts">
        {others
          .filter(({ key }) => chosen.has(key))
          .map((one) => (
            <LogChart key={one.key} series={one} axis={axis} spans={spans} />
          ))}
      </div>
    </section>
  );
}
