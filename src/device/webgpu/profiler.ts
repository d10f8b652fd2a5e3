/** Where the GPU's time goes between two moments. */

import { type DeviceProfile, type ProfileDetail, Shares } from '../profile.ts';

/** Most queries that WebGPU lets one set have. */
const MOST_QUERIES = 4096;
const QUERY_BYTES = 8;

interface ProfiledSubmission {
  readonly label: string;
  submittedAt: number;
  doneAt: number;
  /** Query pairs in the order of the passes, with the kernel where each pass is one dispatch. */
  readonly passes: { readonly pair: number; readonly kernel: string | undefined }[];
}

/** Takes a profile; `Gpu` tells it of every submission. */
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

  /** A submission that begins to be recorded. */
  begin(label: string): ProfiledSubmission {
    return { label, submittedAt: 0, doneAt: 0, passes: [] };
  }

  /** Where a pass is to write its times. */
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

  /** It was handed over just now; recording it took `recordMs` of the host's time. */
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

  /** Waits for what was submitted, and adds it up. */
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

  /** When each submission was computed, none before the one before it was done. */
  #timed(times: BigUint64Array): ProfiledSubmission[] {
    let free = Number.NEGATIVE_INFINITY;
    return this.#submissions.map((submission) => {
      const first = submission.passes[0];
      const last = submission.passes.at(-1);
      let { submittedAt, doneAt } = submission;
      if (this.#timestamps) {
        // A submission of copies alone has no pass, and no time that the device would tell.
        submittedAt = first ? elapsed(times, 0, 2 * first.pair) : free;
        doneAt = last ? elapsed(times, 0, 2 * last.pair + 1) : free;
      }
      submittedAt = Math.max(submittedAt, free);
      doneAt = Math.max(doneAt, submittedAt);
      free = doneAt;
      return { ...submission, submittedAt, doneAt };
    });
  }

  /** (2·pairs) nanoseconds. */
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

/** Milliseconds from one query to another. */
function elapsed(times: BigUint64Array, from: number, to: number): number {
  return Number((times[to] ?? 0n) - (times[from] ?? 0n)) / 1e6;
}
