import './trajectories.css';
import { Alert, Button } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { IconAlertTriangle, IconDownload, IconFileImport, IconTrash } from '@tabler/icons-react';
import { Suspense, useMemo, useRef } from 'react';
import type { TrajectoryLayout } from '../../../exchange/trajectories/trajectory-import.ts';
import { loadedLater } from '../../shell/comfort/release.ts';
import { waitingFor } from '../../shell/episode/waiting.ts';
import { download } from '../../shell/files/download.ts';
import { useDrop } from '../../shell/files/drop.ts';
import { FileInput } from '../../shell/files/file-input.tsx';
import { Freshness, useFresh } from '../../shell/lab/freshness.tsx';
import { useLab } from '../../shell/lab/store.ts';
import { pageOf } from '../../shell/page/page-of.ts';
import { Pages } from '../../shell/page/pages.tsx';
import { filterRows, sortRows, type TrajectoryRow } from './list.ts';
import {
  exportRows,
  importFiles,
  removeImported,
  rowsOf,
  updateList,
  useTrajectories,
  viewRows,
} from './store.ts';
import { TrajectoryTable } from './table.tsx';

// An empty list, as on first opening, needs no filters.
const Filters = loadedLater(async () => (await import('./filters.tsx')).Filters);

/** Episodes of the run and of files: search, replay, export and import. */
export function Trajectories() {
  const { ref, inViewport } = useInViewport<HTMLElement>();
  const rows = useRows();
  const asOf = useAsOf();
  useFresh(inViewport, asOf, updateList);
  const { filter, sorting, page: wished } = useTrajectories((trajectories) => trajectories.view);
  const listed = useMemo(() => {
    const found = filterRows(rows, filter);
    return sorting === null ? found : sortRows(found, sorting);
  }, [rows, filter, sorting]);
  const { page, pages, rows: shown } = pageOf(listed, wished);
  const [dragged, dropZone] = useDrop((files) => void importFiles(files));
  return (
    <section
      ref={ref}
      className={`card wide${dragged ? ' trajectories-drop' : ''}`}
      aria-labelledby="trajectories-title"
      data-testid="trajectories"
      {...dropZone}
    >
      <header className="wide-head trajectories-head">
        <div>
          <h2 id="trajectories-title">Trajectories</h2>
          <p>
            The newest episodes of the run, and episodes from files. Choose one to replay it turn by
            turn, or inspect it token by token. An export contains the listed episodes.
          </p>
        </div>
        <Files listed={listed} />
      </header>
      <Notices />
      <div className="trajectories-filters">
        {rows.length === 0 ? null : (
          <Suspense>
            <Filters
              rows={rows}
              filter={filter}
              onChange={(filter) => viewRows({ filter, page: 0 })}
            />
          </Suspense>
        )}
      </div>
      <TrajectoryTable
        rows={shown}
        sorting={sorting}
        onSort={(sorting) => viewRows({ sorting, page: 0 })}
        empty={rows.length === 0 ? <Empty /> : 'No episode matches the filters.'}
      />
      <footer className="row trajectories-foot">
        <Freshness className="freshness" asOf={asOf} words="Update the list" update={updateList} />
        <Pages className="pages" page={page} pages={pages} onPage={(page) => viewRows({ page })}>
          <span data-testid="trajectories-page">
            Page {page + 1} of {pages}, {listed.length}{' '}
            {listed.length === 1 ? 'episode' : 'episodes'}
          </span>
        </Pages>
      </footer>
    </section>
  );
}

function useRows(): readonly TrajectoryRow[] {
  const kept = useTrajectories((trajectories) => trajectories.kept);
  const runId = useTrajectories((trajectories) => trajectories.runId);
  const imported = useTrajectories((trajectories) => trajectories.imported);
  const present = useLab((lab) => lab.runId);
  return useMemo(
    () => rowsOf({ kept, runId, imported }, present),
    [kept, runId, imported, present],
  );
}

/** Iteration of the current list; 0 before the first request. */
function useAsOf(): number {
  const runId = useLab((lab) => lab.runId);
  return useTrajectories((trajectories) => (trajectories.runId === runId ? trajectories.asOf : 0));
}

function Empty() {
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const keep = useLab((lab) => lab.config.trajectories.keep);
  const played = useLab((lab) => lab.rows.length > 0);
  const words = useLab((lab) => waitingFor('latest', lab));
  if (cannotTrain) return <>No device can train here, but you can import a file of trajectories.</>;
  if (keep === 0) {
    return (
      <>
        This run keeps no trajectories. Set “Trajectories kept” in the settings, under Trajectories.
      </>
    );
  }
  return <>{played ? 'Loading the list.' : words}</>;
}

/** The last error or result. */
function Notices() {
  const problem = useTrajectories((trajectories) => trajectories.problem);
  const done = useTrajectories((trajectories) => trajectories.done);
  return (
    <>
      {problem === null ? null : (
        <Alert
          color="terracotta"
          variant="light"
          icon={<IconAlertTriangle />}
          role="alert"
          data-testid="trajectories-problem"
          withCloseButton
          closeButtonLabel="Close this message"
          onClose={() => useTrajectories.setState({ problem: null })}
        >
          <p className="notice-line">{problem}</p>
        </Alert>
      )}
      <p className="trajectories-done" role="status" data-testid="trajectories-done">
        {done}
      </p>
    </>
  );
}

/** Import and export. */
function Files({ listed }: { readonly listed: readonly TrajectoryRow[] }) {
  const input = useRef<HTMLInputElement>(null);
  const some = useTrajectories((trajectories) => trajectories.imported.length > 0);
  const none = listed.length === 0;
  const save = async (layout: TrajectoryLayout) => {
    const file = await exportRows(listed, layout);
    if (file !== null) {
      download({ name: file.name, parts: file.pieces, type: 'application/json' });
    }
  };
  return (
    <div className="trajectories-files">
      <FileInput
        ref={input}
        accept=".json,application/json"
        multiple
        data-testid="trajectories-file"
        onFiles={(files) => void importFiles(files)}
      />
      <Button leftSection={<IconFileImport size={15} />} onClick={() => input.current?.click()}>
        Import
      </Button>
      <Button
        leftSection={<IconDownload size={15} />}
        disabled={none}
        onClick={() => void save('agent-traj')}
      >
        Export as AgentTraj
      </Button>
      <Button
        leftSection={<IconDownload size={15} />}
        disabled={none}
        onClick={() => void save('rollout-log')}
      >
        Export as rollout log
      </Button>
      {some ? (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconTrash size={15} />}
          onClick={removeImported}
        >
          Remove imported
        </Button>
      ) : null}
    </div>
  );
}
