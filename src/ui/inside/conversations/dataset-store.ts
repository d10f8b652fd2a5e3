/** The open critique data set: from a file, or created with the current run's actor. */

import { create } from 'zustand';
import { type EnvironmentSettings, environmentIds } from '../../../envs/registry.ts';
import type { CollectedCritiques } from '../../../lab/questions.ts';
import { type CritiqueItem, critiqueLines } from '../../../runs/critique-item.ts';
import { loadWorlds } from '../../shell/episode/worlds.ts';
import type { SavedFile } from '../../shell/files/download.ts';
import { readCritiqueFile } from '../../shell/files/file-reader.ts';
import { ask, QuestionRefusedError } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import type { Wanted } from './dataset-counts.ts';

/** An open data set. */
export interface OpenData {
  readonly name: string;
  readonly items: readonly CritiqueItem[];
  /** Null if no known environment asks these questions; items are then shown as text. */
  readonly environment: EnvironmentSettings | null;
  /** Counts from its creation on this page; files do not contain them. */
  readonly counts: CollectedCritiques['counts'] | null;
}

export interface DataState {
  readonly open: OpenData | null;
  readonly wanted: Wanted;
  /** Index of the current item among the filtered ones. */
  readonly place: number;
  /** Pending work: reading a file, or creating critiques, with a way to cancel. */
  readonly waiting:
    | { readonly for: 'file'; readonly name: string }
    | { readonly for: 'critiques'; readonly giveUp: () => void }
    | null;
  /** One sentence on a request that failed. */
  readonly problem: string | null;
}

export const useData = create<DataState>()(() => ({
  open: null,
  wanted: {},
  place: 0,
  waiting: null,
  problem: null,
}));

function show(open: OpenData): void {
  useData.setState({ open, wanted: {}, place: 0, problem: null });
}

/** Environment of the current run. */
const present = (): EnvironmentSettings => useLab.getState().config.env;

/**
 * Opens a file in place of the open data set; an unreadable file only sets the problem. Ignored while
 * other work is pending.
 */
export async function openFile(file: File): Promise<void> {
  if (useData.getState().waiting !== null) return;
  useData.setState({ waiting: { for: 'file', name: file.name }, problem: null });
  try {
    const read = await readCritiqueFile(file, [present()]);
    if (read.environment !== null) await loadWorlds(environmentIds(read.environment));
    show({ name: file.name, ...read, counts: null });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    useData.setState({ problem: `${file.name}: ${message}` });
  } finally {
    useData.setState({ waiting: null });
  }
}

/** Creates critiques with the current run's actor and opens them. */
export async function makeCritiques(count: number, seed: number): Promise<void> {
  const environment = present();
  const waitFor = (giveUp: () => void) =>
    useData.setState({ waiting: { for: 'critiques', giveUp } });
  useData.setState({ problem: null });
  try {
    const { items, counts } = await ask('collect-critiques', { count, seed }, waitFor);
    show({ name: `critiques-${items.length}-seed-${seed}.jsonl`, items, environment, counts });
  } catch (error) {
    if (!(error instanceof QuestionRefusedError)) throw error;
    useData.setState({ problem: error.message });
  } finally {
    useData.setState({ waiting: null });
  }
}

/** The open data set in the format of `npm run critique-data`. */
export function dataFile({ name, items }: OpenData): SavedFile {
  return { name, parts: [...critiqueLines(items)], type: 'application/x-ndjson' };
}

/** Selects a random item among the filtered ones. */
export function drawItem(listed: number): void {
  useData.setState({ place: Math.floor(Math.random() * listed) });
}
