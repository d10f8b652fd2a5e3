/**
 * A sweep's folder, the single source of truth: a restarted coordinator or worker reads its state
 * here. docs/SWEEPS.md describes each file.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricRow } from '../runs/metrics.ts';
import type { Sweep } from '../sweep/file.ts';
import {
  DEFAULT_AHEAD,
  type RunState,
  type RunStates,
  runName,
  runNames,
  type Trial,
} from '../sweep/plan.ts';
import { formatRecord, parseRecord, type RunRecord } from '../sweep/record.ts';
import { createWhole, isCode, isPart, isStorageError, replaceWhole } from './whole-files.node.ts';

/** The contents of sweep.json. */
interface KeptSweep {
  readonly palestra_sweep: 1;
  /** Identifies the sweep of this folder among all others, including in a queue. */
  readonly id: string;
  /** Equal for two sweeps that differ at most in name, description and number of trials. */
  readonly digest: string;
  readonly sweep: Sweep;
  /** Trials that `bayes` may run at once. */
  readonly ahead: number;
}

/** The last saved state of a run. */
interface KeptProgress {
  readonly iteration: number;
  readonly rows: readonly MetricRow[];
  readonly rungs: readonly (number | null)[];
  /** A checkpoint file; null before the first one has been saved. */
  readonly checkpoint: Uint8Array<ArrayBuffer> | null;
}

/** Thrown if a folder cannot be used. */
export class SweepFolderError extends Error {
  override readonly name = 'SweepFolderError';
}

const SWEEP = 'sweep.json';
const DEVICE = 'device.txt';
const TRIALS = 'trials';
const RUNS = 'runs';
const WORK = 'work';

/** Milliseconds after which the writer of an incomplete file has died. */
const STALE = 24 * 3_600_000;

export class SweepFolder {
  readonly path: string;
  readonly #records = new Map<string, RunRecord>();
  readonly #trials: Trial[] = [];
  readonly #rungs = new Map<string, readonly (number | null)[]>();

  private constructor(path: string) {
    this.path = path;
  }

  /** Whether a folder contains a sweep. */
  static holds(path: string): boolean {
    return existsSync(join(path, SWEEP));
  }

  /** @throws {SweepFolderError} if there is none */
  static open(path: string): SweepFolder {
    if (SweepFolder.holds(path)) return new SweepFolder(path);
    throw new SweepFolderError(`${path} contains no sweep; create one with npm run sweep`);
  }

  /**
   * Creates a sweep in a new or empty folder, or continues the existing one.
   *
   * @param ahead see `KeptSweep`; by default the value of the existing sweep
   * @throws {SweepFolderError} for a folder of another sweep, or with other files
   */
  static begin(path: string, sweep: Sweep, ahead?: number): SweepFolder {
    const folder = new SweepFolder(path);
    if (!SweepFolder.holds(path)) {
      mkdirSync(path, { recursive: true });
      const other = readdirSync(path).find((name) => !isPart(name));
      if (other !== undefined) {
        throw new SweepFolderError(
          `${path} is not empty: it contains ${other}; name another folder`,
        );
      }
      const id = randomBytes(6).toString('hex');
      const kept: KeptSweep = {
        ...{ palestra_sweep: 1, id, digest: digestOfSweep(sweep) },
        ...{ sweep, ahead: ahead ?? DEFAULT_AHEAD },
      };
      createWhole(join(path, SWEEP), `${JSON.stringify(kept, null, 1)}\n`);
      return folder;
    }
    const kept = folder.kept();
    if (digestOfSweep(sweep) !== kept.digest) {
      throw new SweepFolderError(
        `${path} contains another sweep, ${JSON.stringify(kept.sweep.name)}, or another version of this one; name another folder`,
      );
    }
    if (ahead !== undefined && ahead !== kept.ahead) {
      throw new SweepFolderError(
        `the sweep in ${path} was started with --ahead ${kept.ahead}, which is fixed for the whole sweep; omit --ahead ${ahead}`,
      );
    }
    folder.#removeStaleParts();
    // The name, the description and the number of trials may have changed.
    if (JSON.stringify(kept.sweep) !== JSON.stringify(sweep)) {
      replaceWhole(join(path, SWEEP), `${JSON.stringify({ ...kept, sweep }, null, 1)}\n`);
    }
    return folder;
  }

  #removeStaleParts(): void {
    const runs = names(join(this.path, WORK)).filter((name) => name.startsWith('trial-'));
    for (const folder of ['', TRIALS, RUNS, ...runs.map((run) => join(WORK, run))]) {
      for (const name of names(join(this.path, folder)).filter(isPart)) {
        const part = join(this.path, folder, name);
        // It may be gone by now.
        const written = statSync(part, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
        if (Date.now() - written > STALE) rmSync(part, { force: true });
      }
    }
  }

