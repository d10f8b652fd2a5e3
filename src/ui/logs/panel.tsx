import { Button, Drawer, Progress, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Finding } from '../../diagnosis/finding.ts';
import { toolTitles } from '../../exchange/logs/counterparts.ts';
import type { LogSeries } from '../../exchange/logs/log.ts';
import type { LogEntry, ShownLog } from '../../exchange/logs/shown-log.ts';
import { metric } from '../../runs/metrics.ts';
import { percent, significant, thousands } from '../../runs/numbers.ts';
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
  return (
    <Drawer
      opened={open}
      onClose={() => openLogsPanel(false)}
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
      <p className="runs-intro">
        {whatItIs(entry, series)}
        {source?.table !== true ? null : (
          <Button
            size="compact-sm"
            variant="default"
            ml={10}
            onClick={() => useLogs.setState({ choosing: true })}
          >
            Say what the columns are
          </Button>
        )}
      </p>
      {source?.table === true ? <Columns key={entry.updated} log={log} /> : null}
      <LogFindings entry={entry} />
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

function LogFindings({ entry }: { readonly entry: LogEntry }) {
  const { findings, notComputable } = entry.findings;
  return (
    <section
      className="card findings log-findings"
      aria-label="What happened"
      data-testid="log-findings"
    >
      <h2>What happened</h2>
      {findings.length === 0 ? (
        <p>
          {entry.rows === 0
            ? 'No series of it is one that the diagnosis knows.'
            : 'Nothing that the diagnosis can see in these numbers.'}
        </p>
      ) : (
        <ol>
          {findings.map((finding) => (
            <li key={finding.mode} data-mode={finding.mode}>
              <h3>{finding.title}</h3>
              <p className="finding-when">{when(finding, entry)}</p>
              <p>{finding.text}</p>
              {finding.remedies.map(({ text }) => (
                <p key={text}>{text}</p>
              ))}
              <details>
                <summary>Evidence and rivals</summary>
                <dl>
                  {finding.evidence.map(({ metric: key, values }) => (
                    <div key={key}>
                      <dt>{metric(key).title}</dt>
                      <dd>{values.map(significant).join(', ')}</dd>
                    </div>
                  ))}
                  {finding.rivals.map(({ mode, separatedBy }) => (
                    <div key={mode}>
                      <dt>Or {mode.replaceAll('_', ' ')}?</dt>
                      <dd>{separatedBy}</dd>
                    </div>
                  ))}
                </dl>
              </details>
            </li>
          ))}
        </ol>
      )}
      {notComputable.length === 0 ? null : (
        <details className="log-notes">
          <summary>{notComputable.length} ways to fail cannot be told from this log</summary>
          <ul>
            {notComputable.map(({ mode, log }) => (
              <li key={mode}>
                {mode.replaceAll('_', ' ')}: log {log.join(', ')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function when({ onset, interval: [from, to], confidence }: Finding, { count }: LogEntry): string {
  const span = from === to ? '' : `, between ${from} and ${to}`;
  return `Began in ${count} ${onset}${span}. Confidence ${percent(confidence)}.`;
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
