import type { Config } from '../config/schema.ts';
import type { KeptStudent } from '../runs/checkpoint.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { type RandomStreams, restoreStreams, type StreamName, streamStates } from './random.ts';
import type { Student, StudentState } from './student.ts';

/** What a run has when its students have been taught. */
interface Start {
  readonly metrics: MetricRow;
  readonly students: ReadonlyMap<string, readonly [KeptStudent, StudentState]>;
  readonly streams: Readonly<Record<StreamName, readonly number[]>>;
}

/**
 * What the students of earlier runs were taught before any reward. Runs of an experiment that differ in
 * what comes after are taught the same, bit for bit; the later ones take it from here. A run is the same
 * with and without.
 */
export class Starts {
  readonly #starts = new Map<string, Start>();

  /**
   * Teaches students, or hands them what those of a run with the same settings were taught.
   *
   * @param what a name for what is taught
   * @param settings all that decides what is taught
   */
  async taught(
    what: string,
    settings: Partial<Config>,
    students: ReadonlyMap<string, Student>,
    streams: RandomStreams,
    teach: () => Promise<MetricRow>,
  ): Promise<MetricRow> {
    const key = JSON.stringify([what, settings]);
    const known = this.#starts.get(key);
    if (known === undefined) {
      const metrics = await teach();
      this.#starts.set(key, {
        metrics,
        students: new Map(
          await Promise.all(
            [...students].map(
              async ([role, student]) => [role, [await student.keep(), student.state()]] as const,
            ),
          ),
        ),
        streams: streamStates(streams),
      });
      return metrics;
    }
    for (const [role, student] of students) {
      const kept = known.students.get(role);
      if (kept === undefined) throw new TypeError(`nobody was taught as ${role}`);
      student.restore(...kept);
    }
    restoreStreams(streams, known.streams);
    return known.metrics;
  }
}
