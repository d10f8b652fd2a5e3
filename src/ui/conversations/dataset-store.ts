/** The data set of critiques that the page has open: from a file, or made of the present run's actor. */

import { create } from 'zustand';
import type { CollectedCritiques } from '../../lab/protocol.ts';
import { type CritiqueItem, critiqueLines } from '../../runs/critique-item.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { loadWorlds } from '../episode/worlds.ts';
import type { SavedFile } from '../files/download.ts';
import { readCritiqueFile } from '../files/file-reader.ts';
import { AgentGoneError, collectCritiques } from '../lab/questions.ts';
import { useLab } from '../lab/store.ts';
import type { Wanted } from './dataset-counts.ts';

/** A data set that is open. */
export interface OpenData {
  readonly name: string;
  readonly items: readonly CritiqueItem[];
  /** Null where no known environment asks these questions; it is then shown as text. */
  readonly environment: EnvironmentRef | null;
  /** What was counted when it was made here; a file does not say. */
  readonly counts: CollectedCritiques['counts'] | null;
}

export interface DataState {
  readonly open: OpenData | null;
  readonly wanted: Wanted;
  /** The item that is read, by its place among those that are listed. */
  readonly place: number;
  /** What is being waited for: a file by its name, or critiques that are made, with the way to give them up. */
  readonly waiting:
    | { readonly for: 'file'; readonly name: string }
    | { readonly for: 'critiques'; readonly giveUp: () => void }
    | null;
  /** One sentence on what could not be had. */
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

/** Environment of the present run. */
function present(): EnvironmentRef {
  const { id, options } = useLab.getState().config.env;
  return { id, options };
}

/** Opens a file in place of what was open; one that cannot be read changes nothing but the problem. */
export async function openFile(file: File): Promise<void> {
  useData.setState({ waiting: { for: 'file', name: file.name }, problem: null });
  try {
    const read = await readCritiqueFile(file, [present()]);
    if (read.environment !== null) await loadWorlds([read.environment.id]);
    show({ name: file.name, ...read, counts: null });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    useData.setState({ problem: `${file.name}: ${message}` });
  } finally {
    useData.setState({ waiting: null });
  }
}

/** Has so many critiques made of the present run's actor, and opens them. */
export async function makeCritiques(count: number, seed: number): Promise<void> {
  const environment = present();
  const waitFor = (giveUp: () => void) =>
    useData.setState({ waiting: { for: 'critiques', giveUp } });
  useData.setState({ problem: null });
  try {
    const { items, counts } = await collectCritiques({ count, seed }, waitFor);
    show({ name: `critiques-${items.length}-seed-${seed}.jsonl`, items, environment, counts });
  } catch (error) {
    if (!(error instanceof AgentGoneError)) throw error;
    useData.setState({ problem: error.message });
  } finally {
    useData.setState({ waiting: null });
  }
}

/** The open data set as the file that `npm run critique-data` would write. */
export function dataFile({ name, items }: OpenData): SavedFile {
  return { name, parts: [...critiqueLines(items)], type: 'application/x-ndjson' };
}

/** Reads an item that is drawn, of those that are listed. */
export function drawItem(listed: number): void {
  useData.setState({ place: Math.floor(Math.random() * listed) });
}
