/** Episodes of other tools: indexed, searched and read by a worker. */

import { create } from 'zustand';
import type { GivenFile } from '../../../exchange/logs/log-work.ts';
import type { EpisodeFlag } from '../../../exchange/rollouts/detectors.ts';
import type { RolloutEpisode } from '../../../exchange/rollouts/episode.ts';
import type { EpisodeEntry } from '../../../exchange/rollouts/read-rollouts.ts';
import type {
  RolloutsMessage,
  RolloutsRequest,
  RolloutsSummary,
} from '../../../exchange/rollouts/rollouts-work.ts';
import type { EpisodeOrder } from '../../../exchange/rollouts/select.ts';
import { showDrawer } from '../drawers.ts';

/** Which episodes are listed. */
interface EpisodesView {
  /** The step that was chosen in a chart; null for all. */
  readonly step: number | null;
  readonly flag: EpisodeFlag | null;
  readonly order: EpisodeOrder;
  readonly search: string;
}

interface EpisodesState {
  readonly name: string;
  readonly summary: RolloutsSummary | null;
  readonly reading: { readonly read: number; readonly total: number } | null;
  readonly view: EpisodesView;
  readonly entries: readonly EpisodeEntry[];
  /** Number of matching episodes in all, listed or not. */
  readonly of: number;
  /** Up to two episodes side by side; null until their text has been read. */
  readonly shown: readonly {
    readonly entry: EpisodeEntry;
    readonly episode: RolloutEpisode | null;
  }[];
  readonly problem: string | null;
}

const all: EpisodesView = { step: null, flag: null, order: 'highest', search: '' };
const blank: EpisodesState = {
  ...{ name: '', summary: null, reading: null, view: all, entries: [], of: 0, shown: [] },
  problem: null,
};

export const useEpisodes = create<EpisodesState>()(() => blank);

/** A file takes much less to recognize. */
const MOST_SECONDS = 30;

/** Maximum number of listed episodes. */
const MOST = 100;

let worker: Worker | null = null;
let number = 0;
/** The number of the newest query. */
let query = 0;
/** The entries whose text is being read, by the number of the request. */
const reading = new Map<number, number>();

const ask = (request: RolloutsRequest) => worker?.postMessage(request);

/** The dropped files that contain episodes. Only the first file of each folder and type is tested. */
export async function episodeFiles(files: readonly GivenFile[]): Promise<readonly GivenFile[]> {
  const groups = new Map<string, GivenFile[]>();
  for (const given of files) {
    const found = /^(.*?)[^/]*\.(jsonl?|parquet|pt|pth)$/i.exec(given.path);
    if (found === null) continue;
    // Folders that differ only in numbers, such as one per step, form one group.
    const id = `${(found[1] ?? '').replaceAll(/\d+/g, '#')} ${found[2]}`;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [given]);
    else group.push(given);
  }
  if (groups.size === 0 || groups.size > 50) return [];
  const held: GivenFile[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    if (await holdsEpisodes(first)) held.push(...group);
  }
  return held;
}

const startWorker = () =>
  new Worker(new URL('../../../exchange/rollouts/rollouts-worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-episodes',
  });

/** Whether a file contains episodes. Any failure means that it does not, so the log worker reports it. */
async function holdsEpisodes(file: GivenFile): Promise<boolean> {
  const tester = startWorker();
  let patience: ReturnType<typeof setTimeout> | undefined;
  const held = await new Promise<boolean>((resolve) => {
    tester.onmessage = ({ data }: MessageEvent<RolloutsMessage>) =>
      resolve(data.kind === 'held' && data.held);
    tester.onerror = (event) => {
      event.preventDefault();
      resolve(false);
    };
    patience = setTimeout(() => resolve(false), 1000 * MOST_SECONDS);
    tester.postMessage({ kind: 'holds', file } satisfies RolloutsRequest);
  });
  clearTimeout(patience);
  tester.terminate();
  return held;
}

