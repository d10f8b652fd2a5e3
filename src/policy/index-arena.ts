import { type Device, KernelArgumentError, type Recorder, type Tensor } from '../device/index.ts';

/** Index arrays and the tensors that the kernels read them from. */
export type IndexArrays = readonly (readonly [to: Tensor, data: Uint32Array])[];

/** Records the copies of what was placed to where the kernels read it. */
export type Load = (d: Recorder) => void;

/**
 * The way of index arrays to the GPU. The kernels read the indices of every pass from the same
 * tensors, so that bind groups are made once; those of all passes of a submission wait here, side by
 * side, and each pass copies its own into place. Only what was submitted before may be overwritten.
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

  /** Forgets what was placed, once it has been submitted. */
  restart(): void {
    this.#used = 0;
  }

  hasRoom(arrays: IndexArrays): boolean {
    return this.#used + lengthOf(arrays) <= this.#host.length;
  }

  /** @throws KernelArgumentError where there is no room. */
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

  /** Sends what was placed, before it is submitted. */
  upload(): void {
    this.#device.upload(this.#tensor, this.#host.subarray(0, this.#used));
  }
}

function lengthOf(arrays: IndexArrays): number {
  return arrays.reduce((sum, [, { length }]) => sum + length, 0);
}
