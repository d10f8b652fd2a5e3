import { Button, CloseButton, Drawer, Menu, TextInput } from '@mantine/core';
import { IconFileImport, IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type LogFormat, logFormats } from '../../../exchange/logs/formats.ts';
import type { RunEntry } from '../../../runs/record.ts';
import { useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import { useKeysOn } from '../../shell/comfort/keys.ts';
import { FileInput } from '../../shell/files/file-input.tsx';
import { openKeptRun } from '../../shell/lab/commands.ts';
import { usePersistence } from '../../shell/lab/run-storage.ts';
import { hasBrokenOff, useLab } from '../../shell/lab/store.ts';
import { ReplacedNotice } from '../../shell/notices/run-notices.tsx';
import { closePanel, useOverlay, usePanel } from '../../shell/page/panels.ts';
import { OpenLogs } from '../logs/open-logs.tsx';
import { refreshLogs, useLogs } from '../logs/store.ts';
import { OpenSweep } from '../sweeps/open-sweep.tsx';
import { Differences } from './differences.tsx';
import { listLogs, listRuns, type RunSorting } from './list.ts';
import './runs.css';
import { listed, several } from '../../../runs/numbers.ts';
import {
  clearQueue,
  countDown,
  deleteRuns,
  enqueue,
  exportRun,
  holdDeletions,
  importRun,
  overlayRuns,
  refreshRuns,
  saveRunNumbers,
  undoDelete,
  useRuns,
} from './store.ts';
import { RunTable } from './table.tsx';

const newestFirst: RunSorting = { column: 'updated', descending: true };

/** Checks whether storage is persistent, without a permission prompt. */
async function lookAtPersistence(): Promise<void> {
  const promised = await navigator.storage?.persisted().catch(() => false);
  usePersistence.setState({ promised: promised ?? false });
}

/** Stored runs: search, open, label, compare, queue, import and export. */
export function Runs() {
  const { purpose } = usePanel('runs');
  const overlay = useOverlay('runs', 'Close runs');
  const searching = purpose === 'search';
  const promised = usePersistence(({ promised }) => promised);
  const searchField = useRef<HTMLInputElement>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const { entries, chosen, leaving, problem } = useRuns();
  const [search, setSearch] = useState('');
  const [sorting, setSorting] = useState(newestFirst);
  useEffect(() => {
    if (!overlay.opened) return;
    void refreshRuns();
    void refreshLogs();
    void lookAtPersistence();
  }, [overlay.opened]);
  const pressed = (event: KeyboardEvent) => {
    const { target } = event;
    const writing = target instanceof Element && target.matches('input, textarea');
    if (event.key !== '/' || writing || !useKeysOn.getState().on) return;
    event.preventDefault();
    searchField.current?.focus();
  };
  const all = (entries ?? []).filter(({ id }) => !leaving.has(id));
  const logs = (useLogs((state) => state.entries) ?? []).filter(({ id }) => !leaving.has(id));
  const picked = all.filter(({ id }) => chosen.has(id));
  return (
    <Drawer
      {...overlay}
      onKeyDown={pressed}
      size="min(1080px, 100vw)"
      title="Runs"
      classNames={{ body: 'runs-body' }}
    >
      <div data-testid="runs">
        <p className="runs-intro">
          Runs are saved in this browser while they train, with their curves and agents.
          {promised === null ? null : (
            <span data-testid="runs-promise">
              {promised
                ? ' The browser keeps them until you delete them.'
                : ' The browser may delete them when the disk is full; export the runs that you want to keep.'}
            </span>
          )}
        </p>
        <div className="runs-tools">
          <TextInput
            ref={searchField}
            data-autofocus={searching || undefined}
            aria-label="Search runs"
            aria-keyshortcuts="/"
            placeholder="Search names, tags, notes, environments"
            leftSection={<IconSearch size={15} aria-hidden />}
            rightSection={
              search === '' ? null : (
                <CloseButton aria-label="Clear search" onClick={() => setSearch('')} />
              )
            }
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            className="runs-search"
          />
          <FileInput
            ref={fileInput}
            data-testid="runs-file"
            accept=".zip,application/zip"
            onFiles={([file]) => void importRun(file)}
          />
          <Button
            size="sm"
            leftSection={<IconFileImport size={16} />}
            onClick={() => fileInput.current?.click()}
          >
            Import
          </Button>
          <OpenLogs />
          <OpenSweep />
        </div>
        <ReplacedNotice of="the run file" />
        {problem === null ? null : (
          <p className="runs-problem" role="alert" data-testid="runs-problem">
            {problem}
          </p>
        )}
        <RunTable
          runs={listRuns(all, search, sorting)}
          logs={listLogs(logs, search, sorting)}
          sorting={sorting}
          onSort={setSorting}
          empty={
            entries === null
              ? 'Loading runs…'
              : all.length === 0
                ? 'No runs yet. A run is saved from its first iteration on.'
                : 'No runs match the search.'
          }
        />
        <Chosen runs={picked} />
        <OnCharts />
        <Queue />
        <Undo />
      </div>
    </Drawer>
  );
}

/** Actions on the selected runs. */
function Chosen({ runs }: { readonly runs: readonly RunEntry[] }) {
  const present = useLab((lab) => lab.runId);
  const brokenOff = useLab(hasBrokenOff);
  if (runs.length === 0) return null;
  const ids = runs.map(({ id }) => id);
  const deletable = ids.filter((id) => id !== present);
  const [only] = runs;
  return (
    <section aria-label="Selected runs">
      <p className="row runs-chosen">
        <span role="status">{several(runs.length, 'run')} selected</span>
        {runs.length === 1 && only !== undefined ? (
          <>
            <Button
              variant="filled"
              onClick={() => {
                closePanel('runs');
                void openKeptRun(only.id);
              }}
              disabled={only.id === present && !brokenOff}
            >
              Open
            </Button>
            <Button onClick={() => void exportRun(only)}>Export</Button>
          </>
        ) : null}
        <SaveNumbers runs={runs} />
        <Button onClick={() => void overlayRuns(ids)}>Show on charts</Button>
        <Button onClick={() => enqueue(runs)}>Train again, one by one</Button>
        <Button disabled={deletable.length === 0} onClick={() => deleteRuns(deletable)}>
          Delete
        </Button>
      </p>
      {runs.length > 1 ? <Differences runs={runs} /> : null}
    </section>
  );
}

/** Runs drawn over the current one, also those of sweeps. */
function OnCharts() {
  const count = useOverlaidRuns(({ overlaid }) => overlaid.length);
  return (
    <div className="row runs-chosen" role="status">
      {count === 0 ? null : (
        <>
          <span>{count === 1 ? '1 run is' : `${count} runs are`} on the charts.</span>
          <Button onClick={() => useOverlaidRuns.setState({ overlaid: [] })}>
            Remove from charts
          </Button>
        </>
      )}
    </div>
  );
}

const formatNames: Readonly<Record<LogFormat, string>> = {
  csv: 'CSV',
  jsonl: 'JSON lines',
  parquet: 'Parquet',
  events: 'TensorBoard event files',
};

/** Saves all metrics of the selected runs as one file. */
function SaveNumbers({ runs }: { readonly runs: readonly RunEntry[] }) {
  return (
    <Menu>
      <Menu.Target>
        <Button>Save metrics</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {logFormats.map((format) => (
          <Menu.Item key={format} onClick={() => void saveRunNumbers(runs, format)}>
            {formatNames[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Queue() {
  const queue = useRuns((runs) => runs.queue);
  if (queue.length === 0) return null;
  return (
    <section className="runs-queue" aria-label="Queue" data-testid="runs-queue">
      <h3>Waiting to train</h3>
      <p>Each starts when the previous one has finished.</p>
      <ol>
        {queue.map(({ id, name }, place) => (
          <li key={`${place} ${id}`}>{name}</li>
        ))}
      </ol>
      <Button onClick={clearQueue}>Clear queue</Button>
    </section>
  );
}

/** Undoes deletions; the user may take any time at the button. */
function Undo() {
  const leaving = useRuns((runs) => runs.leaving);
  const region = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [hovered, setHovered] = useState(false);
  const [focused, setFocused] = useState(false);
  const held = hovered || focused;
  useEffect(() => {
    if (!held) return;
    holdDeletions();
    return countDown;
  }, [held, leaving]);
  useEffect(() => {
    // The pressed button is gone, and the focus with it.
    if (leaving.size > 0 && document.activeElement === document.body) button.current?.focus();
  }, [leaving]);
  const count = (kind: 'run' | 'log') =>
    [...leaving.values()].filter((one) => one.kind === kind).length;
  const kinds = (['run', 'log'] as const).filter((kind) => count(kind) > 0);
  return (
    <div
      ref={region}
      className="row runs-undo"
      role="status"
      tabIndex={-1}
      data-testid="runs-undo"
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      // After a click elsewhere, the button has the focus without the user's attention.
      onFocus={({ target }) => setFocused(target.matches(':focus-visible'))}
      onBlur={() => setFocused(false)}
    >
      {leaving.size === 0 ? null : (
        <>
          <span>{listed(kinds.map((kind) => several(count(kind), kind)))} deleted.</span>
          <Button
            ref={button}
            onClick={() => {
              // The button goes; the focus stays in the drawer.
              region.current?.focus();
              undoDelete();
            }}
          >
            Undo
          </Button>
        </>
      )}
    </div>
  );
}