/** Opens files of episodes in place of the open ones. */
export function openEpisodes(files: readonly GivenFile[]): void {
  showDrawer('log');
  closeEpisodes();
  const [first] = files;
  const name = files.length === 1 ? (first?.path ?? '') : `${files.length} files`;
  useEpisodes.setState({ ...blank, name, reading: { read: 0, total: 1 } });
  worker = startWorker();
  worker.onmessage = ({ data }: MessageEvent<RolloutsMessage>) => take(data);
  worker.onerror = (event) => {
    event.preventDefault();
    take({
      kind: 'problem',
      message: event.message || 'The episodes could not be read. Reload the page and try again.',
      number: null,
    });
  };
  ask({ kind: 'open', files, mapping: {} });
}

export function closeEpisodes(): void {
  worker?.terminate();
  worker = null;
  reading.clear();
  useEpisodes.setState(blank);
}

/** Changes which episodes are listed. */
export function viewEpisodes(change: Partial<EpisodesView>): void {
  const { view, summary } = useEpisodes.getState();
  const next = { ...view, ...change };
  useEpisodes.setState({ view: next });
  if (summary === null) return;
  const { step, flag, order, search } = next;
  query = ++number;
  ask({
    ...{ kind: 'query', number },
    query: {
      ...{ order, most: MOST },
      ...(step === null ? {} : { steps: [step, step] as const }),
      ...(flag === null ? {} : { flag }),
      ...(search === '' ? {} : { search }),
    },
  });
}

/** Lists the episodes of the step nearest to a position on the axis of a log. */
export function viewStepNear(at: number): void {
  const { summary } = useEpisodes.getState();
  const steps = summary?.steps.flatMap(({ step }) => step ?? []) ?? [];
  if (steps.length === 0) return;
  const nearest = steps.reduce((one, other) =>
    Math.abs(other - at) < Math.abs(one - at) ? other : one,
  );
  viewEpisodes({ step: nearest });
}

/** Opens an episode next to the last opened one, or closes it if it is open. */
export function toggleEpisode(entry: EpisodeEntry): void {
  const { shown } = useEpisodes.getState();
  if (shown.some((one) => one.entry.id === entry.id)) {
    useEpisodes.setState({ shown: shown.filter((one) => one.entry.id !== entry.id) });
    return;
  }
  useEpisodes.setState({ shown: [...shown.slice(-1), { entry, episode: null }] });
  number++;
  reading.set(number, entry.id);
  ask({ kind: 'read', number, id: entry.id });
}

function take(message: RolloutsMessage): void {
  switch (message.kind) {
    case 'progress':
      useEpisodes.setState({ reading: message });
      return;
    case 'opened':
      useEpisodes.setState({ summary: message.summary, reading: null });
      viewEpisodes({});
      return;
    case 'found':
      // An older query may be answered after a newer one was sent.
      if (message.number === query) {
        useEpisodes.setState({ entries: message.entries, of: message.of, problem: null });
      }
      return;
    case 'episode': {
      const id = reading.get(message.number);
      reading.delete(message.number);
      useEpisodes.setState(({ shown }) => ({
        problem: null,
        shown: shown.map((one) =>
          one.entry.id === id ? { ...one, episode: message.episode } : one,
        ),
      }));
      return;
    }
    case 'problem': {
      const { number: failed, message: problem } = message;
      const id = failed === null ? undefined : reading.get(failed);
      if (failed !== null) reading.delete(failed);
      // Without a number, the worker failed, and no text will arrive.
      const isLost = (entry: EpisodeEntry) => failed === null || entry.id === id;
      useEpisodes.setState(({ shown }) => ({
        ...{ problem, reading: null },
        shown: shown.filter(({ entry, episode }) => episode !== null || !isLost(entry)),
      }));
      return;
    }
    case 'held':
      return;
    default:
      message satisfies never;
  }
}
