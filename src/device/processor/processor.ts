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
import { DeviceLostError, KernelArgumentError, ProcessorUnavailableError } from '../errors.ts';
import { nextTask } from '../next-task.ts';
import { type DeviceProfile, type ProfileDetail, Shares } from '../profile.ts';
import { assemble, f32, i32 } from './assembler.ts';
import {
  type KernelCall,
  type ProcessorKernel,
  type ProcessorKernels,
  SCRATCH_BYTES,
  type WasmFunction,
} from './kernel.ts';
import { ProcessorMemory } from './memory.ts';
import { type CompiledFunction, type StartThread, Threads } from './threads.ts';

/** A tensor stored in a range of the WebAssembly memory. */
interface ProcessorTensor extends Tensor {
  /** Byte address. */
  readonly address: number;
}

function onProcessor(tensor: Tensor): ProcessorTensor {
  if (!('address' in tensor)) {
    throw new KernelArgumentError(tensor.label, 'this tensor belongs to another device');
  }
  return tensor as ProcessorTensor;
}

interface ProcessorOptions {
  readonly kernels: ProcessorKernels;
  /** Number of compute threads, including the caller's. */
  readonly threads: number;
  /** Starts another thread; null if only the caller's thread computes. */
  readonly startThread: StartThread | null;
  /** Name of the JavaScript engine, for reports. */
  readonly engine: string;
}

/** Bytes reserved for tables, modules and the threads' scratch space. */
const OWN_BYTES = 2 ** 26;

/** Milliseconds after which `breathe` yields, so that a worker receives messages from its page. */
const BREATHE_AFTER_MS = 8;

/**
 * The processor as a device. Kernels are WebAssembly functions over one memory. A submission is
 * computed while it is recorded, on the caller's thread and its helpers. With helpers, the caller
 * must not be a page's main thread, which may not block.
 */
export class Processor extends DeviceBase implements Device {
  readonly kind: DeviceKind = 'processor';
  readonly description: DeviceDescription;
  readonly #memory: ProcessorMemory;
  readonly #threads: Threads;
  #kernels: ProcessorKernels;
  readonly #functions = new Map<WasmFunction<string>, Map<string, CompiledFunction>>();
  readonly #tables = new Map<string, ProcessorTensor>();
  #functionCount = 0;
  #breathed = performance.now();
  #profile: Profile | undefined;

  /** @throws ProcessorUnavailableError if WebAssembly SIMD or memory is unavailable */
  constructor({ kernels, threads, startThread, engine }: ProcessorOptions) {
    super();
    checkSimd();
    this.#kernels = kernels;
    this.#memory = openMemory(threads > 1);
    const scratch = Array.from({ length: threads }, (_, i) =>
      this.#memory.take(`scratch of thread ${i}`, SCRATCH_BYTES),
    );
    this.#threads = new Threads(this.#memory.memory, scratch, startThread, (error) =>
      this.fail(new DeviceLostError('a thread failed', error.message, 'The processor')),
    );
    this.description = {
      name: 'processor',
      detail: `processor, ${threads === 1 ? '1 thread' : `${threads} threads`}, ${engine}`,
      software: false,
      threads,
      room: { total: this.#memory.most - OWN_BYTES, tensor: this.#memory.most - OWN_BYTES },
      features: [],
    };
  }

  async addKernels(load: () => Promise<ProcessorKernels>): Promise<void> {
    this.#kernels = { ...this.#kernels, ...(await load()) };
  }

  tensor(label: string, length: number): Tensor {
    expectTensorLength(label, length);
    const address = this.#memory.take(label, 4 * length);
    this.counters.buffers += 1;
    this.counters.bufferBytes += 4 * length;
    const made: ProcessorTensor = { label, length, address };
    return made;
  }

  slice(tensor: Tensor, label: string, start: number, length: number): Tensor {
    expectSlice(tensor, label, start, length);
    const made: ProcessorTensor = {
      label,
      length,
      address: onProcessor(tensor).address + 4 * start,
    };
    return made;
  }

