/** Episodes that the user can open: episodes kept by the run, and episodes from files. */

import { create } from 'zustand';
import { loadEnvironments } from '../../../envs/registry.ts';
import { writeAgentTraj } from '../../../exchange/trajectories/agent-traj.ts';
import { writeRolloutLog } from '../../../exchange/trajectories/rollout-log.ts';
import type {
  ImportedTrajectory,
  TrajectoryLayout,
} from '../../../exchange/trajectories/trajectory-import.ts';
import type { EnvironmentRef, EpisodeRecord } from '../../../runs/episode.ts';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';
import { several } from '../../../runs/numbers.ts';
import { openInspector } from '../../shell/episode/inspection.ts';
import { chooseEpisode } from '../../shell/episode/playback.ts';
import { readTrajectories } from '../../shell/files/file-reader.ts';
import { askOrNull } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import {
  everything,
  importedRow,
  importKey,
  type RowFilter,
  runKey,
  runRow,
  type Sorting,
  type TrajectoryRow,
} from './list.ts';

/** An imported episode with its number on this page. */
interface Imported {
  readonly number: number;
  readonly trajectory: ImportedTrajectory;
}

/** Which rows are listed; it outlives the panel, which is unmounted while its group is folded. */
interface RowsView {
  readonly filter: RowFilter;
  /** Null for the default order. */
  readonly sorting: Sorting | null;
  /** The page asked for, from 0; there may be fewer. */
  readonly page: number;
}

interface TrajectoriesState {
  /** Episodes of the run, as of the last request. */
  readonly kept: readonly EpisodeSummary[];
  /** The run of the last request; null if there was none. */
  readonly runId: string | null;
  /** Its newest iteration at that time. */
  readonly asOf: number;
  /** Imported episodes; they stay when another run starts. */
  readonly imported: readonly Imported[];
  /** Why the last request failed, in one sentence. */
  readonly problem: string | null;
  /** Result of the last action, in one sentence. */
  readonly done: string | null;
  readonly view: RowsView;
}

export const useTrajectories = create<TrajectoriesState>()(() => ({
  kept: [],
  runId: null,
  asOf: 0,
  imported: [],
  problem: null,
  done: null,
  view: { filter: everything, sorting: null, page: 0 },
}));

export function viewRows(change: Partial<RowsView>): void {
  useTrajectories.setState(({ view }) => ({ view: { ...view, ...change } }));
}

/** Rows of the current run's episodes, newest first, then imported ones. */
export function rowsOf(
  { kept, runId, imported }: Pick<TrajectoriesState, 'kept' | 'runId' | 'imported'>,
  presentRun: string | null,
): readonly TrajectoryRow[] {
  return [
    ...(runId === presentRun ? kept.map(runRow).reverse().sort(newestFirst) : []),
    ...imported.map(({ number, trajectory }) => importedRow(number, trajectory)),
  ];
}

const newestFirst = (left: TrajectoryRow, right: TrajectoryRow): number =>
  (right.iteration ?? 0) - (left.iteration ?? 0);

const readEpisodes = async (numbers: readonly number[], tokens: boolean) =>
  (await askOrNull('read-episodes', { numbers, tokens })) ?? [];

const newestIteration = (): number => useLab.getState().rows.at(-1)?.iteration ?? 0;

/** Requests the episodes that the run keeps. */
export async function updateList(): Promise<void> {
  const { runId } = useLab.getState();
  const asOf = newestIteration();
  const kept = (await askOrNull('list-episodes', {})) ?? [];
  // Another run may have started in the meantime.
  if (useLab.getState().runId === runId) useTrajectories.setState({ kept, runId, asOf });
}

const GONE = 'This episode is no longer kept; newer ones have replaced it. Update the list.';

/** Shows an episode on the stage. */
export async function openTrajectory({ key }: TrajectoryRow): Promise<void> {
  const { imported, kept } = useTrajectories.getState();
  const file = imported.find(({ number }) => importKey(number) === key);
  if (file !== undefined) {
    const { itemId, record, replay } = file.trajectory;
    useTrajectories.setState({ problem: null });
    chooseEpisode({ key, record, replay, iteration: null, name: String(itemId) });
    return;
  }
  const summary = kept.find(({ number }) => runKey(number) === key);
  const [found] = summary === undefined ? [] : await readEpisodes([summary.number], true);
  if (summary === undefined || found === undefined) {
    useTrajectories.setState({ problem: GONE });
    return;
  }
  const { record } = found;
  useTrajectories.setState({ problem: null });
  chooseEpisode({
    key,
    record,
    replay: { kind: 'exact' },
    iteration: summary.iteration,
    name: record.taskId,
  });
}

