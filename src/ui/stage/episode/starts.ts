/** Data of the learning time-lapse: all episodes, iteration by iteration. */

import { create } from 'zustand';
import type { PlaceStats } from '../../../envs/deeds.ts';
import { loadEnvironments } from '../../../envs/registry.ts';
import { canTogether, loadTogether } from '../../../envs/views.ts';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';
import { type Reenactment, reenact } from '../../../runs/reenact.ts';
import { environmentOf } from '../../shell/episode/environments.ts';
import { askOrNull } from '../../shell/lab/questions.ts';
import { type LabState, useLab } from '../../shell/lab/store.ts';
import { surveyOf } from './survey.ts';

/** An iteration's episodes. */
export interface Starts {
  readonly iteration: number;
  /** One per task; empty if the tasks share no layout. */
  readonly episodes: readonly Reenactment[];
  /** Number of episodes in the map, and how many of them succeeded. */
  readonly played: number;
  readonly solved: number;
  /** The policy's actions by position. */
  readonly map: ReadonlyMap<string, PlaceStats>;
}

/** Maximum number of iterations kept; beyond it, every second one is dropped. */
const MOST_KEPT = 40;
/** Number of iterations shown of a finished run. */
const LAPSE = 6;

export interface StartsState {
  readonly runId: string | null;
  /** Oldest first. */
  readonly kept: readonly Starts[];
}

export const useStarts = create<StartsState>()(() => ({ runId: null, kept: [] }));

/** Position of a time-lapse. Iterations keep their number when others are dropped. */
export interface LapsePlace {
  readonly iteration: number;
  readonly turn: number;
}

/** Index of the iteration shown at a position: the last one up to it, or else the first. */
export const indexAt = (kept: readonly Starts[], { iteration }: LapsePlace): number =>
  Math.max(
    0,
    kept.findLastIndex((one) => one.iteration <= iteration),
  );

/** Turns of the longest episode. */
export const lengthOf = ({ episodes }: Starts): number =>
  Math.max(0, ...episodes.map(({ states }) => states.length - 1));

/** State of an episode at a turn; after its end, its last state. */
export const stateAt = ({ states }: Reenactment, turn: number): unknown =>
  states[Math.min(turn, states.length - 1)];

/** Number of successes. */
export const solvedOf = (episodes: readonly Reenactment[]): number =>
  episodes.filter(({ record }) => record.success).length;

/**
 * The next position: the next turn of the iteration or, after its last turn, the newest iteration. For a
 * finished run, the iterations are a selection from first to last, in a loop.
 */
export function nextInLapse(kept: readonly Starts[], at: LapsePlace, running: boolean): LapsePlace {
  const place = indexAt(kept, at);
  const shown = kept[place];
  if (shown === undefined) return at;
  if (at.turn < lengthOf(shown)) return { iteration: shown.iteration, turn: at.turn + 1 };
  const last = kept.length - 1;
  const step = Math.max(1, last / (LAPSE - 1));
  const places = Array.from({ length: LAPSE }, (_, i) => Math.min(last, Math.round(i * step)));
  const next = running ? last : (places.find((one) => one > place) ?? 0);
  return { iteration: kept[next]?.iteration ?? 0, turn: 0 };
}

/** Durations in milliseconds: the whole film of maps, a milestone, and the range for other maps. */
const FILM_MS = 45_000;
const STOP_MS = 2_600;
const MAP_MS = { least: 400, most: 1_200 };

/** The next map of the film. After the last one: null while the run trains, else the first map. */
export function nextMap(
  kept: readonly Starts[],
  at: LapsePlace,
  running: boolean,
): LapsePlace | null {
  const next = kept[indexAt(kept, at) + 1] ?? (running ? undefined : kept[0]);
  return next === undefined ? null : { iteration: next.iteration, turn: 0 };
}

/** How long the film shows a map, in milliseconds. While a run trains, its number of maps is unknown. */
export function mapTime(
  kept: readonly Starts[],
  stops: ReadonlyMap<number, string>,
  shown: Starts,
  running: boolean,
): number {
  if (stops.has(shown.iteration) || shown === kept.at(-1)) return STOP_MS;
  const maps = running ? MOST_KEPT : kept.length;
  const time = (FILM_MS - stops.size * STOP_MS) / Math.max(1, maps);
  return Math.min(MAP_MS.most, Math.max(MAP_MS.least, time));
}

/** Share of solved starts, or of solved episodes where the tasks share no layout. */
function solvedShare({ episodes, played, solved }: Starts): number {
  const [good, all] =
    episodes.length > 0 ? [solvedOf(episodes), episodes.length] : [solved, played];
  return good / Math.max(1, all);
}

const milestones = [
  { text: 'first success', reached: (share: number) => share > 0 },
  { text: 'half solved', reached: (share: number) => share >= 0.5 },
  { text: 'nearly all', reached: (share: number) => share >= 0.95 },
] as const;