  upload(tensor: Tensor, data: Float32Array | Uint32Array, start = 0): void {
    expectUpload(tensor, data, start);
    const { buffer } = this.#memory.memory;
    const { address } = onProcessor(tensor);
    // Copy as integers to preserve the bits of NaNs.
    new Uint32Array(buffer, address + 4 * start, data.length).set(
      new Uint32Array(data.buffer, data.byteOffset, data.length),
    );
    this.counters.uploadBytes += data.byteLength;
  }

  free(tensor: Tensor): void {
    this.counters.buffers -= 1;
    this.counters.bufferBytes -= 4 * tensor.length;
    this.#memory.give(onProcessor(tensor).address, 4 * tensor.length);
  }

  /** Checks that every dispatched kernel exists. Functions are compiled on first use. */
  async prepare(record: (recorder: Recorder) => void): Promise<void> {
    const ignore = () => {};
    record({
      kind: this.kind,
      dispatch: (kernel) => this.#kernel(kernel),
      clear: ignore,
      copy: ignore,
      piece: ignore,
    });
    this.check();
  }

  async submit(
    label: string,
    record: (recorder: Recorder) => void,
    read: readonly { readonly tensor: Tensor; readonly length: number }[] = [],
  ): Promise<ArrayBuffer[]> {
    this.check();
    const since = performance.now();
    record({
      kind: this.kind,
      dispatch: (kernel, tensors, params, [x, y = 1, z = 1]) => {
        if (x > 0 && y > 0 && z > 0) this.#dispatch(kernel, tensors, params);
      },
      clear: (tensor) => this.#floats(tensor).fill(0),
      copy: (from, start, to, length) => {
        expectCopy(label, from, start, to, length);
        this.#words(to).set(this.#words(from).subarray(start, start + length));
      },
      piece: () => {},
    });
    const results = read.map(({ tensor, length }) => {
      const copy = new Uint32Array(length);
      copy.set(this.#words(tensor).subarray(0, length));
      return copy.buffer;
    });
    this.counters.readBytes += results.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.counters.submissions += 1;
    this.check();
    const now = performance.now();
    this.#profile?.bySubmission.add(label, now - since);
    await this.breathe();
    return results;
  }

  async breathe(): Promise<void> {
    if (performance.now() - this.#breathed <= BREATHE_AFTER_MS) return;
    await nextTask();
    this.#breathed = performance.now();
    this.check();
  }

  #floats(tensor: Tensor): Float32Array {
    const { address, length } = onProcessor(tensor);
    return new Float32Array(this.#memory.memory.buffer, address, length);
  }

  #words(tensor: Tensor): Uint32Array {
    const { address, length } = onProcessor(tensor);
    return new Uint32Array(this.#memory.memory.buffer, address, length);
  }

  #kernel({ kernel, entry }: KernelEntry): ProcessorKernel {
    const name = `${kernel}.${entry}`;
    const found = this.#kernels[name];
    if (!found) throw new KernelArgumentError(name, 'the processor has no such kernel');
    return found;
  }

  #dispatch(
    entry: KernelEntry,
    tensors: Readonly<Record<string, Tensor>>,
    params: Readonly<Record<string, number>>,
  ): void {
    const label = `${entry.kernel}.${entry.entry}`;
    const tensor = (name: string): Tensor => {
      const found = tensors[name];
      if (!found) throw new KernelArgumentError(label, `tensor "${name}" is missing`);
      return found;
    };
    const call: KernelCall = {
      constants: entry.constants ?? {},
      params,
      address: (name) => onProcessor(tensor(name)).address,
      floats: (name) => this.#floats(tensor(name)),
      words: (name) => this.#words(tensor(name)),
      share: (fn, args, units, work, constants = []) => {
        const values = fn.names.map((name) => args[name]);
        this.#threads.share(this.#compiled(fn, constants), values, units, work);
      },
      table: (name, length, fill) => this.#table(name, length, fill),
    };
    const kernel = this.#kernel(entry);
    const since = this.#profile?.detail === 'kernel' ? performance.now() : 0;
    try {
      kernel(call);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        this.fail(
          new DeviceLostError('a kernel failed', `${label}: ${error.message}`, 'The processor'),
        );
      }
      throw error;
    }
    if (this.#profile?.detail === 'kernel') {
      this.#profile.byKernel.add(label, performance.now() - since);
    }
    this.counters.dispatches += 1;
  }

  #compiled(fn: WasmFunction<string>, constants: readonly number[]): CompiledFunction {
    let variants = this.#functions.get(fn);
    if (!variants) {
      variants = new Map();
      this.#functions.set(fn, variants);
    }
    const key = constants.join();
    let compiled = variants.get(key);
    if (!compiled) {
      compiled = this.#compile(fn, constants);
      variants.set(key, compiled);
    }
    return compiled;
  }

  #compile(fn: WasmFunction<string>, constants: readonly number[]): CompiledFunction {
    const { memory, shared } = this.#memory;
    const bytes = assemble(fn.types, shared, (body, args) => fn.write(body, args, constants));
    const module = new WebAssembly.Module(bytes);
    const { run } = new WebAssembly.Instance(module, { env: { memory } }).exports;
    // Other threads compile the function from these bytes on first use.
    const address = this.#memory.take(fn.name, bytes.length);
    new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
    this.#functionCount += 1;
    this.counters.pipelines += 1;
    return {
      number: this.#functionCount,
      run: run as (...args: number[]) => void,
      address,
      bytes: bytes.length,
    };
  }

  #table(name: string, length: number, fill: (elements: Float32Array) => void): number {
    const known = this.#tables.get(name);
    if (known && known.length >= length) return known.address;
    if (known) this.#memory.give(known.address, 4 * known.length);
    const made = { label: name, length, address: this.#memory.take(name, 4 * length) };
    this.#tables.set(name, made);
    fill(this.#floats(made));
    return made.address;
  }

  /** Resolves at once: `submit` computes synchronously. */
  async idle(): Promise<void> {
    this.check();
  }

  startProfile(detail: ProfileDetail = 'submission'): void {
    if (this.#profile) throw new Error('A profile is being taken; stop it first.');
    this.#profile = {
      detail,
      since: performance.now(),
      before: { ...this.counters },
      bySubmission: new Shares(),
      byKernel: new Shares(),
    };
  }

  async stopProfile(): Promise<DeviceProfile> {
    if (!this.#profile) throw new Error('No profile is being taken; start one first.');
    const { since, before, bySubmission, byKernel } = this.#profile;
    this.#profile = undefined;
    const { submissions, dispatches, uploadBytes, readBytes } = this.counters;
    return {
      clock: 'device',
      wallMs: performance.now() - since,
      busyMs: bySubmission.total,
      // Work is computed while it is recorded.
      recordMs: 0,
      bySubmission: bySubmission.record(),
      byKernel: byKernel.record(),
      submissions: submissions - before.submissions,
      dispatches: dispatches - before.dispatches,
      uploadBytes: uploadBytes - before.uploadBytes,
      readBytes: readBytes - before.readBytes,
    };
  }

  lose(): void {
    this.fail(new DeviceLostError('unknown', 'it was given back', 'The processor'));
    this.#threads.close();
  }

  close(): void {
    this.#threads.close();
  }
}

/** @throws ProcessorUnavailableError */
function checkSimd(): void {
  const probe = assemble([], false, (body) => body.store(i32(0), f32(0).splat()));
  if (typeof WebAssembly === 'undefined' || !WebAssembly.validate(probe)) {
    throw new ProcessorUnavailableError(
      'The processor cannot train here: this browser’s WebAssembly has no vector instructions. Update the browser.',
    );
  }
}

/** @throws ProcessorUnavailableError */
function openMemory(shared: boolean): ProcessorMemory {
  try {
    return new ProcessorMemory(shared);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProcessorUnavailableError(
      'The processor cannot train here: the system gives WebAssembly no memory. Close other tabs and programs, and try again.',
    );
  }
}

interface Profile {
  readonly detail: ProfileDetail;
  readonly since: number;
  readonly before: Readonly<DeviceCounters>;
  readonly bySubmission: Shares;
  readonly byKernel: Shares;
}
