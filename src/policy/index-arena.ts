import { type Device, KernelArgumentError, type Recorder, type Tensor } from '../device/index.ts';

/** Index arrays with the tensors to copy them to. */
export type IndexArrays = readonly (readonly [to: Tensor, data: Uint32Array])[];

/** Records the copies of placed arrays to their tensors. */
export type Load = (d: Recorder) => void;

/**
 * Staging buffer for index arrays. Kernels read the indices of every pass from the same tensors, so
 * that bind groups are created once. The arena holds the indices of all passes of a submission, and
 * each pass copies its own into the tensors. Contents may be overwritten only after submission.
 */
export class IndexArena {
  readonly #device: Device;
  readonly #tensor: Tensor;
  readonly #host: Uint32Array;
  #used = 0;

  constructor(device: Device, tensor: Tensor) {
    this.#device = device;
    this.#tensor = tensor;
    this.#host = new Uint32Array(tensor.length);
  }

  /** Clears the arena after a submission. */
  restart(): void {
    this.#used = 0;
  }

  hasRoom(arrays: IndexArrays): boolean {
    return this.#used + lengthOf(arrays) <= this.#host.length;
  }

  /** @throws KernelArgumentError if there is not enough room. */
  place(arrays: IndexArrays): Load {
    if (!this.hasRoom(arrays)) {
      throw new KernelArgumentError('index arena', `no room for ${lengthOf(arrays)} elements`);
    }
    const copies = arrays.map(([to, data]) => {
      const start = this.#used;
      this.#host.set(data, start);
      this.#used += data.length;
      return { start, to, length: data.length };
    });
    return (d) => {
      for (const { start, to, length } of copies) d.copy(this.#tensor, start, to, length);
    };
  }

  /** Uploads the placed arrays; call before submitting. */
  upload(): void {
    this.#device.upload(this.#tensor, this.#host.subarray(0, this.#used));
  }
}

function lengthOf(arrays: IndexArrays): number {
  return arrays.reduce((sum, [, { length }]) => sum + length, 0);
}
