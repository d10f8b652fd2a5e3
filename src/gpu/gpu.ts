import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import {
  DeviceLostError,
  GpuCommandError,
  KernelArgumentError,
  WebGpuUnavailableError,
} from './errors.ts';
import { type GpuProfile, type ProfileDetail, Profiler } from './profile.ts';

/** What runs the kernels, for reports and for the page. */
export interface AdapterDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly description: string;
  /** True where a processor imitates a GPU (SwiftShader, llvmpipe, WARP). */
  readonly software: boolean;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<LimitName, number>>;
}

const limitNames = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupsPerDimension',
] as const;
type LimitName = (typeof limitNames)[number];

/** Used where the adapter has them, never assumed. */
const optionalFeatures: readonly GPUFeatureName[] = ['timestamp-query', 'subgroups', 'shader-f16'];

/** Dynamic uniform offsets must be multiples of this on every device. */
const UNIFORM_ALIGNMENT = 256;
/** Uniform arena: one slot per dispatch of a recording. */
const UNIFORM_SLOTS = 8192;

/** A range of 32-bit elements in a GPU buffer. */
export interface Tensor {
  readonly label: string;
  readonly buffer: GPUBuffer;
  /** Bytes from the start of the buffer; a multiple of 256. */
  readonly offset: number;
  /** Elements of 4 bytes. */
  readonly length: number;
}

/** One compute entry point with the constants it is compiled for. */
export interface KernelEntry {
  /** File name without ending; labels the pipeline, so that a GPU error says where it came from. */
  readonly kernel: string;
  readonly code: string;
  readonly entry: string;
  /** Compile-time constants, written before the code as `const NAME: u32 = …u;`. */
  readonly constants?: Readonly<Record<string, number>>;
  /** Directives that the code needs, such as `enable subgroups;`; they stand before everything. */
  readonly directives?: string;
}

/** What kernels are dispatched on: a recording, or a list of pipelines to compile ahead. */
export interface Dispatcher {
  /** Whether kernels may exchange values within quads of invocations, and should (see `Gpu.quads`). */
  readonly quads?: boolean;
  dispatch(
    kernel: KernelEntry,
    tensors: Readonly<Record<string, Tensor>>,
    params: Readonly<Record<string, number>>,
    workgroups: readonly [number, number?, number?],
  ): void;
}

interface ParamField {
  readonly name: string;
  readonly offset: number;
  readonly kind: 'u32' | 'i32' | 'f32';
}

interface Pipeline {
  readonly id: number;
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
  readonly bindings: readonly { readonly name: string; readonly binding: number }[];
  readonly params: readonly ParamField[];
  readonly paramsBinding: number | undefined;
  readonly paramsBytes: number;
  readonly bindGroups: Map<string, GPUBindGroup>;
}

/** How many objects and submissions were made; a steady loop makes no new objects. */
export interface GpuCounters {
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

function kernelKey(kernel: KernelEntry): string {
  const constants = Object.entries(kernel.constants ?? {}).map(
    ([name, value]) => `${name}=${value}`,
  );
  return `${kernel.kernel}.${kernel.entry}(${constants.join(',')})`;
}

function kernelCode(kernel: KernelEntry): string {
  const header = Object.entries(kernel.constants ?? {})
    .map(([name, value]) => `const ${name}: u32 = ${value}u;\n`)
    .join('');
  return (kernel.directives ?? '') + header + kernel.code;
}

/** The device with everything made on it. The only owner of a `GPUDevice`. */
export class Gpu {
  readonly device: GPUDevice;
  readonly description: AdapterDescription;
  readonly counters: GpuCounters = {
    submissions: 0,
    dispatches: 0,
    buffers: 0,
    bufferBytes: 0,
    bindGroups: 0,
    pipelines: 0,
    uploadBytes: 0,
    readBytes: 0,
  };
  /** The first error that ended this device's use, if any. */
  failure: Error | undefined;
  readonly #failureListeners = new Set<(error: Error) => void>();
  readonly #pipelines = new Map<string, Pipeline>();
  /** Never given twice: a bind group made for a freed buffer must not serve its successor. */
  #lastBufferId = 0;
  readonly #bufferIds = new WeakMap<GPUBuffer, number>();
  readonly #staging = new Map<number, GPUBuffer[]>();
  readonly #uniforms: GPUBuffer;
  readonly #uniformData = new ArrayBuffer(UNIFORM_SLOTS * UNIFORM_ALIGNMENT);
  #closing = false;
  #profiler: { readonly profiler: Profiler; readonly before: Readonly<GpuCounters> } | undefined;

