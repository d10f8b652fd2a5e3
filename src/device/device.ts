import type { ProcessorKernels } from './processor/kernel.ts';
import type { DeviceProfile, ProfileDetail } from './profile.ts';

/**
 * The execution model of a device, which determines the variant of each kernel.
 *
 * - `gpu`: thousands of invocations, each with its own registers.
 * - `quads`: a GPU emulated on the processor. It runs four neighboring invocations as the lanes of
 *   one vector register, so they should load together and exchange values.
 * - `processor`: WebAssembly. A kernel is one function without workgroups.
 */
export type DeviceKind = 'gpu' | 'quads' | 'processor';

/** A device's name and capabilities, shown in reports and in the page. */
export interface DeviceDescription {
  /** Display name. */
  readonly name: string;
  /** Full driver or engine description, stored with results. */
  readonly detail: string;
  /** True if the processor emulates the GPU (SwiftShader, llvmpipe, WARP). */
  readonly software: boolean;
  /** Number of compute threads on the processor; 0 on WebGPU, which does not report it. */
  readonly threads: number;
  /** Limits in bytes for all tensors together and for a single one; Infinity if not reported. */
  readonly room: { readonly total: number; readonly tensor: number };
  /** Optional WebGPU features that are enabled. */
  readonly features: readonly string[];
}

/** An array of `length` 32-bit elements. Where it is stored is internal to the device. */
export interface Tensor {
  readonly label: string;
  readonly length: number;
}

/** The arguments of a WGSL entry point: its storage bindings and its uniform parameters. */
export interface Signature {
  /** Tensors, in binding order. */
  readonly bindings: readonly {
    readonly name: string;
    readonly binding: number;
    /** Whether the kernel may write to the tensor. */
    readonly written: boolean;
  }[];
  /** The uniform struct with the dispatch's parameters; null if the entry point has none. */
  readonly params: {
    readonly binding: number;
    /** Size of the struct. */
    readonly bytes: number;
    readonly fields: readonly {
      readonly name: string;
      /** In bytes. */
      readonly offset: number;
      readonly kind: 'u32' | 'i32' | 'f32';
    }[];
  } | null;
}

/** A WGSL file: its text, and the signatures of its entry points, parsed at build time. */
export interface Shader {
  readonly text: string;
  readonly signatures: Readonly<Record<string, Signature>>;
}

/** One entry point of a kernel with its compile-time constants. */
export interface KernelEntry {
  /** WGSL file name without extension. With `entry` it identifies the kernel on every device. */
  readonly kernel: string;
  readonly code: Shader;
  readonly entry: string;
  /** Compile-time constants, prepended to the WGSL code as `const NAME: u32 = …u;`. */
  readonly constants?: Readonly<Record<string, number>>;
  /** WGSL directives such as `enable subgroups;`, placed at the start of the module. */
  readonly directives?: string;
}

/** Receives kernel dispatches, to record them or to collect the kernels to compile. */
export interface Dispatcher {
  readonly kind: DeviceKind;
  dispatch(
    kernel: KernelEntry,
    tensors: Readonly<Record<string, Tensor>>,
    params: Readonly<Record<string, number>>,
    workgroups: readonly [number, number?, number?],
  ): void;
}

/** Records the commands of one submission. */
export interface Recorder extends Dispatcher {
  /** Fills the tensor with zeros. */
  clear(tensor: Tensor): void;
  /** Copies `length` elements of `from`, beginning at `start`, to the beginning of `to`. */
  copy(from: Tensor, start: number, to: Tensor, length: number): void;
  /**
   * Announces the approximate amount of work in the commands that follow, in a unit common to all
   * submissions with this label. If the submission would run too long, a new one begins here.
   */
  piece(work: number): void;
}

/** Counts of created objects and of submissions. After warm-up, training creates no objects. */
export interface DeviceCounters {
  submissions: number;
  dispatches: number;
  buffers: number;
  bufferBytes: number;
  bindGroups: number;
  pipelines: number;
  /** Bytes written to the device, including uniforms. */
  uploadBytes: number;
  /** Bytes read back from the device. */
  readBytes: number;
}

/** A compute device: a GPU or the processor. The code above it uses only this interface. */
export interface Device {
  readonly kind: DeviceKind;
  readonly description: DeviceDescription;
  readonly counters: DeviceCounters;
  /** The first error that made this device unusable, if any. */
  readonly failure: Error | undefined;

  /**
   * Calls `listener` once with the error that made the device unusable, immediately if it already
   * is. Returns a function that removes the listener.
   */
  onFailure(listener: (error: Error) => void): () => void;

  /** Throws the error that made the device unusable, if any. */
  check(): void;

  /** Loads additional processor kernels. A GPU ignores the call: it compiles kernels from WGSL. */
  addKernels(load: () => Promise<ProcessorKernels>): Promise<void>;

  /**
   * Allocates a tensor of `length` zeros.
   *
   * @throws KernelArgumentError if the device cannot hold it
   */
  tensor(label: string, length: number): Tensor;

  /** Returns a view of `length` elements; `start` must be a multiple of 64. */
  slice(tensor: Tensor, label: string, start: number, length: number): Tensor;

  /** Writes host data into a tensor. Takes effect before the next submission. */
  upload(tensor: Tensor, data: Float32Array | Uint32Array, start?: number): void;

  /** Frees a tensor that was allocated by `tensor`, not a slice. */
  free(tensor: Tensor): void;

  /** Compiles every kernel that `record` dispatches. */
  prepare(record: (recorder: Recorder) => void): Promise<void>;

  /**
   * Runs the dispatches, copies and clears that `record` issues, in order. Tensors listed in `read`
   * are copied out at the end; the promise resolves to their contents.
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
   * Yields to the caller's event loop if the device computes on the caller's thread. Call it
   * between submissions that are not awaited.
   */
  breathe(): Promise<void>;

  /**
   * Starts a profile; `stopProfile` ends it.
   *
   * @throws if a profile is already running or the device does not support this detail
   */
  startProfile(detail?: ProfileDetail): void;

  /**
   * Waits until all submitted work is done and returns the profile since `startProfile`.
   *
   * @throws if no profile is running
   */
  stopProfile(): Promise<DeviceProfile>;

  /** Simulates a lost device, as after a driver reset; for tests. */
  lose(): void;

  /** Releases the device. */
  close(): void;
}