/** Opens an episode of the run in the inspector. */
export async function inspectTrajectory({ key }: TrajectoryRow): Promise<void> {
  const { kept } = useTrajectories.getState();
  const summary = kept.find(({ number }) => runKey(number) === key);
  const found = summary !== undefined && (await openInspector(summary.number));
  useTrajectories.setState({ problem: found ? null : GONE });
}

/** Environments of the current run. */
function presentEnvironments(): readonly EnvironmentRef[] {
  const { env } = useLab.getState().config;
  const parts = env.mixture.length === 0 ? [env] : env.mixture;
  return parts.map(({ id, options }) => ({ id, options }));
}

let imports = 0;

/**
 * Imports the episodes of files. If a file cannot be read, the error names it and nothing is
 * imported.
 */
export async function importFiles(files: readonly File[]): Promise<void> {
  const found: ImportedTrajectory[] = [];
  for (const file of files) {
    try {
      useTrajectories.setState({ problem: null, done: `Reading the file ${file.name} …` });
      for (const one of await readTrajectories(file, presentEnvironments())) found.push(one);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      useTrajectories.setState({ problem: `${file.name}: ${message}`, done: null });
      return;
    }
  }
  const added = found.map((trajectory): Imported => {
    imports += 1;
    return { number: imports, trajectory };
  });
  useTrajectories.setState(({ imported }) => ({
    imported: [...imported, ...added],
    problem: null,
    done: `${count(added.length)} imported.`,
  }));
}

/** Removes the imported episodes. */
export function removeImported(): void {
  useTrajectories.setState({ imported: [], problem: null, done: null });
}

const count = (number: number): string => several(number, 'episode');

/** A file to download. */
interface ExportedFile {
  readonly name: string;
  readonly pieces: readonly string[];
}

/** The listed episodes as a file; null, with `problem` set, if none can be written. */
export async function exportRows(
  rows: readonly TrajectoryRow[],
  layout: TrajectoryLayout,
): Promise<ExportedFile | null> {
  const { imported, kept } = useTrajectories.getState();
  const wanted = new Set(rows.map(({ key }) => key));
  const numbers = kept.map(({ number }) => number).filter((number) => wanted.has(runKey(number)));
  const records = new Map<string, EpisodeRecord>(
    (numbers.length === 0 ? [] : await readEpisodes(numbers, false)).map(({ number, record }) => [
      runKey(number),
      record,
    ]),
  );
  for (const { number, trajectory } of imported) {
    const { itemId, record, replay } = trajectory;
    // Unless the replay is exact, the text comes from the file, and so must the id, even if an
    // environment here has the task.
    const own = replay.kind === 'exact' ? record : { ...record, taskId: String(itemId) };
    records.set(importKey(number), own);
  }
  const listed = rows.flatMap(({ key }) => records.get(key) ?? []);
  // A rollout log requires rewards and a dialogue.
  const fits = layout === 'agent-traj' ? listed : listed.filter(hasReward);
  const left = rows.length - fits.length;
  if (fits.length === 0) {
    useTrajectories.setState({
      problem:
        listed.length === 0
          ? 'The listed episodes are no longer kept. Update the list.'
          : 'None of the listed episodes has a reward, which a rollout log needs.',
      done: null,
    });
    return null;
  }
  const exported = `${count(fits.length)} exported`;
  useTrajectories.setState({
    problem: null,
    done: left === 0 ? `${exported}.` : `${exported}; ${left} could not be exported.`,
  });
  // The first message of a dialogue is its environment's instruction.
  await loadEnvironments(fits.map(({ environment }) => environment.id));
  return layout === 'agent-traj'
    ? { name: 'palestra-agent-traj.json', pieces: [...writeAgentTraj(fits)] }
    : { name: 'palestra-rollout-log.json', pieces: [...writeRolloutLog(fits)] };
}

const hasReward = ({ score, turns }: EpisodeRecord): boolean =>
  Number.isFinite(score) && turns.length > 0;