  private constructor(device: GPUDevice, description: AdapterDescription) {
    this.device = device;
    this.description = description;
    device.onuncapturederror = (event) => {
      this.#fail(new GpuCommandError(event.error.constructor.name, event.error.message));
    };
    void device.lost.then((info) => {
      if (!this.#closing) this.#fail(new DeviceLostError(info.reason, info.message));
    });
    this.#uniforms = this.#createBuffer(
      'uniforms',
      UNIFORM_SLOTS * UNIFORM_ALIGNMENT,
      GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    );
  }

  /**
   * Asks for an adapter and a device with the adapter's own limits.
   * @throws WebGpuUnavailableError where there is none.
   */
  static async open(entry: GPU | undefined): Promise<Gpu> {
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
    const device = await adapter.requestDevice({ requiredFeatures: features, requiredLimits });
    const { vendor, architecture, description } = adapter.info;
    return new Gpu(device, {
      vendor,
      architecture,
      description,
      software: /swiftshader|llvmpipe|software|basic render/i.test(
        `${vendor} ${architecture} ${description}`,
      ),
      features,
      limits: Object.fromEntries(limitNames.map((name) => [name, device.limits[name]])) as Record<
        LimitName,
        number
      >,
    });
  }

  /**
   * Whether four neighbouring invocations should load together and exchange what they loaded. A
   * software driver runs them as the four lanes of a vector register: an exchange costs it one
   * instruction, a scattered load what eight multiply–adds cost. A GPU broadcasts such loads itself.
   */
  get quads(): boolean {
    return this.description.software && this.description.features.includes('subgroups');
  }

  /** Calls back once, with the first error that ended the device's use. */
  onFailure(listener: (error: Error) => void): () => void {
    if (this.failure) listener(this.failure);
    else this.#failureListeners.add(listener);
    return () => this.#failureListeners.delete(listener);
  }

  #fail(error: Error): void {
    if (this.failure) return;
    this.failure = error;
    for (const listener of this.#failureListeners) listener(error);
    this.#failureListeners.clear();
  }

  /** Throws the error that ended the device's use, if one did. */
  check(): void {
    if (this.failure) throw this.failure;
  }

  #createBuffer(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.device.createBuffer({ label, size, usage });
    this.counters.buffers += 1;
    this.counters.bufferBytes += size;
    this.#lastBufferId += 1;
    this.#bufferIds.set(buffer, this.#lastBufferId);
    return buffer;
  }

