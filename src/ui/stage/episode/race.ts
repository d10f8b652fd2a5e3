/** The agent as an opponent: its own episodes of the task that the user plays. */

import { useEffect, useState } from 'react';
import { create } from 'zustand';
import type { EnvironmentRef, EpisodeRecord } from '../../../runs/episode.ts';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';
import { type Reenactment, reenact } from '../../../runs/reenact.ts';
import { environmentOf } from '../../shell/episode/environments.ts';
import { askOrNull } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import { useStarts } from './starts.ts';

/** The agent's episode to play against. */
export type RivalName = 'newest' | 'best';

export interface Rival {
  readonly iteration: number;
  readonly episode: Reenactment;
}

/** Null if the agent has not played the task, or for `best` not solved it. */
export type Rivals = Readonly<Record<RivalName, Rival | null>>;

/** Summary of an episode of the task. */
type Known = Pick<EpisodeSummary, 'iteration' | 'success' | 'turns'>;

/**
 * The newest episode, and the one with the fewest turns; on a tie, the newer one.
 *
 * @param episodes of one task, oldest first
 */
export function pickRivals<One extends Known>(
  episodes: readonly One[],
): Readonly<Record<RivalName, One | null>> {
  const newest = episodes.at(-1) ?? null;
  const best = episodes
    .filter(({ success }) => success)
    .reduce<One | null>(
      (least, one) => (least !== null && least.turns < one.turns ? least : one),
      null,
    );
  return { newest, best };
}

/** The only player to solve the task wins; if both solve it, the one with fewer turns. */
export type RaceResult = 'you' | 'agent' | 'even';

export function resultOf(
  you: Pick<EpisodeRecord, 'success' | 'turns'>,
  agent: Pick<EpisodeRecord, 'success' | 'turns'>,
): RaceResult {
  if (you.success !== agent.success) return you.success ? 'you' : 'agent';
  const ahead = agent.turns.length - you.turns.length;
  if (!you.success || ahead === 0) return 'even';
  return ahead > 0 ? 'you' : 'agent';
}

/** Games of this visit against the current run. */
export interface Tally {
  readonly runId: string | null;
  readonly ended: Readonly<Record<RaceResult, number>>;
}

export const useTally = create<Tally>()(() => ({
  runId: null,
  ended: { you: 0, agent: 0, even: 0 },
}));

/** Counts a game. The counts start at 0 for another run, because its agent is another opponent. */
export function countRace(result: RaceResult): void {
  const { runId } = useLab.getState();
  useTally.setState((tally) => {
    const ended = tally.runId === runId ? tally.ended : { you: 0, agent: 0, even: 0 };
    return { runId, ended: { ...ended, [result]: ended[result] + 1 } };
  });
}

/** The agent's episodes of a task; requested again until there is one. Null until known. */
export function useRivals({ id, options }: EnvironmentRef, task: string): Rivals | null {
  const runId = useLab((lab) => lab.runId);
  const iteration = useLab(({ rows }) => rows.at(-1)?.iteration ?? 0);
  const [found, setFound] = useState<Rivals | null>(null);
  const asked = found === null || found.newest === null ? iteration : null;
  useEffect(() => {
    if (asked === null || asked === 0 || runId === null) return;
    let wanted = true;
    findRivals({ id, options }, task).then(
      (rivals) => {
        if (wanted) setFound(rivals);
      },
      (error: unknown) => console.error(error),
    );
    return () => {
      wanted = false;
    };
  }, [asked, runId, id, options, task]);
  return found;
}

/** Searches the run's stored episodes and the episodes of the time-lapse. */
async function findRivals(env: EnvironmentRef, task: string): Promise<Rivals> {
  const { runId } = useLab.getState();
  const starts = useStarts.getState();
  const seen = (starts.runId === runId ? starts.kept : []).flatMap(({ iteration, episodes }) =>
    episodes
      .filter(({ record }) => record.taskId === task && record.environment.id === env.id)
      .map((episode) => ({ iteration, episode })),
  );
  const kept = ((await askOrNull('list-episodes', {})) ?? []).filter(
    ({ taskId, environmentId }) => taskId === task && environmentId === env.id,
  );
  const all: readonly (Known & { readonly number?: number; readonly episode?: Reenactment })[] = [
    ...seen.map(({ iteration, episode }) => ({
      iteration,
      episode,
      success: episode.record.success,
      turns: episode.record.turns.length,
    })),
    ...kept,
  ].sort((a, b) => a.iteration - b.iteration);
  const { newest, best } = pickRivals(all);
  const numbers = [newest, best].flatMap((one) => one?.number ?? []);
  const read =
    numbers.length === 0 ? [] : await askOrNull('read-episodes', { numbers, tokens: true });
  const records = read ?? [];
  const made = (one: (typeof all)[number] | null): Rival | null => {
    if (one === null) return null;
    const record = records.find(({ number }) => number === one.number)?.record;
    const episode =
      one.episode ?? (record === undefined ? null : reenact(environmentOf(env), record));
    return episode === null ? null : { iteration: one.iteration, episode };
  };
  return { newest: made(newest), best: made(best) };
}
