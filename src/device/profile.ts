/** Where a device's time goes between two moments. */

/** What was spent under one name. */
export interface ProfileShare {
  /** Submissions of this label, or dispatches of this kernel. */
  readonly count: number;
  readonly busyMs: number;
}

/** Between `Device.startProfile` and `Device.stopProfile`. */
export interface DeviceProfile {
  /**
   * `device`: the adapter's timestamps, from the start of a submission's first pass to the end of
   * its last; on the processor, the time its kernels ran. `host`: from a submission, or the end of
   * the previous one, until the host is notified of its completion; an upper bound, because a busy
   * host is notified late.
   */
  readonly clock: 'device' | 'host';
  /** Until all work was done. */
  readonly wallMs: number;
  /** Time in which the device computed; 1 − busyMs / wallMs is the share in which it was idle. */
  readonly busyMs: number;
  /** Time in which the host recorded and handed over work. */
  readonly recordMs: number;
  readonly submissions: number;
  readonly dispatches: number;
  readonly uploadBytes: number;
  readonly readBytes: number;
  readonly bySubmission: Readonly<Record<string, ProfileShare>>;
  /** By kernel, with the `kernel` detail; empty without it. */
  readonly byKernel: Readonly<Record<string, ProfileShare>>;
}

/**
 * `kernel` measures each dispatch separately, which costs a little; a GPU needs timestamps for it.
 */
export type ProfileDetail = 'submission' | 'kernel';

/** Adds up times by name. */
export class Shares {
  total = 0;
  readonly #shares = new Map<string, { count: number; busyMs: number }>();

  add(name: string, ms: number): void {
    const share = this.#shares.get(name) ?? { count: 0, busyMs: 0 };
    share.count += 1;
    share.busyMs += ms;
    this.total += ms;
    this.#shares.set(name, share);
  }

  /** The dearest first. */
  record(): Record<string, ProfileShare> {
    return Object.fromEntries([...this.#shares].sort(([, a], [, b]) => b.busyMs - a.busyMs));
  }
}
