import type { Config } from '../config/schema.ts';
import type { KeptStudent } from '../runs/checkpoint.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { type RandomStreams, restoreStreams, type StreamName, streamStates } from './random.ts';
import type { Student, StudentState } from './student.ts';

/** The result of pre-training a run's students. */
interface Start {
  readonly metrics: MetricRow;
  readonly students: ReadonlyMap<string, readonly [KeptStudent, StudentState]>;
  readonly streams: Readonly<Record<StreamName, readonly number[]>>;
}

/**
 * Caches pre-training (supervision before any reward). Runs of an experiment that differ only in
 * later phases share it bit for bit: the first run computes it, the others reuse it. Without a
 * cache, a run computes the same result.
 */
export class Starts {
  readonly #starts = new Map<string, Start>();

  /**
   * Trains students, or gives them the result of an earlier run with the same settings.
   *
   * @param what name of this pre-training
   * @param settings all settings that determine the result
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
      if (kept === undefined) throw new TypeError(`no ${role} was trained`);
      student.restore(...kept);
    }
    restoreStreams(streams, known.streams);
    return known.metrics;
  }
}
