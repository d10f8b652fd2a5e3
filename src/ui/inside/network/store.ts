/** What is examined in the network, and the newest answer. */

import { create } from 'zustand';
import { isAgentFileError } from '../../../exchange/agent-files.ts';
import type {
  EmbeddingReading,
  Head,
  Intervention,
  NetworkReading,
  Swap,
} from '../../../runs/network-reading.ts';
import { FileRefusedError } from '../../shell/files/file-reader.ts';
import { ask, QuestionRefusedError } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import {
  type NetworkWorker,
  type OpenedNetwork,
  openNetwork,
  startNetworkWorker,
} from './opened.ts';
import { type NamedSituation, situationsOf } from './situations.ts';

export const views = ['attention', 'lens', 'embeddings', 'update'] as const;
export type View = (typeof views)[number];

export interface NetworkState {
  readonly view: View;
  /** An agent from a file; null for the run's. */
  readonly opened: OpenedNetwork | null;
  readonly situations: readonly NamedSituation[];
  /** Index of the examined situation. */
  readonly chosen: number;
  /** Iteration of the weights; null follows the newest. */
  readonly iteration: number | null;
  readonly head: Head;
  /** Index of the selected token among the shown ones; null for the last. */
  readonly token: number | null;
  readonly off: readonly Head[];
  readonly swaps: readonly Swap[];
  readonly reading: NetworkReading | null;
  /** The situation of `reading`. */
  readonly named: NamedSituation | null;
  readonly embeddings: EmbeddingReading | null;
  /** One sentence. */
  readonly problem: string | null;
}

const untouched = {
  situations: [],
  chosen: 0,
  iteration: null,
  head: { layer: 0, head: 0 },
  token: null,
  off: [],
  swaps: [],
  reading: null,
  named: null,
  embeddings: null,
  problem: null,
} as const;

export const useNetwork = create<NetworkState>()(() => ({
  view: 'attention',
  opened: null,
  ...untouched,
}));

const { getState: get, setState: set } = useNetwork;

/** Number of words listed. */
export const LISTED = 8;
/** Pause between two questions while the run trains, in milliseconds. */
const REST_MS = 800;

export const isSame = (a: Head, b: Head) => a.layer === b.layer && a.head === b.head;

/** The changes whose effect is shown; null for none. */
export function interventionOf({ off, swaps }: NetworkState): Intervention | null {
  return off.length === 0 && swaps.length === 0 ? null : { off, swaps };
}

/** The open panel; null while it is closed. */
let panel: object | null = null;
let asking = false;
let stale = false;

/**
 * Requests what is shown, one request at a time. Requests made in the meantime are merged into one.
 */
export async function refresh(): Promise<void> {
  if (panel === null) return;
  stale = true;
  if (asking) return;
  asking = true;
  try {
    while (stale) {
      stale = false;
      await askOnce();
    }
  } finally {
    asking = false;
  }
}

async function askOnce(): Promise<void> {
  const state = get();
  const asker = panel;
  const { view, opened, iteration } = state;
  const { runId } = useLab.getState();
  const named = state.situations[state.chosen];
  if (named === undefined) return;
  try {
    const worker = opened?.worker ?? (await workerOfRun());
    if (view === 'embeddings') {
      const embeddings = await worker.embeddings({ iteration });
      if (isCurrent(opened, runId)) set({ embeddings, problem: null });
    }
    const reading = await worker.read({
      ...{ iteration, situation: named.situation, actions: named.actions, most: LISTED },
      intervention: interventionOf(state),
    });
    if (isCurrent(opened, runId)) set({ reading, named, problem: null });
  } catch (error) {
    if (!(error instanceof QuestionRefusedError)) throw error;
    // Closing the panel ends the worker, which refuses a pending question.
    if (panel === asker && isCurrent(opened, runId)) set({ problem: error.message });
  }
}

const newest = () => useLab.getState().rows.at(-1)?.iteration ?? 0;

/** The worker with the run's weights. */
let running: {
  readonly runId: string | null;
  readonly worker: NetworkWorker;
  /** The newest iteration whose weights it holds. */
  since: number;
} | null = null;

/** Sends weights of new iterations to the worker, if there are any. */
async function workerOfRun(): Promise<NetworkWorker> {
  const { runId } = useLab.getState();
  if (running === null || running.runId !== runId) {
    running?.worker.close();
    running = { runId, worker: startNetworkWorker(), since: -1 };
  }
  const own = running;
  if (own.since < newest() || own.since < 0) {
    const network = await ask('read-weights', { since: own.since });
    await own.worker.add(network);
    own.since = network.kept.at(-1) ?? own.since;
  }
  return own.worker;
}

/** Whether an answer is still about the examined agent. */
const isCurrent = (opened: OpenedNetwork | null, runId: string | null) =>
  get().opened === opened && (opened !== null || useLab.getState().runId === runId);

/** Examines another situation, iteration, view or intervention. */
export function change(values: Partial<NetworkState>): void {
  set(values);
  void refresh();
}

export function choose(chosen: number): void {
  change({ chosen, swaps: [], token: null });
}

export function toggleHead(head: Head): void {
  const { off } = get();
  const others = off.filter((one) => !isSame(one, head));
  change({ off: others.length < off.length ? others : [...off, head] });
}

/** Replaces a token; null restores it. */
export function swap(position: number, text: string | null): void {
  const others = get().swaps.filter((one) => one.position !== position);
  change({ swaps: text === null ? others : [...others, { position, text }] });
}

/** Loads the situations of the run or of the opened agent, and the first answer. */
async function begin(): Promise<void> {
  const { opened } = get();
  const { config, runId, latest } = useLab.getState();
  const env = opened?.agent.config.env ?? config.env;
  const situations = await situationsOf(env, opened === null ? (latest?.record ?? null) : null);
  if (!isCurrent(opened, runId)) return;
  // The selection and the answer belong to the previous texts.
  const others = JSON.stringify(situations) !== JSON.stringify(get().situations);
  change({
    situations,
    ...(others ? { chosen: 0, token: null, swaps: [], reading: null, named: null } : {}),
  });
}

export async function openFile(file: File): Promise<void> {
  try {
    const opened = await openNetwork(file);
    get().opened?.worker.close();
    set({ ...untouched, opened });
    await begin();
  } catch (error) {
    const known =
      error instanceof FileRefusedError ||
      error instanceof QuestionRefusedError ||
      isAgentFileError(error);
    if (!known) console.warn(error);
    set({ problem: error instanceof Error ? error.message : String(error) });
  }
}

/** Returns to the run's agent. */
export function examineRun(): void {
  get().opened?.worker.close();
  set({ ...untouched, opened: null });
  void begin();
}

/** Follows the run until the returned function is called. */
export function follow(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [run, seen] = [useLab.getState().runId, newest()];
  panel = {};
  set({ problem: null });
  void begin();
  const stop = useLab.subscribe((lab) => {
    const { opened, iteration, situations } = get();
    if (opened !== null) return;
    if (lab.runId !== run) {
      run = lab.runId;
      seen = newest();
      set(untouched);
      void begin();
      return;
    }
    if (newest() === seen || timer !== undefined) return;
    seen = newest();
    timer = setTimeout(() => {
      timer = undefined;
      seen = newest();
      if (situations.length === 0 || get().reading === null) void begin();
      else if (iteration === null || get().view !== 'attention') void refresh();
    }, REST_MS);
  });
  return () => {
    clearTimeout(timer);
    stop();
    panel = null;
    stale = false;
    running?.worker.close();
    running = null;
  };
}
