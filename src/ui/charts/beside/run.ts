/** State of a second run that trains in parallel with the current one. */

import type { WorkerMessage } from '../../../lab/protocol.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { Row } from '../../../runs/row.ts';
import { chartRow, upTo } from '../../shell/lab/rows.ts';

export interface BesideRun {
  readonly rows: readonly Row[];
  readonly status: 'starting' | 'running' | 'finished' | 'failed';
  /** Why it cannot train; null if it can. */
  readonly problem: string | null;
  /** One episode of each recent iteration, oldest first. */
  readonly episodes: readonly BesideEpisode[];
}

export interface BesideEpisode {
  readonly iteration: number;
  readonly record: EpisodeRecord;
}

export const nothingYet: BesideRun = {
  rows: [],
  status: 'starting',
  problem: null,
  episodes: [],
};

/** Enough for the two runs to share an iteration even if one lags behind. */
const KEPT_EPISODES = 60;

/** Applies a worker message; returns the same object if nothing changes. */
export function entered(beside: BesideRun, message: WorkerMessage): BesideRun {
  switch (message.type) {
    case 'row': {
      const { iteration } = message.row;
      const [record] = message.episodes;
      const { rows, episodes } = beside;
      return {
        ...beside,
        status: 'running',
        rows: [...rows, chartRow(message.row)],
        episodes:
          record === undefined
            ? episodes
            : [...episodes, { iteration, record }].slice(-KEPT_EPISODES),
      };
    }
    case 'restored': {
      const { iteration } = message;
      const { rows, episodes } = beside;
      return { ...beside, rows: upTo(rows, iteration), episodes: upTo(episodes, iteration) };
    }
    case 'status':
      if (message.status === 'finished') return { ...beside, status: 'finished' };
      return message.status === 'failed' ? { ...beside, status: 'failed' } : beside;
    case 'error':
      return { ...beside, status: 'failed', problem: `${message.message} ${message.advice}` };
    default:
      return beside;
  }
}
