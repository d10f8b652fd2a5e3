import type { ProcessorKernels } from './processor/kernel.ts';
import type { DeviceProfile, ProfileDetail } from './profile.ts';

/**
 * How a device computes, by which kernels choose a variant: `gpu`, thousands of invocations with
 * their own registers; `quads`, an emulated GPU that runs four neighbouring invocations as the
 * lanes of one vector register, so they should load together and exchange values; `processor`,
 * WebAssembly, where a kernel is one function without workgroups.
 */
export type DeviceKind = 'gpu' | 'quads' | 'processor';

/** What runs the kernels, for reports and for the page. */
export interface DeviceDescription {
  /** In words, for people. */
  readonly name: string;
  /** All that the driver or the engine says of itself, for records. */
  readonly detail: string;
  /** True where a processor imitates a GPU (SwiftShader, llvmpipe, WARP). */
  readonly software: boolean;
  /** Threads that compute, on the processor; 0 on WebGPU, which does not tell. */
  readonly threads: number;
  /** Bytes of all its tensors, and of one of them, at most; Infinity where it does not tell. */
  readonly room: { readonly total: number; readonly tensor: number };
  /** Optional WebGPU features that it has. */
  readonly features: readonly string[];
}

/** `length` elements of 32 bits on a device. Where they lie is the device's own business. */
export interface Tensor {
  readonly label: string;
  readonly length: number;
}

/** How the arguments of an entry point reach it in WGSL. */
export interface Signature {
  /** Tensors, in the order of their bindings. */
  readonly bindings: readonly {
    readonly name: string;
    readonly binding: number;
    /** Whether the kernel may write it. */
    readonly written: boolean;
  }[];
  /** The numbers of a dispatch; null for an entry point without any. */
  readonly params: {
    readonly binding: number;
    /** Of the whole struct. */
    readonly bytes: number;
    readonly fields: readonly {
      readonly name: string;
      /** In bytes. */
      readonly offset: number;
      readonly kind: 'u32' | 'i32' | 'f32';
    }[];
  } | null;
}

/** A WGSL file: its text, and what was read of its entry points when the program was built. */
export interface Shader {
  readonly text: string;
  readonly signatures: Readonly<Record<string, Signature>>;
}

/** One entry point of a kernel with the constants it is compiled for. */
export interface KernelEntry {
  /** Name of the WGSL file without ending. With `entry` it names the kernel on every device. */
  readonly kernel: string;
  readonly code: Shader;
  readonly entry: string;
  /** Compile-time constants, in WGSL written before the code as `const NAME: u32 = …u;`. */
  readonly constants?: Readonly<Record<string, number>>;
  /** Directives that the code needs, such as `enable subgroups;`; they stand before everything. */
  readonly directives?: string;
}

/** What kernels are dispatched on: a recording, or a list of kernels to compile ahead. */
export interface Dispatcher {
  readonly kind: DeviceKind;
  dispatch(
    kernel: KernelEntry,
    tensors: Readonly<Record<string, Tensor>>,
    params: Readonly<Record<string, number>>,
    workgroups: readonly [number, number?, number?],
  ): void;
}

/** Records one submission. */
export interface Recorder extends Dispatcher {
  /** Fills with zeros. */
  clear(tensor: Tensor): void;
  /** Copies `length` elements from `start` of one tensor to the beginning of another. */
  copy(from: Tensor, start: number, to: Tensor, length: number): void;
  /**
   * Says that what follows is about so much work, in units that are the same for all submissions of
   * this label. Where it would make a submission run too long, another begins here.
   */
  piece(work: number): void;
}

/** How many objects and submissions were made; a steady loop makes no new objects. */
export interface DeviceCounters {
  submissions: number;
  dispatches: number;
  buffers: number;
  bufferBytes: number;
  bindGroups: number;
  pipelines: number;
  /** Bytes that went to the device, uniforms included, and that came back. */
  uploadBytes: number;
  readBytes: number;
}

/** What computes: a GPU, or the processor. Kernels, policy and training know no more of it. */
export interface Device {
  readonly kind: DeviceKind;
  readonly description: DeviceDescription;
  readonly counters: DeviceCounters;
  /** The first error that ended this device's use, if any. */
  readonly failure: Error | undefined;

  /** Calls back once, with the first error that ended the device's use. Returns how to stop listening. */
  onFailure(listener: (error: Error) => void): () => void;

  /** Throws the error that ended the device's use, if one did. */
  check(): void;

  /** Makes further kernels known to the processor. A GPU compiles its own and loads nothing. */
  addKernels(load: () => Promise<ProcessorKernels>): Promise<void>;

  /**
   * `length` elements, zeroed.
   * @throws KernelArgumentError where the device has no room for so many.
   */
  tensor(label: string, length: number): Tensor;

  /** A part of a tensor; `start` must be a multiple of 64 elements. */
  slice(tensor: Tensor, label: string, start: number, length: number): Tensor;

  /** Writes host data into a tensor, ordered before the next submission. */
  upload(tensor: Tensor, data: Float32Array | Uint32Array, start?: number): void;

  /** Frees a whole tensor made by `tensor`. */
  free(tensor: Tensor): void;

  /** Compiles every kernel that `record` dispatches. */
  prepare(record: (recorder: Recorder) => void): Promise<void>;

  /**
   * Computes what `record` dispatches, copies and clears, in that order. Tensors named in `read` are
   * copied out at the end; their contents come with the promise.
   */
  submit(
    label: string,
    record: (recorder: Recorder) => void,
    read?: readonly { readonly tensor: Tensor; readonly length: number }[],
  ): Promise<ArrayBuffer[]>;

  /** Reads `length` elements back in a separate submission; for tests and tools. */
  read(tensor: Tensor, length?: number): Promise<ArrayBuffer>;

  /** Waits until all submitted work is done. */
  idle(): Promise<void>;

  /**
   * Gives the caller's other events their turn, where submitted work is computed on the caller's own
   * thread. Who queues much work without waiting for it calls it in between.
   */
  breathe(): Promise<void>;

  /**
   * Measures from now until `stopProfile` what the device does.
   * @throws where a profile is being taken, or the device cannot give this detail.
   */
  startProfile(detail?: ProfileDetail): void;

  /**
   * Waits until all submitted work is done, and says what was done since `startProfile`.
   * @throws where no profile was started.
   */
  stopProfile(): Promise<DeviceProfile>;

  /** Ends the device's use as a driver's reset does, for tests of what then happens. */
  lose(): void;

  /** Gives the device back. */
  close(): void;
}