  /** A storage buffer of `length` 32-bit elements, zeroed. */
  tensor(label: string, length: number): Tensor {
    if (!Number.isInteger(length) || length < 1) {
      throw new KernelArgumentError(label, `a tensor needs a positive whole length, got ${length}`);
    }
    const size = length * 4;
    const limit = this.device.limits.maxStorageBufferBindingSize;
    if (size > limit) {
      throw new KernelArgumentError(
        label,
        `${size} bytes are more than this adapter binds at once (${limit}); choose a smaller policy, micro-batch or fewer episodes`,
      );
    }
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return { label, buffer: this.#createBuffer(label, size, usage), offset: 0, length };
  }

  /** A part of a tensor; `start` must be a multiple of 64 elements. */
  slice(tensor: Tensor, label: string, start: number, length: number): Tensor {
    if (start % 64 !== 0 || start + length > tensor.length) {
      throw new KernelArgumentError(label, `slice ${start}+${length} of ${tensor.length}`);
    }
    return { label, buffer: tensor.buffer, offset: tensor.offset + start * 4, length };
  }

  /** Writes host data into a tensor, ordered before the next submission. */
  upload(tensor: Tensor, data: Float32Array | Uint32Array, start = 0): void {
    if (start + data.length > tensor.length) {
      throw new KernelArgumentError(
        tensor.label,
        `upload of ${data.length} elements at ${start} into ${tensor.length}`,
      );
    }
    if (data.length === 0) return;
    this.device.queue.writeBuffer(
      tensor.buffer,
      tensor.offset + start * 4,
      data.buffer as ArrayBuffer,
      data.byteOffset,
      data.byteLength,
    );
    this.counters.uploadBytes += data.byteLength;
  }

  /** Frees a whole tensor made by `tensor`. */
  free(tensor: Tensor): void {
    this.counters.buffers -= 1;
    this.counters.bufferBytes -= tensor.buffer.size;
    const id = `;${this.#bufferIds.get(tensor.buffer)}:`;
    for (const { bindGroups } of this.#pipelines.values()) {
      for (const key of bindGroups.keys()) if (key.includes(id)) bindGroups.delete(key);
    }
    tensor.buffer.destroy();
  }

  /** Compiles every pipeline that `record` dispatches, asynchronously and side by side. */
  async prepare(record: (recorder: Recorder) => void): Promise<void> {
    const wanted = new Map<string, KernelEntry>();
    record({
      quads: this.quads,
      dispatch: (kernel) => {
        const key = kernelKey(kernel);
        if (!this.#pipelines.has(key)) wanted.set(key, kernel);
      },
      clear: () => {},
    });
    await Promise.all(
      [...wanted].map(async ([key, kernel]) => {
        const plan = this.#plan(key, kernel);
        const pipeline = await this.device.createComputePipelineAsync(plan.descriptor);
        this.#register(key, plan, pipeline);
      }),
    );
    this.check();
  }

  #plan(key: string, kernel: KernelEntry) {
    const code = kernelCode(kernel);
    const reflected = new WgslReflect(code).entry.compute.find(({ name }) => name === kernel.entry);
    if (!reflected) throw new KernelArgumentError(key, 'no such entry point');
    const uniform = reflected.resources.find(({ name }) => name === 'params');
    const storage = reflected.resources
      .filter(({ name }) => name !== 'params')
      .sort((a, b) => a.binding - b.binding);
    const entries: GPUBindGroupLayoutEntry[] = storage.map(({ binding, access }) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: access === 'read' ? 'read-only-storage' : 'storage' },
    }));
    const paramsBytes = Math.ceil((uniform?.size ?? 0) / 16) * 16;
    if (uniform) {
      entries.push({
        binding: uniform.binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize: paramsBytes },
      });
    }
    const layout = this.device.createBindGroupLayout({ label: key, entries });
    const params: ParamField[] = (uniform?.members ?? []).map(({ name, offset, type }) => {
      if (type.name !== 'u32' && type.name !== 'i32' && type.name !== 'f32') {
        throw new KernelArgumentError(key, `params.${name} must be u32, i32 or f32`);
      }
      return { name, offset, kind: type.name };
    });
    return {
      descriptor: {
        label: key,
        layout: this.device.createPipelineLayout({ label: key, bindGroupLayouts: [layout] }),
        compute: {
          module: this.device.createShaderModule({ label: key, code }),
          entryPoint: kernel.entry,
        },
      },
      layout,
      bindings: storage.map(({ name, binding }) => ({ name, binding })),
      params,
      paramsBinding: uniform?.binding,
      paramsBytes,
    };
  }

  #register(
    key: string,
    plan: Omit<Pipeline, 'id' | 'label' | 'pipeline' | 'bindGroups'>,
    pipeline: GPUComputePipeline,
  ): Pipeline {
    this.counters.pipelines += 1;
    const { layout, bindings, params, paramsBinding, paramsBytes } = plan;
    const made: Pipeline = {
      id: this.counters.pipelines,
      label: key,
      pipeline,
      layout,
      bindings,
      params,
      paramsBinding,
      paramsBytes,
      bindGroups: new Map(),
    };
    this.#pipelines.set(key, made);
    return made;
  }

  #pipeline(kernel: KernelEntry): Pipeline {
    const key = kernelKey(kernel);
    const known = this.#pipelines.get(key);
    if (known) return known;
    const plan = this.#plan(key, kernel);
    return this.#register(key, plan, this.device.createComputePipeline(plan.descriptor));
  }

  #bindGroup(pipeline: Pipeline, tensors: Readonly<Record<string, Tensor>>): GPUBindGroup {
    let key = ';';
    for (const { name } of pipeline.bindings) {
      const tensor = tensors[name];
      if (!tensor) throw new KernelArgumentError(pipeline.label, `tensor "${name}" is missing`);
      key += `${this.#bufferIds.get(tensor.buffer)}:${tensor.offset}:${tensor.length};`;
    }
    const known = pipeline.bindGroups.get(key);
    if (known) return known;
    const entries: GPUBindGroupEntry[] = pipeline.bindings.map(({ name, binding }) => {
      const tensor = tensors[name];
      if (!tensor) throw new KernelArgumentError(pipeline.label, `tensor "${name}" is missing`);
      const { buffer, offset, length } = tensor;
      return { binding, resource: { buffer, offset, size: length * 4 } };
    });
    if (pipeline.paramsBinding !== undefined) {
      entries.push({
        binding: pipeline.paramsBinding,
        resource: { buffer: this.#uniforms, size: pipeline.paramsBytes },
      });
    }
    const group = this.device.createBindGroup({
      label: pipeline.label,
      layout: pipeline.layout,
      entries,
    });
    this.counters.bindGroups += 1;
    pipeline.bindGroups.set(key, group);
    return group;
  }

  /**
   * Records dispatches and clears into one command buffer and submits it.
   * Tensors named in `read` are copied out at the end; their contents come with the promise.
   */
  async submit(
    label: string,
    record: (recorder: Recorder) => void,
    read: readonly { readonly tensor: Tensor; readonly length: number }[] = [],
  ): Promise<ArrayBuffer[]> {
    this.check();
    const profiler = this.#profiler?.profiler;
    const profiled = profiler?.begin(label);
    const recordingSince = performance.now();
    const encoder = this.device.createCommandEncoder({ label });
    const view = new DataView(this.#uniformData);
    let slots = 0;
    let pass: GPUComputePassEncoder | undefined;
    const endPass = () => {
      pass?.end();
      pass = undefined;
    };
    record({
      quads: this.quads,
      dispatch: (kernel, tensors, params, workgroups) => {
        const [x, y = 1, z = 1] = workgroups;
        if (x === 0 || y === 0 || z === 0) return;
        const pipeline = this.#pipeline(kernel);
        const limit = this.device.limits.maxComputeWorkgroupsPerDimension;
        if (x > limit || y > limit || z > limit) {
          throw new KernelArgumentError(
            pipeline.label,
            `${x}×${y}×${z} workgroups, at most ${limit} a side; use smaller micro-batches`,
          );
        }
        const group = this.#bindGroup(pipeline, tensors);
        if (profiler?.detail === 'kernel') endPass();
        pass ??= encoder.beginComputePass({
          label,
          ...(profiled && profiler?.pass(profiled, pipeline.label)),
        });
        pass.setPipeline(pipeline.pipeline);
        if (pipeline.paramsBinding === undefined) {
          pass.setBindGroup(0, group);
        } else {
          if (slots === UNIFORM_SLOTS) {
            throw new KernelArgumentError(label, `more than ${UNIFORM_SLOTS} dispatches at once`);
          }
          const base = slots * UNIFORM_ALIGNMENT;
          slots += 1;
          for (const { name, offset, kind } of pipeline.params) {
            const value = params[name];
            if (value === undefined) {
              throw new KernelArgumentError(pipeline.label, `parameter "${name}" is missing`);
            }
            if (kind === 'f32') view.setFloat32(base + offset, value, true);
            else if (kind === 'u32') view.setUint32(base + offset, value, true);
            else view.setInt32(base + offset, value, true);
          }
          pass.setBindGroup(0, group, [base]);
        }
        pass.dispatchWorkgroups(x, y, z);
        this.counters.dispatches += 1;
      },
      clear: (tensor) => {
        endPass();
        encoder.clearBuffer(tensor.buffer, tensor.offset, tensor.length * 4);
      },
    });
    endPass();
    // All results share one staging buffer, so a submission is read back by one mapping.
    const bytes = read.reduce((sum, { length }) => sum + length * 4, 0);
    const staging = bytes > 0 ? this.#takeStaging(bytes) : undefined;
    if (staging) {
      let at = 0;
      for (const { tensor, length } of read) {
        encoder.copyBufferToBuffer(tensor.buffer, tensor.offset, staging, at, length * 4);
        at += length * 4;
      }
    }
    if (slots > 0) {
      this.device.queue.writeBuffer(
        this.#uniforms,
        0,
        this.#uniformData,
        0,
        slots * UNIFORM_ALIGNMENT,
      );
      this.counters.uploadBytes += slots * UNIFORM_ALIGNMENT;
    }
    this.device.queue.submit([encoder.finish()]);
    this.counters.submissions += 1;
    this.counters.readBytes += bytes;
    if (profiled) profiler?.submitted(profiled, performance.now() - recordingSince);
    if (!staging) return [];
    try {
      await staging.mapAsync(GPUMapMode.READ, 0, bytes);
    } catch (cause) {
      // A lost device rejects the mapping before it reports its loss; that report says more.
      await Promise.race([this.device.lost, new Promise((resolve) => setTimeout(resolve, 100))]);
      this.check();
      throw cause;
    }
    const copy = staging.getMappedRange(0, bytes).slice(0);
    staging.unmap();
    this.#staging.get(staging.size)?.push(staging);
    this.check();
    let at = 0;
    return read.map(({ length }) => {
      at += length * 4;
      return copy.slice(at - length * 4, at);
    });
  }

  /** Reads `length` elements back; a whole submission of its own, for tests and tools. */
  async read(tensor: Tensor, length = tensor.length): Promise<ArrayBuffer> {
    const [data] = await this.submit(`read ${tensor.label}`, () => {}, [{ tensor, length }]);
    if (!data) throw new KernelArgumentError(tensor.label, 'nothing was read');
    return data;
  }

  #takeStaging(bytes: number): GPUBuffer {
    const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, 256)));
    let pool = this.#staging.get(size);
    if (!pool) {
      pool = [];
      this.#staging.set(size, pool);
    }
    return (
      pool.pop() ??
      this.#createBuffer('staging', size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST)
    );
  }

  /** Waits until all submitted work is done. */
  async idle(): Promise<void> {
    await this.device.queue.onSubmittedWorkDone();
    this.check();
  }

  /**
   * Measures from now until `stopProfile` what the device does.
   *
   * @throws where a profile is being taken, or the adapter cannot give this detail.
   */
  startProfile(detail: ProfileDetail = 'submission'): void {
    if (this.#profiler) throw new Error('A profile is being taken; stop it first.');
    this.#profiler = {
      profiler: new Profiler(this.device, detail),
      before: { ...this.counters },
    };
  }

  /**
   * Waits until all submitted work is done, and says what was done since `startProfile`.
   *
   * @throws where no profile was started.
   */
  async stopProfile(): Promise<GpuProfile> {
    if (!this.#profiler) throw new Error('No profile is being taken; start one first.');
    const { profiler, before } = this.#profiler;
    this.#profiler = undefined;
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

  /** Gives the device back. */
  close(): void {
    this.#closing = true;
    this.device.destroy();
  }
}

/** Records one submission. */
export interface Recorder extends Dispatcher {
  /** Fills with zeros. */
  clear(tensor: Tensor): void;
}
