/** State of the runs panel, and its actions. */
import { create } from 'zustand';
import type { LogFormat } from '../../../exchange/logs/formats.ts';
import { newId } from '../../../runs/new-id.ts';
import type { RunEntry, RunLabels } from '../../../runs/record.ts';
import { useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import { useReplacedSettings } from '../../shell/address/replaced.ts';
import { download } from '../../shell/files/download.ts';
import { readRun } from '../../shell/files/file-reader.ts';
import { runName, startRun } from '../../shell/lab/commands.ts';
import { removeInitialAgent } from '../../shell/lab/initial-agents.ts';
import { runStore } from '../../shell/lab/run-storage.ts';
import { useLab } from '../../shell/lab/store.ts';
import { saveNumbers } from '../logs/save.ts';
import { isOfSweep } from '../sweeps/store.ts';
import { layOver } from './overlays.ts';

/** What is deleted, and how. */
interface Deletion {
  readonly kind: 'run' | 'log';
  readonly remove: (id: string) => Promise<void>;
}

interface RunsState {
  /** Null until loaded. */
  readonly entries: readonly RunEntry[] | null;
  /** Selected runs. */
  readonly chosen: ReadonlySet<string>;
  /** Hidden by id, and deleted permanently unless the deletion is undone in time. */
  readonly leaving: ReadonlyMap<string, Deletion>;
  /** Queue of runs to train. */
  readonly queue: readonly RunEntry[];
  /** Error message, one sentence. */
  readonly problem: string | null;
}

export const useRuns = create<RunsState>()(() => ({
  entries: null,
  chosen: new Set(),
  leaving: new Map(),
  queue: [],
  problem: null,
}));

/** How long a deletion can be undone. */
const UNDO_MS = 8000;

export async function refreshRuns(): Promise<void> {
  await attempt(async () => useRuns.setState({ entries: await (await runStore()).list() }));
}

export function chooseRun(id: string, chosen: boolean): void {
  useRuns.setState((runs) => {
    const next = new Set(runs.chosen);
    if (chosen) next.add(id);
    else next.delete(id);
    return { chosen: next };
  });
}

export async function labelRun(id: string, labels: Partial<RunLabels>): Promise<void> {
  await attempt(async () => {
    await (await runStore()).label(id, labels);
    if (labels.name !== undefined && useLab.getState().runId === id) {
      useLab.setState({ name: labels.name });
    }
    await refreshRuns();
  });
}

/** Hides runs, and deletes them permanently after a while. */
export function deleteRuns(ids: readonly string[]): void {
  const present = useLab.getState().runId;
  const remove = async (id: string) => {
    await (await runStore()).remove(id);
    await removeInitialAgent(id);
  };
  useRuns.setState({ chosen: new Set() });
  deleteLater(
    ids.filter((id) => id !== present),
    { kind: 'run', remove },
  );
}

export function deleteLater(ids: readonly string[], deletion: Deletion): void {
  useRuns.setState(({ leaving }) => ({
    leaving: new Map([...leaving, ...ids.map((id) => [id, deletion] as const)]),
  }));
  countDown();
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Starts the time in which deletions can be undone, from its beginning. */
export function countDown(): void {
  clearTimeout(timer);
  if (useRuns.getState().leaving.size > 0) timer = setTimeout(() => void purge(), UNDO_MS);
}

/** Suspends deletions until the next `countDown`. */
export function holdDeletions(): void {
  clearTimeout(timer);
}

export function undoDelete(): void {
  useRuns.setState({ leaving: new Map() });
}

async function purge(): Promise<void> {
  const gone = new Set<string>();
  await attempt(async () => {
    for (const [id, { remove }] of useRuns.getState().leaving) {
      // Undone ones stay.
      if (!useRuns.getState().leaving.has(id)) continue;
      await remove(id);
      gone.add(id);
    }
    useRuns.setState(({ leaving }) => ({
      leaving: new Map([...leaving].filter(([id]) => !gone.has(id))),
    }));
    useOverlaidRuns.setState(({ overlaid }) => ({
      overlaid: overlaid.filter(({ id }) => !gone.has(id)),
    }));
    await refreshRuns();
  });
}

/** Overlays stored runs on the charts in place of other stored runs; runs of sweeps stay. */
export async function overlayRuns(ids: readonly string[]): Promise<void> {
  await attempt(() => layOver(ids, useOverlaidRuns.getState().overlaid.filter(isOfSweep)));
}

/** Starts a new run with the settings of a stored one. */
export function cloneRun({ config, preset, base: kept }: RunEntry): void {
  const base = kept ?? null;
  startRun(config, preset, false, undefined, runName(config, preset, base), base);
}

/** Trains runs again, one after another. */
export function enqueue(entries: readonly RunEntry[]): void {
  useRuns.setState(({ queue }) => ({ queue: [...queue, ...entries], chosen: new Set() }));
  const { status } = useLab.getState();
  if (status !== 'running' && status !== 'starting') startNext();
}

export function clearQueue(): void {
  useRuns.setState({ queue: [] });
}

function startNext(): void {
  const [next, ...queue] = useRuns.getState().queue;
  if (next === undefined) return;
  useRuns.setState({ queue });
  cloneRun(next);
}

useLab.subscribe((lab, before) => {
  const ended = lab.status === 'finished' || lab.status === 'failed';
  if (ended && lab.status !== before.status && lab.runId === before.runId) startNext();
  if (lab.storage !== before.storage && lab.storage?.state === 'kept') void refreshRuns();
});

const slugOf = (name: string) =>
  name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '') || 'run';

/** Saves all metrics of stored runs as one file. */
export async function saveRunNumbers(runs: readonly RunEntry[], format: LogFormat): Promise<void> {
  const [first] = runs;
  if (first === undefined) return;
  const stem = runs.length === 1 ? slugOf(first.name) : `${runs.length}-runs`;
  await attempt(() =>
    saveNumbers(
      runs.map(({ id }) => id),
      stem,
      format,
    ),
  );
}

export async function exportRun({ id, name }: RunEntry): Promise<void> {
  await attempt(async () => {
    const [{ encodeRunFile }, { decodeCheckpoint, encodeCheckpoint }] = await Promise.all([
      import('../../../runs/run-file.ts'),
      import('../../../runs/checkpoint.ts'),
    ]);
    const store = await runStore();
    // Read the checkpoint first: the run may save more rows in between, which the file leaves out.
    const [checkpoint] = await store.checkpoints(id);
    const kept = await store.read(id);
    if (kept === null || checkpoint === undefined) throw new Error('This run is no longer stored.');
    // Settings may have been changed since the checkpoint was saved.
    const { config } = kept.entry;
    const saved = encodeCheckpoint({ ...decodeCheckpoint(checkpoint.bytes), config });
    const bytes = encodeRunFile(kept, saved);
    download({ name: `${slugOf(name)}.palestra.zip`, parts: [bytes], type: 'application/zip' });
  });
}

/** Imports a run from a file. */
export async function importRun(file: File): Promise<void> {
  await attempt(async () => {
    const { replaced, ...snapshot } = await readRun(file);
    const store = await runStore();
    if (replaced.length > 0) useReplacedSettings.setState({ of: 'the run file', notes: replaced });
    await store.save({ ...snapshot, entry: { ...snapshot.entry, id: newId() } });
    await refreshRuns();
  });
}

/** Sets the error message. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    useRuns.setState({ problem: null });
    await work();
  } catch (error) {
    useRuns.setState({ problem: error instanceof Error ? error.message : String(error) });
  }
}
