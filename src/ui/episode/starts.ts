/** What all episodes of an iteration show, iteration by iteration: what a time-lapse of learning is of. */

import { create } from 'zustand';
import type { PlaceFacts } from '../../envs/deeds.ts';
import { canTogether, loadTogether } from '../../envs/views.ts';
import type { EpisodeSummary } from '../../runs/kept-episodes.ts';
import { listEpisodes, readEpisodes } from '../lab/questions.ts';
import { type LabState, useLab } from '../lab/store.ts';
import { environmentOf } from './environments.ts';
import { type Reenactment, reenact } from './reenact.ts';
import { surveyOf } from './survey.ts';

/** An iteration's episodes. */
export interface Starts {
  readonly iteration: number;
  /** One of each task; none where they have no world in common. */
  readonly episodes: readonly Reenactment[];
  /** Episodes that the map counts, and how many of them solve their task. */
  readonly played: number;
  readonly solved: number;
  /** What they show of the policy, by place. */
  readonly map: ReadonlyMap<string, PlaceFacts>;
}

/** Iterations that are kept; where there are more, every second one goes. */
const MOST_KEPT = 40;
/** Iterations that a time-lapse of a run shows once it is over. */
const LAPSE = 6;

export interface StartsState {
  readonly runId: string | null;
  /** Oldest first. */
  readonly kept: readonly Starts[];
}

export const useStarts = create<StartsState>()(() => ({ runId: null, kept: [] }));

/** Where a time-lapse stands: an iteration by its place in the list, and the turn that is shown. */
export interface LapsePlace {
  readonly place: number;
  readonly turn: number;
}

/** Turns of the longest episode. */
export const lengthOf = ({ episodes }: Starts): number =>
  Math.max(0, ...episodes.map(({ states }) => states.length - 1));

/** State of an episode at a turn; one that is over stays where it ended. */
export const stateAt = ({ states }: Reenactment, turn: number): unknown =>
  states[Math.min(turn, states.length - 1)];

/** How many solve their task. */
export const solvedOf = (episodes: readonly Reenactment[]): number =>
  episodes.filter(({ record }) => record.success).length;

/**
 * What is shown next: the turns of an iteration, and then the newest one; of a run that makes no more, some
 * from the first to the last, over and over.
 */
export function nextInLapse(
  kept: readonly Starts[],
  { place, turn }: LapsePlace,
  running: boolean,
): LapsePlace {
  const shown = kept[place];
  if (shown !== undefined && turn < lengthOf(shown)) return { place, turn: turn + 1 };
  const last = kept.length - 1;
  if (running) return { place: last, turn: 0 };
  const step = Math.max(1, last / (LAPSE - 1));
  const places = Array.from({ length: LAPSE }, (_, i) => Math.min(last, Math.round(i * step)));
  return { place: places.find((one) => one > place) ?? 0, turn: 0 };
}

/** The map that is shown next, by its place: the newest one; of a run that makes no more, each in its turn. */
export const nextMap = (kept: readonly Starts[], place: number, running: boolean): number =>
  running ? kept.length - 1 : (place + 1) % Math.max(1, kept.length);

/** Adds an iteration, and thins the list out where it is long. */
export function withStarts(kept: readonly Starts[], starts: Starts): readonly Starts[] {
  const all = [...kept.filter(({ iteration }) => iteration < starts.iteration), starts];
  if (all.length <= MOST_KEPT) return all;
  return all.filter((_, i) => i % 2 === 0 || i === all.length - 1);
}

/** The kept training episodes of the newest iteration. */
export function newestOf(list: readonly EpisodeSummary[]): readonly EpisodeSummary[] {
  const training = list.filter(({ kind }) => kind === 'train');
  const newest = training.at(-1)?.iteration;
  return training.filter(({ iteration }) => iteration === newest);
}

/** The first episode of each task, in the order of the tasks' ids. */
export function onePerTask(episodes: readonly Reenactment[]): readonly Reenactment[] {
  const first = new Map<string, Reenactment>();
  for (const one of episodes) {
    if (!first.has(one.record.taskId)) first.set(one.record.taskId, one);
  }
  return [...first.values()].sort((a, b) => a.record.taskId.localeCompare(b.record.taskId));
}

let asking = false;

/** Asks one question after the other; one that comes meanwhile is passed over. */
async function alone(ask: () => Promise<void>): Promise<void> {
  if (asking) return;
  asking = true;
  try {
    await ask();
  } finally {
    asking = false;
  }
}

/** Asks the run for its newest iteration, until there is none newer than was asked for. */
export const updateStarts = (): Promise<void> =>
  alone(async () => {
    for (let asked = 0; asked < newestIteration(); ) {
      asked = newestIteration();
      await askOnce();
    }
  });

/** How often a run is asked while nobody looks, so that the time-lapse is there for whoever looks later. */
const ASIDE_MS = 2_000;

/** Asks the run for its first iteration, then now and then, and for its last. Gives what ends it. */
export function followStarts(): () => void {
  let [known, when] = ['', 0];
  const ask = ({ runId, status, rows }: LabState) => {
    const now = `${runId} ${rows.at(-1)?.iteration ?? 0}`;
    const due = status !== 'running' || Date.now() - when >= ASIDE_MS;
    if (rows.length === 0 || now === known || !due || document.visibilityState === 'hidden') return;
    [known, when] = [now, Date.now()];
    void alone(askOnce);
  };
  ask(useLab.getState());
  return useLab.subscribe(ask);
}

const newestIteration = (): number => useLab.getState().rows.at(-1)?.iteration ?? 0;

async function askOnce(): Promise<void> {
  const { runId } = useLab.getState();
  const list = newestOf(await listEpisodes());
  const [first] = list;
  const before = useStarts.getState();
  const kept = before.runId === runId ? before.kept : [];
  if (first === undefined || kept.at(-1)?.iteration === first.iteration) return;
  const [records, view] = await Promise.all([
    readEpisodes(
      list.map(({ number }) => number),
      false,
    ),
    loadTogether(first.environmentId),
  ]);
  // Another run may have begun in the meantime, and episodes may have dropped out.
  const gone = useLab.getState().runId !== runId || records.length < list.length;
  if (gone || view === undefined) return;
  const all = records.map(({ record }) => reenact(environmentOf(record.environment), record));
  const starts = {
    iteration: first.iteration,
    episodes: canTogether(first.environmentId) ? onePerTask(all) : [],
    played: all.length,
    solved: solvedOf(all),
    map: surveyOf(all, view.deedsOf),
  };
  useStarts.setState({ runId, kept: withStarts(kept, starts) });
}
