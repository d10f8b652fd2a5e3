/** Device time by submission and kernel over a period. */

/** Time spent under one name. */
export interface ProfileShare {
  /** Number of submissions with this label, or of dispatches of this kernel. */
  readonly count: number;
  readonly busyMs: number;
}

/** Measurements between `Device.startProfile` and `Device.stopProfile`. */
export interface DeviceProfile {
  /**
   * `device`: adapter timestamps, from the start of a submission's first pass to the end of its
   * last; on the processor, the time its kernels ran. `host`: from a submission, or from the end of
   * the previous one, until the host is notified of its completion; an upper bound, because a busy
   * host is notified late.
   */
  readonly clock: 'device' | 'host';
  /** Wall-clock time until all work was done. */
  readonly wallMs: number;
  /** Time in which the device computed; its idle share is 1 − busyMs / wallMs. */
  readonly busyMs: number;
  /** Time the host spent recording and submitting work. */
  readonly recordMs: number;
  readonly submissions: number;
  readonly dispatches: number;
  readonly uploadBytes: number;
  readonly readBytes: number;
  readonly bySubmission: Readonly<Record<string, ProfileShare>>;
  /** By kernel; empty unless the detail is `kernel`. */
  readonly byKernel: Readonly<Record<string, ProfileShare>>;
}

/**
 * `kernel` measures each dispatch separately, with a small overhead; on a GPU it needs timestamps.
 */
export type ProfileDetail = 'submission' | 'kernel';

/** Accumulates times by name. */
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

  /** Totals by name, longest first. */
  record(): Record<string, ProfileShare> {
    return Object.fromEntries([...this.#shares].sort(([, a], [, b]) => b.busyMs - a.busyMs));
  }
}
