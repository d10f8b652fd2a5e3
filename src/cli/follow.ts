/** Follows a growing log: diagnoses it after each change and reports what is new. */

import { statSync } from 'node:fs';
import type { Finding } from '../diagnosis/finding.ts';
import { hasFailed } from '../diagnosis/modes/of-logs.ts';
import type { LogDiagnosis } from '../exchange/logs/diagnose-log.ts';
import { LogError } from '../exchange/logs/error.ts';
import type { GrowingLog, Growth } from '../exchange/logs/growing.ts';
import { recognize } from '../exchange/logs/recognize.ts';
import type { LogFile } from '../exchange/logs/source.ts';
import { percent } from '../runs/numbers.ts';
import { logFilesAt } from './log-paths.ts';
import type { Streams } from './streams.ts';
import { UsageError } from './usage.ts';

/** Exit code if a followed log has a finding. */
const EXIT_FINDING = 3;

/** What a poll compares of a file. */
interface Looked {
  readonly size: number;
  readonly inode: number;
  /** When it was last written. */
  readonly at: number;
}

/**
 * A file or folder that grows. Files of a folder that are not logs, such as checkpoints, are ignored.
 *
 * @param say receives a line for each skipped file; see `logFilesAt`
 */
export function growingPath(path: string, say: Streams['log']): GrowingLog {
  let files: readonly LogFile[] = [];
  let restarted: readonly string[] = [];
  let known = new Map<string, Looked>();
  const kinds = new Map<string, { readonly looked: Looked; readonly isLog: boolean }>();
  /** Whether a file is a log; recognized again after it was replaced or, if it was not one, changed. */
  const isLog = async (file: LogFile, looked: Looked): Promise<boolean> => {
    const before = kinds.get(file.path);
    const same = before !== undefined && before.looked.inode === looked.inode;
    if (same && (before.isLog || isUnchanged(before.looked, looked))) return before.isLog;
    const found = typeof (await recognize(file).catch(unknownIfUnreadable)) === 'string';
    kinds.set(file.path, { looked, isLog: found });
    return found;
  };
  const poll = async (): Promise<Growth> => {
    restarted = [];
    const all = new Map<string, Looked>();
    const logs = new Map<string, Looked>();
    try {
      files = logFilesAt(path, say);
      for (const file of files) {
        const looked = lookAt(file.path);
        if (looked === null) continue;
        all.set(file.path, looked);
        if (file.path === path || (await isLog(file, looked))) logs.set(file.path, looked);
      }
    } catch (error) {
      // A rotated file is absent until its writer opens the next one.
      if (known.size > 0 || error instanceof UsageError) return 'absent';
      throw error;
    }
    const before = known;
    // Without a log, any change is worth another try.
    known = logs.size > 0 ? logs : all;
    const changed = [...known].filter(([place, now]) => !isUnchanged(before.get(place), now));
    restarted = changed
      .filter(([place, now]) => hasRestarted(before.get(place), now))
      .map(([place]) => place);
    return restarted.length > 0 ? 'restarted' : changed.length > 0 ? 'grown' : 'same';
  };
  return { name: path, poll, files: () => files, restarted: () => restarted };
}

/** Null for a file that was removed after its folder was read. */
function lookAt(place: string): Looked | null {
  const entry = statSync(place, { throwIfNoEntry: false });
  return entry === undefined ? null : { size: entry.size, inode: entry.ino, at: entry.mtimeMs };
}

const isUnchanged = (old: Looked | undefined, { size, inode, at }: Looked): boolean =>
  old !== undefined &&
  old.size === size &&
  old.inode === inode &&
  // Writing nothing to an empty file changes nothing.
  (old.at === at || size === 0);

/** Whether a changed file was replaced, truncated, or overwritten with the same number of bytes. */
const hasRestarted = (old: Looked | undefined, { size, inode }: Looked): boolean =>
  old !== undefined && (old.inode !== inode || size <= old.size);

function unknownIfUnreadable(error: unknown): null {
  if (error instanceof LogError) return null;
  throw error;
}

/** Current state of a run in a followed log. */
interface FollowedRun {
  readonly place: string;
  /** Paths of its files. */
  readonly files: readonly string[];
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
  readonly event: 'state' | 'finding';
  readonly file: string;
  readonly state: string | null;
  readonly rows: number;
  readonly step: number;
  readonly summary: string;
  readonly finding?: Finding;
}

/** What was reported of a run. */
interface Reported {
  readonly files: readonly string[];
  readonly state: string;
  readonly alerts: Set<string>;
}

/** Minimum confidence of a reported finding; weaker findings wait for more rows. */
const LEAST_CONFIDENCE = 0.4;

const isWeak = ({ confidence }: Finding) => confidence < LEAST_CONFIDENCE;

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
  /** By the place of the run. */
  const reported = new Map<string, Reported>();
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
    const { place, files, diagnosis, rows, end, unit } = run;
    const { changed, findings, summary } = diagnosis;
    const state = changed.outcome?.state ?? null;
    const common = { file: place, state, rows, step: end, summary };
    const name = state?.replaceAll('_', ' ') ?? 'no known score';
    const at = `${place}, ${unit} ${end.toLocaleString('en-US')}`;
    const before = reported.get(place);
    const now = { files, state: name, alerts: before?.alerts ?? new Set<string>() };
    reported.set(place, now);
    if (before?.state !== name) {
      await say({ event: 'state', ...common }, `${at}: ${name}. ${summary}`);
      // Alert on a failed outcome even without a known cause.
      if (hasFailed(changed) && findings.every(isWeak)) {
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
      if (now.alerts.has(finding.mode) || isWeak(finding)) continue;
      now.alerts.add(finding.mode);
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
      const restarted = new Set(source.restarted());
      for (const [place, { files }] of reported) {
        if (files.some((file) => restarted.has(file))) reported.delete(place);
      }
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
