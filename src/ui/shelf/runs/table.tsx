import { ActionIcon, Button, TagsInput, Textarea, TextInput } from '@mantine/core';
import {
  IconChevronDown,
  IconChevronRight,
  IconFileText,
  IconPin,
  IconPinFilled,
  IconTrash,
} from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import { learnsBy } from '../../../config/methods.ts';
import { toolTitles } from '../../../exchange/logs/counterparts.ts';
import type { LogEntry } from '../../../exchange/logs/shown-log.ts';
import { percent, several, thousands } from '../../../runs/numbers.ts';
import type { RunEntry } from '../../../runs/record.ts';
import { expectedIterations } from '../../../runs/run-length.ts';
import { openKeptRun } from '../../shell/lab/commands.ts';
import { hasBrokenOff, useLab } from '../../shell/lab/store.ts';
import { closePanel } from '../../shell/page/panels.ts';
import { removeLog, showLog } from '../logs/store.ts';
import { SortHeading } from '../sort-heading.tsx';
import type { RunColumn, RunSorting } from './list.ts';
import { chooseRun, cloneRun, deleteLater, labelRun, useRuns } from './store.ts';

const headings: readonly (readonly [RunColumn, string])[] = [
  ['name', 'Run'],
  ['iterations', 'Iterations'],
  ['success', 'Success'],
  ['updated', 'Saved'],
];

interface RunTableProps {
  readonly runs: readonly RunEntry[];
  /** Logs of other tools, below the runs. */
  readonly logs: readonly LogEntry[];
  readonly sorting: RunSorting;
  readonly onSort: (sorting: RunSorting) => void;
  /** Shown if there are no rows. */
  readonly empty: string;
}

