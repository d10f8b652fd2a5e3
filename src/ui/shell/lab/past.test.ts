import { describe, expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { KEPT_PAST, type PastEpisodes, pastEpisode, withPast } from './past.ts';

const played = (taskId: string): EpisodeRecord => ({
  ...{ environment: { id: 'maze/double-t-v1', options: {} }, taskId, turns: [] },
  ...{ finalObservation: '', success: false, truncated: true, score: 0 },
});

describe('pastEpisode', () => {
  it('returns the episode of an iteration, or of the last one before it', () => {
    let past: readonly PastEpisodes[] = [];
    past = withPast(past, 1, { latest: played('a'), failure: played('a') });
    past = withPast(past, 2, { latest: played('b'), success: played('b') });
    past = withPast(past, 2, { evaluation: played('c') });
    expect(past).toHaveLength(2);
    expect(pastEpisode(past, 'latest', 1)?.record.taskId).toBe('a');
    expect(pastEpisode(past, 'latest', 9)).toMatchObject({ iteration: 2, record: { taskId: 'b' } });
    expect(pastEpisode(past, 'failure', 2)).toMatchObject({ iteration: 1 });
    expect(pastEpisode(past, 'evaluation', 2)?.record.taskId).toBe('c');
    expect(pastEpisode(past, 'success', 1)).toBeNull();
    expect(pastEpisode(past, 'latest', 0)).toBeNull();
  });

  it('keeps a bounded number of iterations, spread from the first to the newest', () => {
    let past: readonly PastEpisodes[] = [];
    for (let iteration = 1; iteration <= 1000; iteration++) {
      past = withPast(past, iteration, { latest: played(String(iteration)) });
      expect(past.length).toBeLessThanOrEqual(KEPT_PAST);
    }
    expect(past[0]?.iteration).toBe(1);
    expect(past.at(-1)?.iteration).toBe(1000);
    const gaps = past.slice(1).map(({ iteration }, i) => iteration - (past[i]?.iteration ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(70);
  });
});
