import type { DeviceCounters, Recorder, Tensor } from './device.ts';
import { KernelArgumentError } from './errors.ts';

/** State and argument checks that all devices share. */
export abstract class DeviceBase {
  readonly counters: DeviceCounters = {
    submissions: 0,
    dispatches: 0,
    buffers: 0,
    bufferBytes: 0,
    bindGroups: 0,
    pipelines: 0,
    uploadBytes: 0,
    readBytes: 0,
  };
  /** The first error that made this device unusable, if any. */
  failure: Error | undefined;
  readonly #failureListeners = new Set<(error: Error) => void>();

  abstract submit(
    label: string,
    record: (recorder: Recorder) => void,
    read?: readonly { readonly tensor: Tensor; readonly length: number }[],
  ): Promise<ArrayBuffer[]>;

  /**
   * Calls `listener` once with the error that made the device unusable, immediately if it already
   * is. Returns a function that removes the listener.
   */
  onFailure(listener: (error: Error) => void): () => void {
    if (this.failure) listener(this.failure);
    else this.#failureListeners.add(listener);
    return () => this.#failureListeners.delete(listener);
  }

  /** Marks the device unusable. Only the first error is kept. */
  protected fail(error: Error): void {
    if (this.failure) return;
    this.failure = error;
    for (const listener of this.#failureListeners) listener(error);
    this.#failureListeners.clear();
  }

  /** Throws the error that made the device unusable, if any. */
  check(): void {
    if (this.failure) throw this.failure;
  }

  /** Reads `length` elements back in a separate submission; for tests and tools. */
  async read(tensor: Tensor, length = tensor.length): Promise<ArrayBuffer> {
    const [data] = await this.submit(`read ${tensor.label}`, () => {}, [{ tensor, length }]);
    if (!data) throw new KernelArgumentError(tensor.label, 'nothing was read');
    return data;
  }
}

/** @throws KernelArgumentError unless `length` is a positive integer */
export function expectTensorLength(label: string, length: number): void {
  if (Number.isInteger(length) && length >= 1) return;
  throw new KernelArgumentError(label, `a tensor needs a positive whole length, got ${length}`);
}

/** @throws KernelArgumentError if the slice is out of bounds or misaligned (64 elements) */
export function expectSlice(tensor: Tensor, label: string, start: number, length: number): void {
  if (start % 64 === 0 && start + length <= tensor.length) return;
  throw new KernelArgumentError(label, `slice ${start}+${length} of ${tensor.length}`);
}

/** @throws KernelArgumentError if the data does not fit into the tensor at `start` */
export function expectUpload(tensor: Tensor, data: { readonly length: number }, start: number) {
  if (start + data.length <= tensor.length) return;
  throw new KernelArgumentError(
    tensor.label,
    `upload of ${data.length} elements at ${start} into ${tensor.length}`,
  );
}

/** @throws KernelArgumentError if the copy exceeds either tensor */
export function expectCopy(
  label: string,
  from: Tensor,
  start: number,
  to: Tensor,
  length: number,
): void {
  if (start + length <= from.length && length <= to.length) return;
  throw new KernelArgumentError(
    label,
    `copy of ${length} elements from ${start} of ${from.label} (${from.length}) to ${to.label} (${to.length})`,
  );
}
