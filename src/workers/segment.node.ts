/** Plays a segment of a run: from its newest checkpoint to the next rung, or to its end. */
import { ConfigError } from '../config/error.ts';
import type { Config } from '../config/schema.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { decodeCheckpoint, encodeCheckpoint } from '../runs/checkpoint.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { Sweep } from '../sweep/file.ts';
import type { Segment, Trial } from '../sweep/plan.ts';
import {
  endValue,
  keptRow,
  lastPoint,
  makeRecord,
  pointsOf,
  type RunRecord,
} from '../sweep/record.ts';
import { trialConfig } from '../sweep/settings.ts';
import { createRun, resumeRun } from '../training/create-run.ts';
import { drive } from '../training/drive.ts';
import type { Trainer } from '../training/trainer.ts';
import { type SweepFolder, SweepFolderError } from './sweep-folder.node.ts';
import { isStorageError } from './whole-files.node.ts';

/** How a segment ended. */
export type SegmentEnd =
  | { readonly kind: 'finished' | 'rung' | 'interrupted' }
  /** Another worker has taken over the run, or the run has ended. */
  | { readonly kind: 'superseded' }
  /** The run had already finished, with an identical record. */
  | { readonly kind: 'again' }
  /** The folder could not be read or written; earlier checkpoints of the run remain. */
  | { readonly kind: 'blocked'; readonly message: string }
  /** The run is retried, unless `last` is set because it has failed too often. */
  | { readonly kind: 'failed'; readonly message: string; readonly last: boolean };

interface SegmentMachine {
  readonly createPolicy: CreatePolicy;
  /** The kind of device, as run records name it. */
  readonly device: string;
  /** Seconds between checkpoints within a segment. */
  readonly keepEvery: number;
  /** Whether to save the run and end the segment now. */
  readonly interrupted: () => boolean;
  readonly onIteration: (iteration: number) => void;
  /** Receives errors that do not end the segment. */
  readonly log: (line: string) => void;
}

/** Number of failures after which a run is recorded as failed. */
const MOST_FAILURES = 3;
/**
 * Number of worker deaths without a new checkpoint after which a run is recorded as failed, because it
 * may be their cause.
 */
const MOST_DEATHS = 25;

/** Resolves with how the segment ended; never throws. */
export async function playSegment(
  folder: SweepFolder,
  sweep: Sweep,
  segment: Segment,
  machine: SegmentMachine,
): Promise<SegmentEnd> {
  try {
    return await playOwned(folder, sweep, segment, machine);
  } catch (error) {
    // The folder cannot be used, so a failure could not be recorded there either.
    return { kind: 'blocked', message: messageOf(error) };
  }
}

async function playOwned(
  folder: SweepFolder,
  sweep: Sweep,
  segment: Segment,
  machine: SegmentMachine,
): Promise<SegmentEnd> {
  const { run } = segment;
  if (folder.hasRecord(run)) return { kind: 'superseded' };
  const trial = folder.trials().find(({ number }) => number === segment.trial);
  if (trial === undefined) throw new Error(`there is no trial ${segment.trial}`);
  const epoch = folder.takeOver(run);
  if (folder.hasRecord(run)) {
    // Another worker finished it in the meantime.
    folder.clear(run);
    return { kind: 'superseded' };
  }
  const player = new Player(folder, sweep, segment, trial, epoch, machine);
  const end = await endOf(player, folder.deaths(run, epoch));
  if (end.kind !== 'finished' && end.kind !== 'again') folder.keepEnd(run, epoch);
  return end;
}

