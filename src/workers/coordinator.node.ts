/**
 * Coordinates a sweep: schedules segments, stops trials at their rungs, and writes the results. Its
 * state is entirely in the folder, so it can stop at any moment and restart.
 */

import { sweepCsv, sweepPage } from '../sweep/page.ts';
import { type Plan, plan, runNames } from '../sweep/plan.ts';
import { type SweepSummary, summarizeSweep } from '../sweep/summary.ts';
import type { Queue } from './queue.ts';
import { stoppedRecord } from './segment.node.ts';
import type { SweepFolder } from './sweep-folder.node.ts';
import { isStorageError } from './whole-files.node.ts';

/** The progress of a sweep. */
export interface SweepProgress {
  readonly plan: Plan;
  /** Number of planned runs, of ended runs, and of stopped and failed ones among these. */
  readonly runs: {
    readonly all: number;
    readonly ended: number;
    readonly stopped: number;
    readonly failed: number;
  };
  /** Names of the ended runs. */
  readonly ended: ReadonlySet<string>;
  /** Number of iterations of the ended runs. */
  readonly iterations: number;
}

/** Reads the folder and acts on it: starts trials, stops runs. */
export function step(folder: SweepFolder): SweepProgress {
  const { sweep, ahead } = folder.kept();
  for (;;) {
    const trials = folder.trials();
    const next = plan(sweep, trials, folder.states(sweep), ahead);
    for (const trial of next.trials.slice(trials.length)) folder.keepTrial(trial);
    for (const segment of next.stopped) {
      const trial = next.trials[segment.trial - 1];
      if (trial === undefined) continue;
      folder.keepRecord(stoppedRecord(folder, trial, segment, folder.device()));
      folder.clear(segment.run);
    }
    // A stopped trial may allow others to start.
    if (next.stopped.length === 0) return progressOf(folder, next);
  }
}

function progressOf(folder: SweepFolder, next: Plan): SweepProgress {
  const { sweep } = folder.kept();
  const planned = runNames(sweep);
  const known = folder.records();
  const records = planned.flatMap((run) => known.get(run) ?? []);
  const count = (outcome: string) => records.filter((record) => record.outcome === outcome).length;
  return {
    plan: next,
    runs: {
      all: planned.length,
      ended: records.length,
      stopped: count('stopped'),
      failed: count('failed'),
    },
    ended: new Set(records.map(({ run }) => run)),
    iterations: records.reduce((sum, { summary }) => sum + summary.iterations, 0),
  };
}

/**
 * Writes the page and the table of the results so far.
 *
 * @param train how the `train` command is called
 */
export function writeResults(folder: SweepFolder, train: string): SweepSummary {
  const { sweep } = folder.kept();
  const summary = summarizeSweep(sweep, folder.trials(), folder.records());
  folder.write('README.md', sweepPage(sweep, summary, { train, device: folder.device() }));
  folder.write('trials.csv', sweepCsv(sweep, summary));
  return summary;
}

interface LeadOptions {
  readonly folder: SweepFolder;
  readonly queue: Queue;
  /** How the `train` command is called. */
  readonly train: string;
  /** Resolves when the folder should be read again. */
  readonly awaken: () => Promise<void>;
  readonly interrupted: () => boolean;
  readonly onProgress: (progress: SweepProgress) => void;
  readonly log: (line: string) => void;
}

/** Coordinates a sweep to its end. @returns false if it was interrupted */
export async function lead(options: LeadOptions): Promise<boolean> {
  const { folder, queue, train, awaken, interrupted, onProgress, log } = options;
  let written = -1;
  let reported = '';
  for (;;) {
    try {
      if (written < 0) {
        // A process may have died after it stored a record and before it removed the run's files.
        for (const run of folder.records().keys()) folder.clear(run);
      }
      const progress = step(folder);
      if (progress.runs.ended !== written) writeResults(folder, train);
      written = progress.runs.ended;
      onProgress(progress);
      if (progress.plan.done) return true;
      if (interrupted()) return false;
      await queue.offer(progress.plan.due);
    } catch (error) {
      // A full disk may have space again; running segments continue meanwhile.
      if (!isStorageError(error) || interrupted()) throw error;
      if (error.message !== reported) log(`${error.message}; retrying`);
      reported = error.message;
    }
    await awaken();
  }
}