/**
 * Milestones by the iteration that reaches them first. An iteration that reaches several gets
 * the highest. A level that the first kept iteration already reaches is not a milestone.
 */
export function milestonesOf(kept: readonly Starts[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const { text, reached } of milestones) {
    const i = kept.findIndex((one) => reached(solvedShare(one)));
    const one = kept[i];
    if (one !== undefined && i > 0) found.set(one.iteration, text);
  }
  return found;
}

/** Adds an iteration. If the list is too long, drops every second one that is not a milestone. */
export function withStarts(kept: readonly Starts[], starts: Starts): readonly Starts[] {
  const all = [...kept.filter(({ iteration }) => iteration < starts.iteration), starts];
  if (all.length <= MOST_KEPT) return all;
  const stops = milestonesOf(all);
  return all.filter(
    ({ iteration }, i) => i % 2 === 0 || i === all.length - 1 || stops.has(iteration),
  );
}

/**
 * Training episodes of the iterations to read next: of the newest iteration and, when nothing has
 * been read yet, also of the first one, unless some of its episodes have been dropped. The first
 * iteration may be over before the page asks.
 */
export function iterationsToRead(
  list: readonly EpisodeSummary[],
  kept: readonly Starts[],
): readonly (readonly EpisodeSummary[])[] {
  const training = list.filter(({ kind }) => kind === 'train');
  const [oldest, newest] = [training[0], training.at(-1)];
  if (oldest === undefined || newest === undefined) return [];
  const whole = oldest.number === 1 && oldest.iteration < newest.iteration;
  const wanted = kept.length === 0 && whole ? [oldest, newest] : [newest];
  return wanted
    .filter(({ iteration }) => iteration !== kept.at(-1)?.iteration)
    .map((one) => training.filter(({ iteration }) => iteration === one.iteration));
}

/** The first episode of each task, by task id. */
export function onePerTask(episodes: readonly Reenactment[]): readonly Reenactment[] {
  const first = new Map<string, Reenactment>();
  for (const one of episodes) {
    if (!first.has(one.record.taskId)) first.set(one.record.taskId, one);
  }
  return [...first.values()].sort((a, b) => a.record.taskId.localeCompare(b.record.taskId));
}

let [last, queued] = [Promise.resolve(), false];

/**
 * Requests the newest iteration once the request in flight is answered; at most one request waits.
 */
export function updateStarts(): Promise<void> {
  if (queued) return last;
  queued = true;
  last = last
    // The caller of the failed request receives its error.
    .catch(() => undefined)
    .then(() => {
      queued = false;
      return askOnce();
    });
  return last;
}

/** Request interval while the view is closed, so that the time-lapse has data when it opens. */
const ASIDE_MS = 2_000;

/**
 * Requests the first iteration, then samples at intervals, then the last one. Returns a function
 * that stops it.
 */
export function followStarts(): () => void {
  let [known, when] = ['', 0];
  const ask = ({ runId, status, rows }: LabState) => {
    const now = `${runId} ${rows.at(-1)?.iteration ?? 0}`;
    const due = status !== 'running' || Date.now() - when >= ASIDE_MS;
    if (rows.length === 0 || now === known || !due || document.visibilityState === 'hidden') return;
    [known, when] = [now, Date.now()];
    void updateStarts();
  };
  ask(useLab.getState());
  return useLab.subscribe(ask);
}

async function askOnce(): Promise<void> {
  const { runId } = useLab.getState();
  const list = (await askOrNull('list-episodes', {})) ?? [];
  const before = useStarts.getState();
  for (const episodes of iterationsToRead(list, before.runId === runId ? before.kept : [])) {
    const starts = await readStarts(episodes);
    // Another run may have started in the meantime.
    if (useLab.getState().runId !== runId) return;
    if (starts === null) continue;
    const now = useStarts.getState();
    const kept = now.runId === runId ? now.kept : [];
    useStarts.setState({ runId, kept: withStarts(kept, starts) });
  }
}

/** Reads an iteration's episodes; null if some have been dropped. */
async function readStarts(episodes: readonly EpisodeSummary[]): Promise<Starts | null> {
  const [first] = episodes;
  if (first === undefined) return null;
  const [read, view] = await Promise.all([
    askOrNull('read-episodes', { numbers: episodes.map(({ number }) => number), tokens: false }),
    loadTogether(first.environmentId),
    // The stage may still be loading the environments.
    loadEnvironments(episodes.map(({ environmentId }) => environmentId)),
  ]);
  const records = read ?? [];
  if (records.length < episodes.length || view === undefined) return null;
  const all = records.map(({ record }) => reenact(environmentOf(record.environment), record));
  return {
    iteration: first.iteration,
    episodes: canTogether(first.environmentId) ? onePerTask(all) : [],
    played: all.length,
    solved: solvedOf(all),
    map: surveyOf(all, view.placedActions),
  };
}
