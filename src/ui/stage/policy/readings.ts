/** The policy at every cell of a map, by iteration. A reading is the policy of one iteration. */

import { useEffect, useMemo } from 'react';
import { create } from 'zustand';
import type { Environment } from '../../../envs/types.ts';
import type { TouchableMap, TouchablePlace } from '../../../envs/views.ts';
import type { PolicyAt } from '../../../runs/policy-reading.ts';
import { askOrNull } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';

/** Number of words listed for a cell. */
export const LISTED = 10;
/** Maximum number of kept readings; beyond it, every second one is dropped. */
const MOST_KEPT = 80;

export interface Reading {
  /** Iteration after which the weights were read. */
  readonly iteration: number;
  readonly places: ReadonlyMap<string, PolicyAt>;
}

export interface ReadingsState {
  readonly runId: string | null;
  /** Oldest first. */
  readonly kept: readonly Reading[];
}

export const useReadings = create<ReadingsState>()(() => ({ runId: null, kept: [] }));

/** Adds a reading, and drops every second one if the list is too long. */
export function withReading(kept: readonly Reading[], reading: Reading): readonly Reading[] {
  const all = [...kept.filter(({ iteration }) => iteration < reading.iteration), reading];
  if (all.length <= MOST_KEPT) return all;
  return all.filter((_, i) => i % 2 === 0 || i === all.length - 1);
}

/** The newest reading up to an iteration, or else the first one after it. */
export function readingAt(kept: readonly Reading[], iteration: number): Reading | undefined {
  return kept.findLast((one) => one.iteration <= iteration) ?? kept[0];
}

async function read(
  places: readonly TouchablePlace[],
  actions: readonly string[],
): Promise<boolean> {
  const { runId } = useLab.getState();
  const situations = places.map(({ observation }) => ({ turns: [], observation }));
  const answer = await askOrNull('read-policy', {
    ...{ situations, actions },
    ...{ most: LISTED, search: false },
  });
  // Another run may have begun in the meantime.
  if (answer === null || useLab.getState().runId !== runId) return false;
  const reading: Reading = {
    iteration: answer.iteration,
    places: new Map(
      places.flatMap(({ place }, i): [string, PolicyAt][] => {
        const at = answer.situations[i];
        return at === undefined ? [] : [[place, at]];
      }),
    ),
  };
  const before = useReadings.getState();
  useReadings.setState({
    runId,
    kept: withReading(before.runId === runId ? before.kept : [], reading),
  });
  return true;
}

/** The cells of a map, and the readings of the current run, requested after every iteration. */
export function useMapReadings(
  environment: Environment,
  map: TouchableMap | undefined,
): { readonly places: readonly TouchablePlace[]; readonly readings: readonly Reading[] } {
  const places = useMemo(() => map?.places(environment) ?? [], [environment, map]);
  const runId = useLab((lab) => lab.runId);
  const iteration = useLab(({ rows }) => rows.at(-1)?.iteration ?? 0);
  const status = useLab((lab) => lab.status);
  useEffect(() => {
    if (runId === null || map === undefined || places.length === 0) return;
    if (status === 'idle' || status === 'asked' || status === 'failed') return;
    void alone(runId, iteration, () => read(places, map.actions));
  }, [runId, iteration, status, map, places]);
  const readings = useReadings((state) => (state.runId === runId ? state.kept : none));
  return { places, readings };
}

const none: readonly Reading[] = [];

let asking = false;

/** Requests one reading after the other until the newest iteration has been read. */
async function alone(runId: string, iteration: number, ask: () => Promise<boolean>): Promise<void> {
  if (asking) return;
  asking = true;
  try {
    for (let asked = iteration; ; ) {
      if (!(await ask())) return;
      const { runId: now, rows } = useLab.getState();
      const newest = rows.at(-1)?.iteration ?? 0;
      const { kept } = useReadings.getState();
      if (now !== runId || newest <= Math.max(asked, kept.at(-1)?.iteration ?? 0)) return;
      asked = newest;
    }
  } finally {
    asking = false;
  }
}
