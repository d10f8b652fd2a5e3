import { WgslReflect } from 'wgsl_reflect/wgsl_reflect.module.js';
import type { DeviceCounters, KernelEntry, Tensor } from '../device.ts';
import { KernelArgumentError } from '../errors.ts';
import { onGpu } from './tensor.ts';

interface ParamField {
  readonly name: string;
  readonly offset: number;
  readonly kind: 'u32' | 'i32' | 'f32';
}

interface Binding {
  readonly name: string;
  readonly binding: number;
}

/** Bind groups by their tensors, one level a binding. A freed tensor takes its groups with it. */
interface BindGroupNode {
  group?: GPUBindGroup;
  readonly next: WeakMap<Tensor, BindGroupNode>;
}

/** How a kernel's arguments reach it. */
interface Signature {
  readonly layout: GPUBindGroupLayout;
  /** Tensors, in the order of their bindings. */
  readonly bindings: readonly Binding[];
  readonly params: readonly ParamField[];
  readonly paramsBinding: number | undefined;
  readonly paramsBytes: number;
}

/** A kernel about to be compiled. */
interface Plan extends Signature {
  readonly descriptor: GPUComputePipelineDescriptor;
}

export interface Pipeline extends Signature {
  /** For instance `embedding.forward(WIDTH=64)`. */
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  readonly bindGroups: BindGroupNode;
}

/** Pipelines and bind groups, each made once. Looking one up is on the way of every dispatch. */
export class Pipelines {
  readonly #device: GPUDevice;
  readonly #counters: DeviceCounters;
  readonly #uniforms: GPUBuffer;
  /** By code, then by entry point and constants. */
  readonly #byCode = new Map<string, Map<string, Pipeline>>();

  constructor(device: GPUDevice, counters: DeviceCounters, uniforms: GPUBuffer) {
    this.#device = device;
    this.#counters = counters;
    this.#uniforms = uniforms;
  }

  /** Compiles those that are missing, side by side. */
  async prepare(kernels: readonly KernelEntry[]): Promise<void> {
    const wanted = new Map<string, KernelEntry>();
    for (const kernel of kernels) {
      if (!this.#find(kernel)) wanted.set(labelOf(kernel), kernel);
    }
    await Promise.all(
      [...wanted.values()].map(async (kernel) => {
        const plan = this.#plan(kernel);
        this.#add(kernel, plan, await this.#device.createComputePipelineAsync(plan.descriptor));
      }),
    );
  }

  get(kernel: KernelEntry): Pipeline {
    const known = this.#find(kernel);
    if (known) return known;
    const plan = this.#plan(kernel);
    return this.#add(kernel, plan, this.#device.createComputePipeline(plan.descriptor));
  }

  bindGroup(pipeline: Pipeline, tensors: Readonly<Record<string, Tensor>>): GPUBindGroup {
    let node = pipeline.bindGroups;
    for (const { name } of pipeline.bindings) {
      const tensor = argument(pipeline, tensors, name);
      let next = node.next.get(tensor);
      if (!next) {
        next = { next: new WeakMap() };
        node.next.set(tensor, next);
      }
      node = next;
    }
    node.group ??= this.#makeBindGroup(pipeline, tensors);
    return node.group;
  }

  #find(kernel: KernelEntry): Pipeline | undefined {
    return this.#byCode.get(kernel.code)?.get(variantOf(kernel));
  }

  #add(
    kernel: KernelEntry,
    { layout, bindings, params, paramsBinding, paramsBytes }: Plan,
    pipeline: GPUComputePipeline,
  ): Pipeline {
    const made: Pipeline = {
      label: labelOf(kernel),
      pipeline,
      layout,
      bindings,
      params,
      paramsBinding,
      paramsBytes,
      bindGroups: { next: new WeakMap() },
    };
    const variants = this.#byCode.get(kernel.code) ?? new Map<string, Pipeline>();
    variants.set(variantOf(kernel), made);
    this.#byCode.set(kernel.code, variants);
    this.#counters.pipelines += 1;
    return made;
  }

  #plan(kernel: KernelEntry): Plan {
    const label = labelOf(kernel);
    const code = codeOf(kernel);
    const reflected = new WgslReflect(code).entry.compute.find(({ name }) => name === kernel.entry);
    if (!reflected) throw new KernelArgumentError(label, 'no such entry point');
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
    const layout = this.#device.createBindGroupLayout({ label, entries });
    const params: ParamField[] = (uniform?.members ?? []).map(({ name, offset, type }) => {
      if (type.name !== 'u32' && type.name !== 'i32' && type.name !== 'f32') {
        throw new KernelArgumentError(label, `params.${name} must be u32, i32 or f32`);
      }
      return { name, offset, kind: type.name };
    });
    return {
      descriptor: {
        label,
        layout: this.#device.createPipelineLayout({ label, bindGroupLayouts: [layout] }),
        compute: {
          module: this.#device.createShaderModule({ label, code }),
          entryPoint: kernel.entry,
        },
      },
      layout,
      bindings: storage.map(({ name, binding }): Binding => ({ name, binding })),
      params,
      paramsBinding: uniform?.binding,
      paramsBytes,
    };
  }

  #makeBindGroup(pipeline: Pipeline, tensors: Readonly<Record<string, Tensor>>): GPUBindGroup {
    const { label, layout, bindings, paramsBinding, paramsBytes } = pipeline;
    const entries: GPUBindGroupEntry[] = bindings.map(({ name, binding }) => {
      const { buffer, offset, length } = onGpu(argument(pipeline, tensors, name));
      return { binding, resource: { buffer, offset, size: length * 4 } };
    });
    if (paramsBinding !== undefined) {
      const resource = { buffer: this.#uniforms, size: paramsBytes };
      entries.push({ binding: paramsBinding, resource });
    }
    this.#counters.bindGroups += 1;
    return this.#device.createBindGroup({ label, layout, entries });
  }
}

/** Writes a dispatch's parameters into its slot of the uniform buffer. */
export function writeParams(
  pipeline: Pipeline,
  params: Readonly<Record<string, number>>,
  view: DataView,
  base: number,
): void {
  for (const { name, offset, kind } of pipeline.params) {
    const value = params[name];
    if (value === undefined) {
      throw new KernelArgumentError(pipeline.label, `parameter "${name}" is missing`);
    }
    if (kind === 'f32') view.setFloat32(base + offset, value, true);
    else if (kind === 'u32') view.setUint32(base + offset, value, true);
    else view.setInt32(base + offset, value, true);
  }
}

function argument(
  { label }: Pipeline,
  tensors: Readonly<Record<string, Tensor>>,
  name: string,
): Tensor {
  const tensor = tensors[name];
  if (!tensor) throw new KernelArgumentError(label, `tensor "${name}" is missing`);
  return tensor;
}

/** What tells kernels of the same code apart. */
function variantOf({ entry, constants, directives = '' }: KernelEntry): string {
  let variant = directives + entry;
  for (const name in constants) variant += `,${name}=${constants[name]}`;
  return variant;
}

function labelOf({ kernel, entry, constants = {} }: KernelEntry): string {
  const values = Object.entries(constants).map(([name, value]) => `${name}=${value}`);
  return `${kernel}.${entry}(${values.join(',')})`;
}

function codeOf({ code, constants = {}, directives = '' }: KernelEntry): string {
  const header = Object.entries(constants)
    .map(([name, value]) => `const ${name}: u32 = ${value}u;\n`)
    .join('');
  return directives + header + code;
}
