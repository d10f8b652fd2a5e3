/** How fast the device is, measured on the way, so that no submission runs for too long. */

/** Browsers kill a submission that runs for seconds, and the page stands still while one runs. */
const LONGEST_MS = 200;

/** Measurements that are remembered for each label. */
const REMEMBERED = 8;

/** From when the device is given work until it has nothing left to do. */
interface BusyPeriod {
  /** Of all its submissions; null where they are of several. */
  label: string | null;
  readonly since: number;
  work: number;
  pending: number;
}

/**
 * Says where recorded work must be cut into submissions. Work is in units of the caller's own,
 * comparable within a label.
 */
export class Pace {
  readonly #rates = new Map<string, number[]>();
  #period: BusyPeriod | null = null;

  /** The most work that one submission of this label may hold; 0 before the first measurement. */
  budget(label: string): number {
    return LONGEST_MS * Math.max(0, ...(this.#rates.get(label) ?? []));
  }

  /**
   * Measures a submission together with those queued before it: a busy host cannot tell when each
   * finished. Notifications may be late but never early, so the greatest of the last few rates is
   * the most accurate.
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
    // A failure is the device's, which reports it itself.
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