async function endOf(player: Player, deaths: number): Promise<SegmentEnd> {
  try {
    if (deaths >= MOST_DEATHS) throw new LastError(`its worker died ${deaths} times`);
    return await player.play();
  } catch (error) {
    return player.failed(error);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Thrown if a retry cannot succeed. */
class LastError extends Error {}

/** A run in one epoch, from its takeover to the end of the segment. */
class Player {
  readonly #folder: SweepFolder;
  readonly #sweep: Sweep;
  readonly #segment: Segment;
  readonly #trial: Trial;
  readonly #epoch: number;
  readonly #machine: SegmentMachine;
  #rows: MetricRow[] = [];
  #rungs: (number | null)[] = [];

  constructor(
    folder: SweepFolder,
    sweep: Sweep,
    segment: Segment,
    trial: Trial,
    epoch: number,
    machine: SegmentMachine,
  ) {
    this.#folder = folder;
    this.#sweep = sweep;
    this.#segment = segment;
    this.#trial = trial;
    this.#epoch = epoch;
    this.#machine = machine;
  }

  async play(): Promise<SegmentEnd> {
    const { createPolicy, interrupted, onIteration, keepEvery } = this.#machine;
    const config = trialConfig(this.#trial.values, this.#segment.seed);
    const { rows, rungs, checkpoint } = this.#folder.newest(this.#segment.run);
    this.#rows = [...rows];
    this.#rungs = [...rungs];
    const run =
      checkpoint === null
        ? await createRun({ config, createPolicy })
        : await resumeRun(decodeCheckpoint(checkpoint), { config, createPolicy });
    try {
      onIteration(run.iteration);
      let kept = performance.now();
      for await (const { metrics } of drive(run, () => !interrupted() && !this.#atRung())) {
        this.#rows.push(keptRow(metrics));
        onIteration(run.iteration);
        if (performance.now() - kept > 1000 * keepEvery) {
          if (!(await this.#tryToKeep(run))) return { kind: 'superseded' };
          kept = performance.now();
        }
      }
      if (run.finished) return await this.#finish(run);
      return (await this.#atItsRung(run)) ?? { kind: 'interrupted' };
    } finally {
      run.destroy();
    }
  }

  /** Saves a run at the end of its segment; returns null if it was interrupted before its rung. */
  async #atItsRung(run: Trainer): Promise<SegmentEnd | null> {
    const { rung } = this.#segment;
    const reached = rung !== null && this.#atRung() ? rung : null;
    // A worker may have died after saving the run and before reporting the rung.
    if (reached !== null && this.#rungs.length <= reached) {
      this.#rungs.push(lastPoint(this.#rows, this.#sweep.metric.key));
    }
    if (!(await this.#keep(run))) return { kind: 'superseded' };
    if (reached === null) return null;
    this.#folder.keepRung(this.#segment.run, reached, this.#rungs[reached] ?? null);
    return { kind: 'rung' };
  }

  /** Whether the run has reached the rung at which the segment ends. */
  #atRung(): boolean {
    const { rung } = this.#segment;
    if (rung === null || this.#rungs.length > rung) return rung !== null;
    const points = this.#sweep.halving?.rungs[rung] ?? Number.POSITIVE_INFINITY;
    return pointsOf(this.#rows, this.#sweep.metric.key) >= points;
  }

  /** Like `#keep`, but logs a storage error, which costs only this checkpoint. */
  async #tryToKeep(run: Trainer): Promise<boolean> {
    try {
      return await this.#keep(run);
    } catch (error) {
      if (!isStorageError(error)) throw error;
      this.#machine.log(`${this.#segment.run} could not be saved: ${error.message}`);
      return true;
    }
  }

  /** Saves the run. @returns false if another worker has the run now */
  async #keep(run: Trainer): Promise<boolean> {
    const checkpoint = encodeCheckpoint(await run.checkpoint());
    if (!this.#folder.isHeld(this.#segment.run, this.#epoch)) return false;
    this.#folder.keep(this.#segment.run, this.#epoch, {
      iteration: run.iteration,
      rows: this.#rows,
      rungs: this.#rungs,
      checkpoint,
    });
    return true;
  }

  async #finish(run: Trainer): Promise<SegmentEnd> {
    const evaluation = keptRow((await run.evaluate()).metrics);
    const { run: name } = this.#segment;
    // If the run has ended in the meantime, its record is compared with this one.
    if (!this.#folder.isHeld(name, this.#epoch) && !this.#folder.hasRecord(name)) {
      return { kind: 'superseded' };
    }
    const kept = this.#record({
      outcome: 'finished',
      reason: run.stopped ?? '',
      value: endValue(this.#sweep.metric.key, this.#rows, evaluation),
      evaluation,
    });
    return { kind: kept === 'again' ? 'again' : 'finished' };
  }

  failed(error: unknown): SegmentEnd {
    const { run } = this.#segment;
    if (isStorageError(error)) return { kind: 'blocked', message: error.message };
    // The run has a record with another result.
    if (error instanceof SweepFolderError) this.#machine.log(error.message);
    if (!this.#folder.isHeld(run, this.#epoch)) return { kind: 'superseded' };
    const message = messageOf(error);
    this.#folder.keepFailure(run, this.#epoch, message);
    const isLast =
      error instanceof LastError ||
      error instanceof ConfigError ||
      this.#folder.failures(run) >= MOST_FAILURES;
    if (isLast) {
      this.#record({ outcome: 'failed', reason: message, value: null, evaluation: null });
    }
    return { kind: 'failed', message, last: isLast };
  }

  #record(end: Parameters<typeof makeRecord>[2]): 'kept' | 'again' {
    const { run, seed } = this.#segment;
    const { number: trial, values } = this.#trial;
    const config = configOf(this.#trial, seed);
    const { device } = this.#machine;
    const kept = this.#folder.keepRecord(
      makeRecord(
        { run, trial, seed, values, config, device },
        { rows: this.#rows, rungs: this.#rungs },
        end,
      ),
    );
    this.#folder.clear(run);
    return kept;
  }
}

function configOf({ values }: Trial, seed: number): Config | null {
  try {
    return trialConfig(values, seed);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** The record of a run that is stopped at its newest checkpoint. */
export function stoppedRecord(
  folder: SweepFolder,
  trial: Trial,
  { run, seed, rung }: Segment,
  device: string | null,
): RunRecord {
  const { rows, rungs } = folder.newest(run);
  return makeRecord(
    {
      ...{ run, seed, device },
      trial: trial.number,
      values: trial.values,
      config: configOf(trial, seed),
    },
    { rows, rungs },
    {
      outcome: 'stopped',
      reason: `rung ${(rung ?? 0) + 1}`,
      value: rungs.at(-1) ?? null,
      evaluation: null,
    },
  );
}
