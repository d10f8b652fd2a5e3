/** A run that trains beside the present one: what the page knows of it. */

import type { WorkerMessage } from '../../lab/protocol.ts';
import type { EpisodeRecord } from '../../runs/episode.ts';
import type { Row } from '../../runs/row.ts';
import { upTo, withEvaluation, withoutSamples } from '../lab/rows.ts';

/** It has a worker of its own and is forgotten with the page. */
export interface BesideRun {
  readonly rows: readonly Row[];
  readonly status: 'starting' | 'running' | 'finished' | 'failed';
  /** Why it could not be trained, in a sentence or two. */
  readonly problem: string | null;
  /** An episode of each of the newest iterations, oldest first. */
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

/** As far back as the slower of two runs may be behind. */
const KEPT_EPISODES = 60;

/** What a message of its worker makes of the run beside; the same object where that is nothing. */
export function entered(beside: BesideRun, message: WorkerMessage): BesideRun {
  switch (message.type) {
    case 'iteration': {
      const { iteration, metrics, details, milliseconds } = message;
      const row = withoutSamples({ iteration, metrics, details, milliseconds });
      const [record] = message.episodes;
      const { rows, episodes } = beside;
      return {
        ...beside,
        status: 'running',
        rows: [...rows, row],
        episodes:
          record === undefined
            ? episodes
            : [...episodes, { iteration, record }].slice(-KEPT_EPISODES),
      };
    }
    case 'evaluation': {
      const { iteration, metrics } = message;
      return { ...beside, rows: withEvaluation(beside.rows, iteration, { metrics }) };
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