export function RunTable({ runs, logs, sorting, onSort, empty }: RunTableProps) {
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <div className="runs-scroll">
      <table className="runs-table runs-list">
        <thead>
          <tr>
            <th scope="col" className="runs-narrow">
              <span className="visually-hidden">Choose</span>
            </th>
            {headings.map(([column, title]) => {
              const sorted = sorting.column === column;
              const next = sorted ? !sorting.descending : column !== 'name';
              return (
                <SortHeading
                  key={column}
                  title={title}
                  sorted={sorted ? sorting : null}
                  onSort={() => onSort({ column, descending: next })}
                />
              );
            })}
            <th scope="col" className="runs-narrow">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.length + logs.length === 0 ? (
            <tr>
              <td className="runs-none" colSpan={headings.length + 2}>
                {empty}
              </td>
            </tr>
          ) : (
            runs.map((run) => (
              <Fragment key={run.id}>
                <Row
                  run={run}
                  opened={opened === run.id}
                  onToggle={() => setOpened(opened === run.id ? null : run.id)}
                />
                {opened === run.id ? (
                  <tr className="runs-labels">
                    <td colSpan={headings.length + 2}>
                      <Labels run={run} />
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            ))
          )}
          {logs.map((log) => (
            <LogRow key={log.id} log={log} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A log of another tool, which can only be viewed. */
function LogRow({ log }: { readonly log: LogEntry }) {
  const { id, name, tool, format, axis, rows, end, success, updated, findings } = log;
  const [first] = findings.findings;
  return (
    <tr data-run={id} data-log={tool}>
      <td>
        <IconFileText size={16} aria-hidden />
      </td>
      <th scope="row">
        <button type="button" className="runs-name" onClick={() => void showLog(id)}>
          {name}
        </button>
        <span className="runs-what">
          {tool === 'unknown' ? 'Log' : `Log of ${toolTitles[tool]}`} · {format} · up to{' '}
          {thousands(end)} {axis.unit}
          {first === undefined ? null : <span className="runs-tag">{first.title}</span>}
        </span>
      </th>
      <td className="amount">{several(rows, 'row')}</td>
      <td className="amount">{percent(success ?? undefined)}</td>
      <td>{ago(updated, Date.now())}</td>
      <td>
        <div className="runs-actions">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Delete log ${name}`}
            onClick={() => deleteLater([id], { kind: 'log', remove: removeLog })}
          >
            <IconTrash size={16} />
          </ActionIcon>
          <Button
            size="compact-sm"
            aria-label={`Open the log ${name}`}
            onClick={() => void showLog(id)}
          >
            Open
          </Button>
        </div>
      </td>
    </tr>
  );
}

interface RowProps {
  readonly run: RunEntry;
  readonly opened: boolean;
  readonly onToggle: () => void;
}

function Row({ run, opened, onToggle }: RowProps) {
  const { id, name, config, pinned, tags, iterations, success, updated } = run;
  const present = useLab((lab) => lab.runId === id);
  const inUse = useLab((lab) => lab.runId === id && !hasBrokenOff(lab));
  const chosen = useRuns((runs) => runs.chosen.has(id));
  const environment =
    config.env.mixture.length > 0 ? `${config.env.mixture.length} environments` : config.env.id;
  return (
    <tr data-run={id} {...(present ? { 'aria-current': 'true' as const } : {})}>
      <td>
        <input
          type="checkbox"
          aria-label={`Select the run ${name}`}
          checked={chosen}
          onChange={(event) => chooseRun(id, event.currentTarget.checked)}
        />
      </td>
      <th scope="row">
        <button
          type="button"
          className="runs-name"
          aria-expanded={opened}
          aria-label={`${name}: name, tags and notes`}
          onClick={onToggle}
        >
          {opened ? (
            <IconChevronDown size={14} aria-hidden />
          ) : (
            <IconChevronRight size={14} aria-hidden />
          )}
          {name}
        </button>
        <span className="runs-what">
          {learnsBy(config) ?? 'Custom settings'} · {environment}
          {present ? ' · shown now' : ''}
          {tags.map((tag) => (
            <span key={tag} className="runs-tag">
              {tag}
            </span>
          ))}
        </span>
      </th>
      <td className="amount">
        {iterations}
        {expectedIterations(config, []) < config.stopping.iterations ? null : (
          <small> / {config.stopping.iterations}</small>
        )}
      </td>
      <td className="amount">{percent(success ?? undefined)}</td>
      <td>{ago(updated, Date.now())}</td>
      <td>
        <div className="runs-actions">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={pinned ? `Unpin the run ${name}` : `Pin the run ${name}`}
            aria-pressed={pinned}
            onClick={() => void labelRun(id, { pinned: !pinned })}
          >
            {pinned ? <IconPinFilled size={16} /> : <IconPin size={16} />}
          </ActionIcon>
          <Button
            size="compact-sm"
            aria-label={`Open the run ${name}`}
            disabled={inUse}
            onClick={() => {
              closePanel('runs');
              void openKeptRun(id);
            }}
          >
            Open
          </Button>
        </div>
      </td>
    </tr>
  );
}

/** Editor for name, tags and notes; saves while typing. */
function Labels({ run }: { readonly run: RunEntry }) {
  const { id, tags, notes } = run;
  const [name, setName] = useState(run.name);
  const [text, setText] = useState(notes);
  return (
    <div className="runs-label-fields">
      <TextInput
        label="Name"
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.currentTarget.value)}
        onBlur={() => {
          const trimmed = name.trim();
          if (trimmed === '') setName(run.name);
          else if (trimmed !== run.name) void labelRun(id, { name: trimmed });
        }}
      />
      <TagsInput
        label="Tags"
        placeholder="Type and press Enter"
        value={[...tags]}
        onChange={(next) => void labelRun(id, { tags: next })}
      />
      <Textarea
        label="Notes"
        autosize
        minRows={2}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onBlur={() => {
          if (text !== notes) void labelRun(id, { notes: text });
        }}
      />
      <Button
        onClick={() => {
          closePanel('runs');
          cloneRun(run);
        }}
      >
        New run with these settings
      </Button>
    </div>
  );
}

/** Relative time in the largest unit that fits. */
export function ago(then: number, now: number): string {
  const seconds = Math.max(0, (now - then) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
