/** The kept runs as the page knows them, and what can be done with them. */
import { create } from 'zustand';
import type { LogFormat } from '../../exchange/logs/formats.ts';
import { newId } from '../../runs/new-id.ts';
import type { RunEntry, RunLabels } from '../../runs/record.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { download } from '../files/download.ts';
import { readRun } from '../files/file-reader.ts';
import { startRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { saveNumbers } from '../logs/save.ts';
import { layOver } from './overlays.ts';
import { runStore } from './runs-storage.ts';
import { useOverlaidRuns } from './runs-store.ts';

export interface RunsState {
  /** Null until they have been read. */
  readonly entries: readonly RunEntry[] | null;
  /** Chosen to be compared, exported or deleted. */
  readonly chosen: ReadonlySet<string>;
  /** Out of sight, and deleted for good unless that is taken back in time. */
  readonly leaving: ReadonlySet<string>;
  /** To be trained one after the other. */
  readonly queue: readonly RunEntry[];
  /** One sentence about what could not be done. */
  readonly problem: string | null;
}

export const useRuns = create<RunsState>()(() => ({
  entries: null,
  chosen: new Set(),
  leaving: new Set(),
  queue: [],
  problem: null,
}));

/** How long a deletion can be taken back. */
export const UNDO_MS = 8000;

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

/** Takes runs out of sight; after a while they are deleted for good. */
export function deleteRuns(ids: readonly string[]): void {
  const present = useLab.getState().runId;
  const leaving = ids.filter((id) => id !== present);
  useRuns.setState((runs) => ({
    leaving: new Set([...runs.leaving, ...leaving]),
    chosen: new Set(),
  }));
  setTimeout(() => void purge(leaving), UNDO_MS);
}

export function undoDelete(): void {
  useRuns.setState({ leaving: new Set() });
}

async function purge(ids: readonly string[]): Promise<void> {
  await attempt(async () => {
    const store = await runStore();
    for (const id of ids) {
      // Taken back, in part or as a whole, it stays.
      if (useRuns.getState().leaving.has(id)) await store.remove(id);
    }
    useRuns.setState(({ leaving }) => ({
      leaving: new Set([...leaving].filter((id) => !ids.includes(id))),
    }));
    useOverlaidRuns.setState(({ overlaid }) => ({
      overlaid: overlaid.filter(({ id }) => !ids.includes(id)),
    }));
    await refreshRuns();
  });
}

/** Lays the curves of kept runs over the present one, or takes them away again. */
export async function overlayRuns(ids: readonly string[]): Promise<void> {
  await attempt(() => layOver(ids));
}

/** Begins another run with the settings of a kept one. */
export function cloneRun({ config, preset }: RunEntry): void {
  startRun(config, preset);
}

/** Has runs trained anew one after the other, each when the one before has finished. */
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
  startRun(next.config, next.preset);
}

useLab.subscribe((lab, before) => {
  const ended = lab.status === 'finished' || lab.status === 'failed';
  if (ended && lab.status !== before.status && lab.runId === before.runId) startNext();
  if (lab.storage !== before.storage && lab.storage?.state === 'kept') void refreshRuns();
});

const slugOf = (name: string) =>
  name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '') || 'run';

/** Saves all metrics of kept runs as one file. */
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
    const { encodeRunFile } = await import('../../runs/run-file.ts');
    const store = await runStore();
    const kept = await store.read(id);
    const [checkpoint] = await store.checkpoints(id);
    if (kept === null || checkpoint === undefined) return;
    const bytes = encodeRunFile(kept, checkpoint.bytes);
    download({ name: `${slugOf(name)}.palestra.zip`, parts: [bytes], type: 'application/zip' });
  });
}

/** Adds the run of a file; nothing changes where it cannot be used. */
export async function importRun(file: File): Promise<void> {
  await attempt(async () => {
    const { replaced, ...snapshot } = await readRun(file);
    const store = await runStore();
    if (replaced.length > 0) useReplacedSettings.setState({ of: 'the run file', notes: replaced });
    await store.save({ ...snapshot, entry: { ...snapshot.entry, id: newId() } });
    await refreshRuns();
  });
}

/** Says in one sentence what could not be done. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    useRuns.setState({ problem: null });
    await work();
  } catch (error) {
    useRuns.setState({ problem: error instanceof Error ? error.message : String(error) });
  }
}