  kept(): KeptSweep {
    const file = join(this.path, SWEEP);
    const kept: KeptSweep = JSON.parse(readFileSync(file, 'utf8'));
    if (kept.palestra_sweep === 1) return kept;
    throw new SweepFolderError(`${file} was written by another version of Palestra`);
  }

  /**
   * Claims the sweep for a kind of device. The first claim decides, because other kinds round
   * differently.
   *
   * @returns the kind that computes the sweep
   */
  claimDevice(device: string): string {
    const file = join(this.path, DEVICE);
    if (createWhole(file, `${device}\n`)) return device;
    return readFileSync(file, 'utf8').trim();
  }

  /** The kind of device that computes the sweep; null before the first claim. */
  device(): string | null {
    const file = join(this.path, DEVICE);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  }

  /** The trials that have been started, in order. */
  trials(): readonly Trial[] {
    for (;;) {
      const file = join(this.path, TRIALS, `${fourDigits(this.#trials.length + 1)}.json`);
      if (!existsSync(file)) return [...this.#trials];
      this.#trials.push(JSON.parse(readFileSync(file, 'utf8')));
    }
  }

  keepTrial(trial: Trial): void {
    mkdirSync(join(this.path, TRIALS), { recursive: true });
    createWhole(
      join(this.path, TRIALS, `${fourDigits(trial.number)}.json`),
      `${JSON.stringify(trial)}\n`,
    );
  }

  /** All records so far, by run name. */
  records(): ReadonlyMap<string, RunRecord> {
    for (const name of names(join(this.path, RUNS))) {
      const run = /^(.*)[.]json$/.exec(name)?.[1];
      if (run === undefined || this.#records.has(run)) continue;
      const file = join(this.path, RUNS, name);
      this.#records.set(run, parseRecord(file, readFileSync(file, 'utf8')));
    }
    return this.#records;
  }

  /**
   * Stores the result of a run.
   *
   * @returns `again` if its record exists with the same bytes: it was computed twice
   * @throws {SweepFolderError} if its record exists with other bytes
   */
  keepRecord(record: RunRecord): 'kept' | 'again' {
    mkdirSync(join(this.path, RUNS), { recursive: true });
    const file = join(this.path, RUNS, `${record.run}.json`);
    const text = formatRecord(record);
    if (createWhole(file, text)) return 'kept';
    if (readFileSync(file, 'utf8') === text) return 'again';
    throw new SweepFolderError(
      `${record.run} was computed a second time with another result; ${file} is unchanged`,
    );
  }

  /** Whether every run of the sweep has a record. */
  isDone(): boolean {
    const found = new Set(names(join(this.path, RUNS)));
    return runNames(this.kept().sweep).every((run) => found.has(`${run}.json`));
  }

  hasRecord(run: string): boolean {
    return existsSync(join(this.path, RUNS, `${run}.json`));
  }

  /** The state of every run. */
  states(sweep: Sweep): RunStates {
    const states = new Map<string, RunState>();
    const records = this.records();
    for (const { number } of this.trials()) {
      for (const seed of sweep.seeds) {
        const run = runName(number, seed);
        const record = records.get(run);
        if (record !== undefined) states.set(run, record);
        else if (sweep.halving !== null) {
          states.set(run, { outcome: null, value: null, rungs: this.rungs(run) });
        }
      }
    }
    return states;
  }

  /** The metric at each rung that a run has reached. */
  rungs(run: string): readonly (number | null)[] {
    const known = this.#rungs.get(run) ?? [];
    const found = [...known];
    for (;;) {
      const file = join(this.#work(run), `rung-${found.length}.json`);
      if (!existsSync(file)) break;
      found.push(JSON.parse(readFileSync(file, 'utf8')));
    }
    if (found.length > known.length) this.#rungs.set(run, found);
    return found;
  }

  keepRung(run: string, rung: number, value: number | null): void {
    createWhole(join(this.#work(run), `rung-${rung}.json`), `${JSON.stringify(value)}\n`);
  }

  /**
   * Takes over a run: its previous owner can no longer save it.
   *
   * @returns the new epoch, from 1
   */
  takeOver(run: string): number {
    mkdirSync(this.#work(run), { recursive: true });
    for (let epoch = this.epoch(run) + 1; ; epoch++) {
      if (createWhole(join(this.#work(run), `epoch-${fourDigits(epoch)}`), '')) return epoch;
    }
  }

  /** Number of times that a run was taken over. */
  epoch(run: string): number {
    return names(this.#work(run)).reduce(
      (most, name) => Math.max(most, Number(/^epoch-(\d+)$/.exec(name)?.[1] ?? 0)),
      0,
    );
  }

  /** Whether a run still belongs to this epoch and has not ended. */
  isHeld(run: string, epoch: number): boolean {
    return this.epoch(run) === epoch && !this.hasRecord(run);
  }

  /**
   * Saves the state of a run. The file with the rows is written last and names its checkpoint by
   * digest; all but the two newest states are then removed.
   */
  keep(
    run: string,
    epoch: number,
    { iteration, rows, rungs, checkpoint }: KeptProgress & { readonly checkpoint: Uint8Array },
  ): void {
    const stem = `kept-${String(iteration).padStart(9, '0')}-${fourDigits(epoch)}`;
    const place = join(this.#work(run), stem);
    replaceWhole(`${place}.safetensors`, checkpoint);
    const text = { iteration, digest: digestOf(checkpoint), rungs, rows };
    replaceWhole(`${place}.json`, `${JSON.stringify(text)}\n`);
    for (const name of this.#kept(run).slice(2)) {
      for (const end of ['json', 'safetensors']) {
        rmSync(join(this.#work(run), `${name}.${end}`), { force: true });
      }
    }
  }

  /** The newest intact state of a run; damaged and incomplete ones are skipped. */
  newest(run: string): KeptProgress {
    for (const name of this.#kept(run)) {
      const place = join(this.#work(run), name);
      try {
        const { iteration, digest, rungs, rows } = JSON.parse(
          readFileSync(`${place}.json`, 'utf8'),
        );
        const checkpoint = new Uint8Array(readFileSync(`${place}.safetensors`));
        if (digestOf(checkpoint) === digest) return { iteration, rungs, rows, checkpoint };
      } catch (error) {
        const isGone = isCode(error, 'ENOENT');
        if (!isGone && !(error instanceof SyntaxError)) throw error;
      }
    }
    return { iteration: 0, rungs: [], rows: [], checkpoint: null };
  }

  /** Names of a run's saved states without extension, newest first. */
  #kept(run: string): readonly string[] {
    return names(this.#work(run))
      .flatMap((name) => /^(kept-\d+-\d+)[.]json$/.exec(name)?.[1] ?? [])
      .sort()
      .reverse();
  }

  /** Records that a run failed in an epoch. */
  keepFailure(run: string, epoch: number, message: string): void {
    createWhole(join(this.#work(run), `failed-${fourDigits(epoch)}`), message);
  }

  /**
   * Records that an epoch ended before the run did: its process is alive and no longer computes the
   * run. If that cannot be recorded, the epoch counts as a death.
   */
  keepEnd(run: string, epoch: number): void {
    try {
      createWhole(join(this.#work(run), `ended-${fourDigits(epoch)}`), '');
    } catch (error) {
      // The run may have finished in the meantime, which removes its files.
      if (!isCode(error, 'ENOENT') && !isStorageError(error)) throw error;
    }
  }

  /** Number of times that the process of a run died since the run last advanced. */
  deaths(run: string, epoch: number): number {
    const advanced = Number(/\d+$/.exec(this.#kept(run)[0] ?? '')?.[0] ?? 0);
    const others = names(this.#work(run)).flatMap((name) => {
      const ended = Number(/^(?:ended|failed)-(\d+)$/.exec(name)?.[1] ?? 0);
      return ended > advanced && ended < epoch ? [ended] : [];
    });
    return Math.max(0, epoch - 1 - advanced) - new Set(others).size;
  }

  /** Changes whenever the owner of a run saves it; null if the run has no owner that may save it. */
  trace(run: string): string | null {
    const found = names(this.#work(run));
    const newest = this.epoch(run);
    if (newest === 0) return null;
    const epoch = fourDigits(newest);
    const ended = ['ended', 'failed'].some((end) => found.includes(`${end}-${epoch}`));
    if (ended || this.hasRecord(run)) return null;
    return `${epoch} ${this.#kept(run)[0] ?? ''}`;
  }

  /** Number of times that a run failed. */
  failures(run: string): number {
    return names(this.#work(run)).filter((name) => /^failed-\d+$/.test(name)).length;
  }

  /** Removes the files needed to resume a run. */
  clear(run: string): void {
    // Another process may add a file meanwhile.
    rmSync(this.#work(run), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Writes a results file. */
  write(name: string, contents: string): void {
    replaceWhole(join(this.path, name), contents);
  }

  #work(run: string): string {
    return join(this.path, WORK, run);
  }
}

/** Two sweeps are the same if they differ only in name, description and number of trials. */
function digestOfSweep({ name: _, description: __, trials: ___, ...rest }: Sweep): string {
  return createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, 12);
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const fourDigits = (value: number) => String(value).padStart(4, '0');

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}
