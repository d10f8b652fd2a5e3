/** Limits how long a submission runs, using throughput measured during the run. */

/** Browsers kill a submission that runs for seconds, and the page freezes while one runs. */
const LONGEST_MS = 200;

/** Number of measurements kept per label. */
const REMEMBERED = 8;

/** A period without idle time, from work given to an idle device until all work is done. */
interface BusyPeriod {
  /** Label shared by all its submissions; null if they differ. */
  label: string | null;
  readonly since: number;
  work: number;
  pending: number;
}

/**
 * Decides where recorded work must be split into several submissions. The caller chooses the unit
 * of work; it must be the same within a label.
 */
export class Pace {
  readonly #rates = new Map<string, number[]>();
  #period: BusyPeriod | null = null;

  /** Maximum work of one submission with this label; 0 before the first measurement. */
  budget(label: string): number {
    return LONGEST_MS * Math.max(0, ...(this.#rates.get(label) ?? []));
  }

  /**
   * Measures a submission together with those queued before it, because a busy host cannot
   * determine when each one finished. Notifications may be late but never early, so the highest of
   * the last few rates is the most accurate.
   */
  submitted(label: string, work: number, done: () => Promise<undefined>): void {
    this.#period ??= { label, since: performance.now(), work: 0, pending: 0 };
    const period = this.#period;
    if (period.label !== label) period.label = null;
    period.work += work;
    period.pending += 1;
    const finish = () => {
      period.pending -= 1;
      if (period.pending === 0) this.#end(period);
    };
    // The device reports its own failures.
    done().then(finish, finish);
  }

  #end({ label, since, work }: BusyPeriod): void {
    this.#period = null;
    if (label === null || work === 0) return;
    const rates = this.#rates.get(label) ?? [];
    rates.push(work / Math.max(performance.now() - since, 1e-3));
    if (rates.length > REMEMBERED) rates.shift();
    this.#rates.set(label, rates);
  }
}
