/** Measures GPU time by submission and kernel over a period. */

import { type DeviceProfile, type ProfileDetail, Shares } from '../profile.ts';

/** Maximum number of queries in a `GPUQuerySet`. */
const MOST_QUERIES = 4096;
const QUERY_BYTES = 8;

interface ProfiledSubmission {
  readonly label: string;
  submittedAt: number;
  doneAt: number;
  /** Query pairs in pass order, with the kernel if each pass is one dispatch. */
  readonly passes: { readonly pair: number; readonly kernel: string | undefined }[];
}

/** Collects one profile; `Gpu` reports every submission to it. */
export class Profiler {
  readonly detail: ProfileDetail;
  readonly startedAt = performance.now();
  readonly #device: GPUDevice;
  readonly #timestamps: boolean;
  readonly #querySets: GPUQuerySet[] = [];
  #pairs = 0;
  readonly #submissions: ProfiledSubmission[] = [];
  readonly #done: Promise<void>[] = [];
  #recordMs = 0;

  constructor(device: GPUDevice, detail: ProfileDetail) {
    this.#device = device;
    this.#timestamps = device.features.has('timestamp-query');
    this.detail = detail;
    if (detail === 'kernel' && !this.#timestamps) {
      throw new Error(
        'This adapter has no timestamps, so kernels cannot be timed one by one; profile submissions instead.',
      );
    }
  }

  /** Creates the record of a submission whose recording begins. */
  begin(label: string): ProfiledSubmission {
    return { label, submittedAt: 0, doneAt: 0, passes: [] };
  }

  /** Timestamp queries for a new pass; empty without timestamp support. */
  pass(
    submission: ProfiledSubmission,
    kernel: string | undefined,
  ): { readonly timestampWrites?: GPUComputePassTimestampWrites } {
    if (!this.#timestamps) return {};
    const pair = this.#pairs++;
    const index = (2 * pair) % MOST_QUERIES;
    let querySet = this.#querySets[Math.floor((2 * pair) / MOST_QUERIES)];
    if (!querySet) {
      querySet = this.#device.createQuerySet({ type: 'timestamp', count: MOST_QUERIES });
      this.#querySets.push(querySet);
    }
    submission.passes.push({ pair, kernel });
    const timestampWrites = {
      querySet,
      beginningOfPassWriteIndex: index,
      endOfPassWriteIndex: index + 1,
    };
    return { timestampWrites };
  }

  /** Called right after a submission; recording it took `recordMs` of host time. */
  submitted(submission: ProfiledSubmission, recordMs: number): void {
    submission.submittedAt = performance.now();
    this.#recordMs += recordMs;
    this.#submissions.push(submission);
    this.#done.push(
      this.#device.queue.onSubmittedWorkDone().then(() => {
        submission.doneAt = performance.now();
      }),
    );
  }

  /** Waits for all submitted work and sums up its times. */
  async finish(): Promise<
    Pick<DeviceProfile, 'clock' | 'wallMs' | 'busyMs' | 'recordMs' | 'bySubmission' | 'byKernel'>
  > {
    await this.#device.queue.onSubmittedWorkDone();
    const wallMs = performance.now() - this.startedAt;
    await Promise.all(this.#done);
    const times = await this.#readTimes();
    const bySubmission = new Shares();
    const byKernel = new Shares();
    for (const { label, submittedAt, doneAt, passes } of this.#timed(times)) {
      bySubmission.add(label, doneAt - submittedAt);
      if (this.detail === 'kernel') {
        for (const { pair, kernel } of passes) {
          byKernel.add(kernel ?? label, elapsed(times, 2 * pair, 2 * pair + 1));
        }
      }
    }
    return {
      clock: this.#timestamps ? 'device' : 'host',
      wallMs,
      busyMs: bySubmission.total,
      recordMs: this.#recordMs,
      bySubmission: bySubmission.record(),
      byKernel: byKernel.record(),
    };
  }

  /** Start and end of each submission, adjusted so that consecutive ones do not overlap. */
  #timed(times: BigUint64Array): ProfiledSubmission[] {
    let free = Number.NEGATIVE_INFINITY;
    return this.#submissions.map((submission) => {
      const first = submission.passes[0];
      const last = submission.passes.at(-1);
      let { submittedAt, doneAt } = submission;
      if (this.#timestamps) {
        // A submission with only copies has no pass, hence no timestamps.
        submittedAt = first ? elapsed(times, 0, 2 * first.pair) : free;
        doneAt = last ? elapsed(times, 0, 2 * last.pair + 1) : free;
      }
      submittedAt = Math.max(submittedAt, free);
      doneAt = Math.max(doneAt, submittedAt);
      free = doneAt;
      return { ...submission, submittedAt, doneAt };
    });
  }

  /** Timestamps (2·pairs) in nanoseconds: start and end of each pass. */
  async #readTimes(): Promise<BigUint64Array> {
    const bytes = 2 * this.#pairs * QUERY_BYTES;
    if (bytes === 0) return new BigUint64Array();
    const size = this.#querySets.length * MOST_QUERIES * QUERY_BYTES;
    const resolved = this.#device.createBuffer({
      label: 'profile',
      size,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    const staging = this.#device.createBuffer({
      label: 'profile staging',
      size,
      usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    });
    const encoder = this.#device.createCommandEncoder({ label: 'profile' });
    this.#querySets.forEach((querySet, i) => {
      const count = Math.min(MOST_QUERIES, 2 * this.#pairs - i * MOST_QUERIES);
      encoder.resolveQuerySet(querySet, 0, count, resolved, i * MOST_QUERIES * QUERY_BYTES);
    });
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ, 0, bytes);
    const times = new BigUint64Array(staging.getMappedRange(0, bytes).slice(0));
    resolved.destroy();
    staging.destroy();
    for (const querySet of this.#querySets) querySet.destroy();
    return times;
  }
}

/** Milliseconds between two queries. */
function elapsed(times: BigUint64Array, from: number, to: number): number {
  return Number((times[to] ?? 0n) - (times[from] ?? 0n)) / 1e6;
}
