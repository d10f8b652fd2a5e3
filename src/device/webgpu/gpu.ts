import type {
  Device,
  DeviceCounters,
  DeviceDescription,
  DeviceKind,
  KernelEntry,
  Recorder,
  Tensor,
} from '../device.ts';
import {
  DeviceBase,
  expectCopy,
  expectSlice,
  expectTensorLength,
  expectUpload,
} from '../device-base.ts';
import {
  DeviceLostError,
  GpuCommandError,
  KernelArgumentError,
  WebGpuUnavailableError,
} from '../errors.ts';
import type { DeviceProfile, ProfileDetail } from '../profile.ts';
import { adapterDetail, adapterName, isSoftware } from './adapter-name.ts';
import { Pace } from './pace.ts';
import { FOLD, Pipelines, writeParams } from './pipelines.ts';
import type { Profiler } from './profiler.ts';
import { type GpuTensor, onGpu } from './tensor.ts';

const limitNames = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupsPerDimension',
] as const;
type LimitName = (typeof limitNames)[number];

/** An adapter as reported by WebGPU. */
interface AdapterDescription extends DeviceDescription {
  readonly limits: Readonly<Record<LimitName, number>>;
}

/** Requested if the adapter supports them, never required. */
const optionalFeatures: readonly GPUFeatureName[] = ['timestamp-query', 'subgroups', 'shader-f16'];

export interface GpuOptions {
  /** Derived from the adapter by default; tests run GPU kernels on a software adapter. */
  readonly kind?: 'gpu' | 'quads';
  /** Workgroups per row of a one-dimensional grid; smaller in tests. */
  readonly fold?: number;
  /** Needed by `startProfile`. The lab takes no profiles, so it does not load the class. */
  readonly profiler?: typeof Profiler;
}

/** Dynamic uniform offsets must be multiples of this on every device. */
const UNIFORM_ALIGNMENT = 256;
/** Slots of the uniform buffer, one per dispatch with parameters. */
const UNIFORM_SLOTS = 8192;

/** Staging buffers up to this size are kept for the next readback. */
const POOLED_BYTES = 2 ** 24;

/** A WebGPU device with its pipelines and buffers. The only owner of a `GPUDevice`. */
export class Gpu extends DeviceBase implements Device {
  readonly device: GPUDevice;
  readonly description: AdapterDescription;
  /**
   * `quads` for a software driver with subgroups: it runs four neighboring invocations as the
   * lanes of a vector register, so an exchange costs one instruction and a scattered load as much
   * as eight multiply–adds. A GPU broadcasts such loads in hardware.
   */
  readonly kind: DeviceKind;
  readonly #Profiler: typeof Profiler | undefined;
  readonly #pipelines: Pipelines;
  readonly #pace = new Pace();
  readonly #staging = new Map<number, GPUBuffer[]>();
  readonly #uniforms: GPUBuffer;
  readonly #uniformView = new DataView(new ArrayBuffer(UNIFORM_SLOTS * UNIFORM_ALIGNMENT));
  #closing = false;
  #profile: { readonly profiler: Profiler; readonly before: Readonly<DeviceCounters> } | undefined;

  private constructor(
    device: GPUDevice,
    description: AdapterDescription,
    { kind, fold = FOLD, profiler }: GpuOptions,
  ) {
    super();
    this.#Profiler = profiler;
    this.device = device;
    this.description = description;
    this.kind =
      kind ??
      (description.software && description.features.includes('subgroups') ? 'quads' : 'gpu');
    device.onuncapturederror = (event) => {
      this.fail(new GpuCommandError(event.error.constructor.name, event.error.message));
    };
    void device.lost.then((info) => {
      if (!this.#closing) this.fail(new DeviceLostError(info.reason, info.message));
    });
    this.#uniforms = this.#createBuffer(
      'uniforms',
      UNIFORM_SLOTS * UNIFORM_ALIGNMENT,
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    );
    this.#pipelines = new Pipelines(device, this.counters, this.#uniforms, fold);
  }

