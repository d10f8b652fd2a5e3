/** Requests and answers of the worker for files of episodes. It keeps the index; the page requests parts. */

import { LogError } from '../logs/error.ts';
import type { GivenFile } from '../logs/log-work.ts';
import { blobFile, reportedReading } from '../logs/source.ts';
import type { EpisodeFlag } from './detectors.ts';
import type { RolloutEpisode } from './episode.ts';
import {
  countFlags,
  type EpisodeEntry,
  holdsRollouts,
  type Rollouts,
  readRollouts,
  type StepSummary,
  stepsOf,
} from './read-rollouts.ts';
import type { RolloutMapping, RolloutTool } from './readers.ts';
import { type EpisodeQuery, searched, selected } from './select.ts';

export type RolloutsRequest =
  /** Whether a file contains episodes. */
  | { readonly kind: 'holds'; readonly file: GivenFile }
  | {
      readonly kind: 'open';
      readonly files: readonly GivenFile[];
      readonly mapping: RolloutMapping;
    }
  | { readonly kind: 'query'; readonly number: number; readonly query: EpisodeQuery }
  | { readonly kind: 'read'; readonly number: number; readonly id: number };

export interface RolloutsSummary {
  readonly tool: RolloutTool;
  readonly episodes: number;
  readonly steps: readonly StepSummary[];
  readonly flags: Readonly<Partial<Record<EpisodeFlag, number>>>;
  readonly notes: readonly string[];
}

export type RolloutsMessage =
  | { readonly kind: 'held'; readonly held: boolean }
  | { readonly kind: 'progress'; readonly read: number; readonly total: number }
  | { readonly kind: 'opened'; readonly summary: RolloutsSummary }
  | {
      readonly kind: 'found';
      readonly number: number;
      readonly entries: readonly EpisodeEntry[];
      /** Number of episodes that match the other filters, regardless of the text search. */
      readonly of: number;
    }
  | { readonly kind: 'episode'; readonly number: number; readonly episode: RolloutEpisode }
  | {
      readonly kind: 'problem';
      readonly message: string;
      /** Of the failed query or reading; null for any other problem. */
      readonly number: number | null;
    };

/** Answers requests about the most recently opened files; never rejects. */
export class RolloutsDesk {
  #rollouts: Rollouts | null = null;

  async answer(request: RolloutsRequest, post: (message: RolloutsMessage) => void): Promise<void> {
    try {
      if (request.kind === 'holds') {
        const { path, file } = request.file;
        post({ kind: 'held', held: await holdsRollouts(blobFile(path, file)) });
        return;
      }
      if (request.kind === 'open') return await this.#open(request, post);
      if (this.#rollouts === null) return;
      const { number } = request;
      if (request.kind === 'query') {
        const entries = await searched(this.#rollouts, request.query);
        const of = selected(this.#rollouts.entries, request.query).length;
        post({ kind: 'found', number, entries, of });
      } else {
        post({ kind: 'episode', number, episode: await this.#rollouts.read(request.id) });
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      post({
        kind: 'problem',
        message: error instanceof LogError ? `The file ${message}.` : message,
        number: 'number' in request ? request.number : null,
      });
    }
  }

  async #open(
    { files, mapping }: Extract<RolloutsRequest, { kind: 'open' }>,
    post: (message: RolloutsMessage) => void,
  ): Promise<void> {
    const given = files
      .map(({ path, file }) => blobFile(path, file))
      .sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
    const onRead = reportedReading(given, (read, total) => post({ kind: 'progress', read, total }));
    const rollouts = await readRollouts(given, { mapping, onRead });
    this.#rollouts = rollouts;
    const { tool, entries, notes } = rollouts;
    const summary = { tool, episodes: entries.length, notes, steps: stepsOf(entries) };
    post({ kind: 'opened', summary: { ...summary, flags: countFlags(entries) } });
  }
}
