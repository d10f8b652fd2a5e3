/** Follows a growing log: diagnoses it after each change and reports what is new. */

import { statSync } from 'node:fs';
import type { Finding } from '../diagnosis/finding.ts';
import { hasFailed } from '../diagnosis/modes/of-logs.ts';
import type { LogDiagnosis } from '../exchange/logs/diagnose-log.ts';
import { LogError } from '../exchange/logs/error.ts';
import type { GrowingLog, Growth } from '../exchange/logs/growing.ts';
import type { LogFile } from '../exchange/logs/source.ts';
import { percent } from '../runs/numbers.ts';
import { logFilesAt } from './log-paths.ts';
import type { Streams } from './streams.ts';
import { UsageError } from './usage.ts';

/** Exit code if a followed log has a finding. */
const EXIT_FINDING = 3;

/** A file or folder that grows. */
export function growingPath(path: string): GrowingLog {
  let files: readonly LogFile[] = [];
  let known = new Map<string, { readonly size: number; readonly inode: number; at: number }>();
  const poll = async (): Promise<Growth> => {
    const now = new Map<string, { readonly size: number; readonly inode: number; at: number }>();
    try {
      files = logFilesAt(path);
      for (const { path: place } of files) {
        const { size, ino, mtimeMs } = statSync(place);
        now.set(place, { size, inode: ino, at: mtimeMs });
      }
    } catch (error) {
      // A rotated file is absent until its writer opens the next one.
      if (known.size > 0 || error instanceof UsageError) return 'absent';
      throw error;
    }
    const before = known;
    known = now;
    let growth: Growth = 'same';
    for (const [place, { size, inode, at }] of now) {
      const old = before.get(place);
      if (old === undefined || old.size < size) growth = growth === 'same' ? 'grown' : growth;
      if (old !== undefined && (old.inode !== inode || size < old.size)) growth = 'restarted';
      // The file was overwritten with the same number of bytes.
      if (old !== undefined && old.size === size && at !== old.at && size > 0) growth = 'restarted';
    }
    return growth;
  };
  return { name: path, poll, files: () => files };
}

/** Current state of a run in a followed log. */
interface FollowedRun {
  readonly place: string;
  readonly diagnosis: LogDiagnosis;
  /** Number of rows, and the last step with its unit. */
  readonly rows: number;
  readonly end: number;
  readonly unit: string;
}

interface FollowWishes {
  /** Seconds between polls. */
  readonly every: number;
  /** Stops after this many seconds without a change; never if absent. */
  readonly idle?: number;
  /** Stops at the first finding. */
  readonly untilFinding: boolean;
  /** Receives a POST with each alert. */
  readonly webhook?: string;
  readonly json: boolean;
}

export interface FollowMachine extends Streams {
  /** Resolves to false if the wait was interrupted. */
  readonly wait: (milliseconds: number) => Promise<boolean>;
  readonly post: (url: string, body: string) => Promise<void>;
}

/** An event of a followed log; with `--json`, one JSON object per line. */
interface FollowEvent {
  readonly event: 'state' | 'finding' | 'restarted';
  readonly file: string;
  readonly state: string | null;
  readonly rows: number;
  readonly step: number;
  readonly summary: string;
  readonly finding?: Finding;
}

/** Minimum confidence of a reported finding; weaker findings wait for more rows. */
const LEAST_CONFIDENCE = 0.4;

/**
 * Polls a log and diagnoses it after each change. Resolves with the exit code once the log is idle, the
 * process is interrupted or, with `untilFinding`, there is a finding.
 *
 * @param readRuns reads the runs in the files
 */
export async function follow(
  source: GrowingLog,
  readRuns: (files: readonly LogFile[]) => Promise<readonly FollowedRun[]>,
  wishes: FollowWishes,
  { out, log, wait, post }: FollowMachine,
): Promise<number> {
  const { every, idle, untilFinding, webhook, json } = wishes;
  const alerted = new Set<string>();
  const states = new Map<string, string>();
  let [quiet, found] = [0, false];
  let waiting = '';
  const say = async (event: FollowEvent, line: string) => {
    out(json ? JSON.stringify(event) : line);
    if (event.event !== 'finding' || webhook === undefined) return;
    try {
      await post(webhook, JSON.stringify({ text: line, ...event }));
    } catch (error) {
      log(`the webhook failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const report = async (run: FollowedRun) => {
    const { place, diagnosis, rows, end, unit } = run;
    const { changed, findings, summary } = diagnosis;
    const state = changed.outcome?.state ?? null;
    const common = { file: place, state, rows, step: end, summary };
    const name = state?.replaceAll('_', ' ') ?? 'no known score';
    const at = `${place}, ${unit} ${end.toLocaleString('en-US')}`;
    if (states.get(place) !== name) {
      states.set(place, name);
      await say({ event: 'state', ...common }, `${at}: ${name}. ${summary}`);
      // Alert on a failed outcome even without a known cause.
      if (hasFailed(changed) && findings.length === 0) {
        found = true;
        if (webhook !== undefined) {
          await post(
            webhook,
            JSON.stringify({ text: `${at}: ${name}. ${summary}`, ...common }),
          ).catch((error: unknown) => log(`the webhook failed: ${String(error)}`));
        }
      }
    }
    for (const finding of findings) {
      const key = `${place} ${finding.mode}`;
      if (alerted.has(key) || finding.confidence < LEAST_CONFIDENCE) continue;
      alerted.add(key);
      found = true;
      const { title, text, mode, onset, confidence } = finding;
      await say(
        { event: 'finding', ...common, finding },
        `${at}: ALERT ${title} ${text} [${mode}, since ${unit} ${onset}, confidence ${percent(confidence)}]`,
      );
    }
  };
  for (;;) {
    let growth: Growth;
    try {
      growth = await source.poll();
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      growth = 'absent';
      if (waiting !== error.message) log(`${source.name} ${error.message}; trying again`);
      waiting = error.message;
    }
    const began = performance.now();
    if (growth === 'restarted') {
      alerted.clear();
      states.clear();
      log(`${source.name} was truncated or replaced; reading it from the start`);
    }
    if (growth === 'grown' || growth === 'restarted') {
      quiet = 0;
      try {
        for (const run of await readRuns(source.files())) await report(run);
        waiting = '';
      } catch (error) {
        if (!(error instanceof LogError || error instanceof UsageError)) throw error;
        if (waiting !== error.message) log(`${source.name}: ${error.message}; waiting for more`);
        waiting = error.message;
      }
      if (found && untilFinding) return EXIT_FINDING;
    } else {
      if (growth === 'absent' && waiting === '') {
        waiting = 'absent';
        log(`${source.name} does not exist; waiting for it`);
      }
      quiet += every;
      if (idle !== undefined && quiet > idle) break;
    }
    // Diagnosing a large log takes a long time. Leave at least half of the time to other processes.
    const pause = Math.max(1000 * every, performance.now() - began);
    if (!(await wait(pause))) break;
  }
  return found ? EXIT_FINDING : 0;
}