  /**
   * Requests an adapter and a device with the adapter's full limits.
   *
   * @throws WebGpuUnavailableError if WebGPU is missing or has no adapter that can be opened
   */
  static async open(entry: GPU | undefined, options: GpuOptions = {}): Promise<Gpu> {
    if (!entry) {
      throw new WebGpuUnavailableError('This browser offers no WebGPU (navigator.gpu is missing).');
    }
    const adapter = await entry.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) {
      throw new WebGpuUnavailableError(
        'WebGPU is there, but no graphics adapter answered: the driver is missing, blocked or switched off.',
      );
    }
    const requiredLimits = Object.fromEntries(
      limitNames.map((name) => [name, adapter.limits[name]]),
    );
    const features = optionalFeatures.filter((feature) => adapter.features.has(feature));
    const name = adapterName(adapter.info);
    const device = await adapter
      .requestDevice({ requiredFeatures: features, requiredLimits })
      .catch((cause: unknown) => {
        throw new WebGpuUnavailableError(`The graphics adapter ${name} cannot be opened.`, {
          cause,
        });
      });
    return new Gpu(
      device,
      {
        name,
        detail: adapterDetail(adapter.info),
        threads: 0,
        software: isSoftware(adapter.info),
        features,
        room: {
          total: Number.POSITIVE_INFINITY,
          tensor: device.limits.maxStorageBufferBindingSize,
        },
        limits: Object.fromEntries(limitNames.map((name) => [name, device.limits[name]])) as Record<
          LimitName,
          number
        >,
      },
      options,
    );
  }

  #createBuffer(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.device.createBuffer({ label, size, usage });
    this.counters.buffers += 1;
    this.counters.bufferBytes += size;
    return buffer;
  }

  addKernels(): Promise<void> {
    return Promise.resolve();
  }

  /** Allocates a storage buffer of `length` 32-bit elements, filled with zeros. */
  tensor(label: string, length: number): Tensor {
    expectTensorLength(label, length);
    const size = length * 4;
    const limit = this.device.limits.maxStorageBufferBindingSize;
    if (size > limit) {
      throw new KernelArgumentError(
        label,
        `${size} bytes are more than this adapter binds at once (${limit}); choose a smaller policy, micro-batch or fewer episodes`,
      );
    }
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const made: GpuTensor = {
      label,
      length,
      buffer: this.#createBuffer(label, size, usage),
      offset: 0,
    };
    return made;
  }

  /** Returns a view of `length` elements; `start` must be a multiple of 64. */
  slice(tensor: Tensor, label: string, start: number, length: number): Tensor {
    expectSlice(tensor, label, start, length);
    const { buffer, offset } = onGpu(tensor);
    const made: GpuTensor = { label, length, buffer, offset: offset + start * 4 };
    return made;
  }

  /** Writes host data into a tensor. Takes effect before the next submission. */
  upload(tensor: Tensor, data: Float32Array | Uint32Array, start = 0): void {
    expectUpload(tensor, data, start);
    if (data.length === 0) return;
    const { buffer, offset } = onGpu(tensor);
    this.device.queue.writeBuffer(
      buffer,
      offset + start * 4,
      data.buffer as ArrayBuffer,
      data.byteOffset,
      data.byteLength,
    );
    this.counters.uploadBytes += data.byteLength;
  }

  /** Frees a tensor that was allocated by `tensor`, not a slice. */
  free(tensor: Tensor): void {
    this.#destroy(onGpu(tensor).buffer);
  }

  #destroy(buffer: GPUBuffer): void {
    this.counters.buffers -= 1;
    this.counters.bufferBytes -= buffer.size;
    buffer.destroy();
  }

  /** Compiles every pipeline that `record` dispatches, asynchronously and concurrently. */
  async prepare(record: (recorder: Recorder) => void): Promise<void> {
    const wanted: KernelEntry[] = [];
    const ignore = () => {};
    record({
      kind: this.kind,
      dispatch: (kernel) => wanted.push(kernel),
      clear: ignore,
      copy: ignore,
      piece: ignore,
    });
    await this.#pipelines.prepare(wanted);
    this.check();
  }

  /**
   * Records and submits dispatches, copies and clears, in one command buffer unless
   * `Recorder.piece` estimates more than 200 ms of work. Tensors named in `read` are copied at the
   * end; the promise resolves to their contents.
   */
  async submit(
    label: string,
    record: (recorder: Recorder) => void,
    read: readonly Result[] = [],
  ): Promise<ArrayBuffer[]> {
    this.check();
    let part = this.#begin(label);
    const cut = () => {
      this.#finish(part);
      part = this.#begin(label);
    };
    const budget = this.#pace.budget(label);
    record({
      kind: this.kind,
      dispatch: (kernel, tensors, params, workgroups) => {
        if (workgroups.includes(0)) return;
        if (part.slots === UNIFORM_SLOTS) cut();
        this.#dispatch(part, kernel, tensors, params, workgroups);
      },
      clear: (tensor) => {
        const { buffer, offset, length } = onGpu(tensor);
        endPass(part);
        part.encoder.clearBuffer(buffer, offset, length * 4);
      },
      copy: (from, start, to, length) => {
        expectCopy(label, from, start, to, length);
        if (length === 0) return;
        endPass(part);
        const source = onGpu(from);
        const { buffer, offset } = onGpu(to);
        part.encoder.copyBufferToBuffer(
          source.buffer,
          source.offset + start * 4,
          buffer,
          offset,
          length * 4,
        );
      },
      piece: (work) => {
        if (part.work > 0 && part.work + work > budget) cut();
        part.work += work;
      },
    });
    endPass(part);
    // Results share a staging buffer if one can hold them, so reading them back takes one mapping.
    const readbacks = together(read, this.description.limits.maxBufferSize).map((results) => {
      const staging = this.#takeStaging(bytesOf(results));
      let at = 0;
      for (const { tensor, length } of results) {
        const { buffer, offset } = onGpu(tensor);
        part.encoder.copyBufferToBuffer(buffer, offset, staging, at, length * 4);
        at += length * 4;
      }
      return { staging, results };
    });
    this.#finish(part);
    this.counters.readBytes += bytesOf(read);
    const copies = readbacks.map(({ staging, results }) => this.#mapped(staging, results));
    return (await Promise.all(copies)).flat();
  }

  #begin(label: string): Part {
    return {
      label,
      encoder: this.device.createCommandEncoder({ label }),
      profiled: this.#profile?.profiler.begin(label),
      since: performance.now(),
      pass: undefined,
      slots: 0,
      work: 0,
    };
  }

  #dispatch(
    part: Part,
    kernel: KernelEntry,
    tensors: Readonly<Record<string, Tensor>>,
    params: Readonly<Record<string, number>>,
    workgroups: readonly [number, number?, number?],
  ): void {
    const pipeline = this.#pipelines.get(kernel);
    const { fold } = pipeline;
    let [x, y = 1, z = 1] = workgroups;
    if (workgroups.length === 1 && x > fold) [x, y] = [fold, Math.ceil(x / fold)];
    const limit = this.description.limits.maxComputeWorkgroupsPerDimension;
    if (x > limit || y > limit || z > limit) {
      throw new KernelArgumentError(
        pipeline.label,
        `${x}×${y}×${z} workgroups, at most ${limit} a side; use smaller micro-batches`,
      );
    }
    const group = this.#pipelines.bindGroup(pipeline, tensors);
    const pass = this.#pass(part, pipeline.label);
    pass.setPipeline(pipeline.pipeline);
    if (pipeline.signature.params === null) {
      pass.setBindGroup(0, group);
    } else {
      const base = part.slots * UNIFORM_ALIGNMENT;
      part.slots += 1;
      writeParams(pipeline, params, this.#uniformView, base);
      pass.setBindGroup(0, group, [base]);
    }
    pass.dispatchWorkgroups(x, y, z);
    this.counters.dispatches += 1;
  }

  /** The current compute pass; a new one for each dispatch if kernels are profiled. */
  #pass(part: Part, kernel: string): GPUComputePassEncoder {
    const { label, profiled } = part;
    const profiler = this.#profile?.profiler;
    if (profiler?.detail === 'kernel') endPass(part);
    part.pass ??= part.encoder.beginComputePass({
      label,
      ...(profiled && profiler?.pass(profiled, kernel)),
    });
    return part.pass;
  }

  /** Submits the recorded commands. */
  #finish(part: Part): void {
    const { label, encoder, slots, work, profiled, since } = part;
    endPass(part);
    const { queue } = this.device;
    if (slots > 0) {
      const bytes = slots * UNIFORM_ALIGNMENT;
      queue.writeBuffer(this.#uniforms, 0, this.#uniformView.buffer, 0, bytes);
      this.counters.uploadBytes += bytes;
    }
    queue.submit([encoder.finish()]);
    this.counters.submissions += 1;
    this.#pace.submitted(label, work, () => queue.onSubmittedWorkDone());
    if (profiled) this.#profile?.profiler.submitted(profiled, performance.now() - since);
  }

  /** Reads results once the device has filled their staging buffer, which becomes free. */
  async #mapped(staging: GPUBuffer, results: readonly Result[]): Promise<ArrayBuffer[]> {
    const bytes = bytesOf(results);
    try {
      await staging.mapAsync(GPUMapMode.READ, 0, bytes);
    } catch (cause) {
      // A lost device rejects the mapping before it reports the loss. Wait for the report, which
      // gives the reason.
      await Promise.race([this.device.lost, new Promise((resolve) => setTimeout(resolve, 100))]);
      this.check();
      throw cause;
    }
    const range = staging.getMappedRange(0, bytes);
    let at = 0;
    const copies = results.map(({ length }) => {
      at += length * 4;
      return range.slice(at - length * 4, at);
    });
    staging.unmap();
    const pool = this.#staging.get(staging.size);
    if (pool) pool.push(staging);
    else this.#destroy(staging);
    this.check();
    return copies;
  }

  #takeStaging(bytes: number): GPUBuffer {
    const pooled = bytes <= POOLED_BYTES;
    const size = pooled ? 2 ** Math.ceil(Math.log2(Math.max(bytes, 256))) : bytes;
    if (pooled && !this.#staging.has(size)) this.#staging.set(size, []);
    return (
      this.#staging.get(size)?.pop() ??
      this.#createBuffer('staging', size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST)
    );
  }

  /** Waits until all submitted work is done. */
  async idle(): Promise<void> {
    await this.device.queue.onSubmittedWorkDone();
    this.check();
  }

  /** Does nothing: the work does not run on the caller's thread. */
  async breathe(): Promise<void> {}

  /**
   * Starts a profile; `stopProfile` ends it.
   *
   * @throws if a profile is already running, the adapter does not support this detail, or the device
   * was opened without a profiler
   */
  startProfile(detail: ProfileDetail = 'submission'): void {
    if (this.#profile) throw new Error('A profile is being taken; stop it first.');
    if (!this.#Profiler) throw new Error('This GPU was opened without a profiler.');
    this.#profile = {
      profiler: new this.#Profiler(this.device, detail),
      before: { ...this.counters },
    };
  }

  /**
   * Waits until all submitted work is done and returns the profile since `startProfile`.
   *
   * @throws if no profile is running
   */
  async stopProfile(): Promise<DeviceProfile> {
    if (!this.#profile) throw new Error('No profile is being taken; start one first.');
    const { profiler, before } = this.#profile;
    this.#profile = undefined;
    const { submissions, dispatches, uploadBytes, readBytes } = this.counters;
    const times = await profiler.finish();
    this.check();
    return {
      ...times,
      submissions: submissions - before.submissions,
      dispatches: dispatches - before.dispatches,
      uploadBytes: uploadBytes - before.uploadBytes,
      readBytes: readBytes - before.readBytes,
    };
  }

  /** Simulates a lost device, as after a driver reset; for tests. */
  lose(): void {
    this.device.destroy();
  }

  /** Releases the device. */
  close(): void {
    this.#closing = true;
    this.device.destroy();
  }
}

/** A tensor to read back, up to `length` elements. */
interface Result {
  readonly tensor: Tensor;
  readonly length: number;
}

function bytesOf(results: readonly Result[]): number {
  return results.reduce((sum, { length }) => sum + length * 4, 0);
}

/** Splits results, in order, into groups of at most `largest` bytes or one result. */
function together(results: readonly Result[], largest: number): Result[][] {
  const groups: Result[][] = [];
  for (const result of results) {
    const last = groups.at(-1);
    if (last && bytesOf([...last, result]) <= largest) last.push(result);
    else groups.push([result]);
  }
  return groups;
}

/** The state of one command buffer while it is recorded. */
interface Part {
  readonly label: string;
  readonly encoder: GPUCommandEncoder;
  readonly profiled: ReturnType<Profiler['begin']> | undefined;
  /** Start of recording, from `performance.now()`. */
  readonly since: number;
  pass: GPUComputePassEncoder | undefined;
  /** Number of dispatches with parameters, each of which takes a uniform slot. */
  slots: number;
  /** Work announced by `Recorder.piece`. */
  work: number;
}

function endPass(part: Part): void {
  part.pass?.end();
  part.pass = undefined;
}
