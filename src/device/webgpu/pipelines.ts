import type { DeviceCounters, KernelEntry, Shader, Signature, Tensor } from '../device.ts';
import { KernelArgumentError } from '../errors.ts';
import { onGpu } from './tensor.ts';

/** Bind groups keyed by tensors, one level per binding. Groups are freed with their tensors. */
interface BindGroupNode {
  group?: GPUBindGroup;
  readonly next: WeakMap<Tensor, BindGroupNode>;
}

/** Layout and descriptor of a pipeline to be compiled. */
interface Plan {
  readonly signature: Signature;
  readonly layout: GPUBindGroupLayout;
  readonly descriptor: GPUComputePipelineDescriptor;
}

interface Pipeline extends Omit<Plan, 'descriptor'> {
  /** For example `embedding.forward(WIDTH=64)`. */
  readonly label: string;
  readonly pipeline: GPUComputePipeline;
  /** Maximum width of a one-dimensional grid, if the kernel can index a folded one. */
  readonly fold: number;
  readonly bindGroups: BindGroupNode;
}

/** Size of a dispatch's uniform struct in bytes, rounded up to a multiple of 16. */
const paramsBytes = ({ params }: Signature): number => Math.ceil((params?.bytes ?? 0) / 16) * 16;

/**
 * Workgroups per row of a folded grid. A one-dimensional grid of more is folded, because a device
 * runs at most 65,535 in a row. The last row may have workgroups without work.
 */
export const FOLD = 1024;

/** Cache of pipelines and bind groups. Every dispatch looks up both, so lookups must be fast. */
export class Pipelines {
  readonly #device: GPUDevice;
  readonly #counters: DeviceCounters;
  readonly #uniforms: GPUBuffer;
  readonly #fold: number;
  /** Keyed by code, then by entry point and constants. */
  readonly #byCode = new Map<Shader, Map<string, Pipeline>>();

  constructor(device: GPUDevice, counters: DeviceCounters, uniforms: GPUBuffer, fold: number) {
    this.#device = device;
    this.#counters = counters;
    this.#uniforms = uniforms;
    this.#fold = fold;
  }

  /** Compiles missing pipelines concurrently. */
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
    for (const { name } of pipeline.signature.bindings) {
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

  #add(kernel: KernelEntry, { signature, layout }: Plan, pipeline: GPUComputePipeline): Pipeline {
    const made: Pipeline = {
      label: labelOf(kernel),
      pipeline,
      fold: /_index\(/.test(kernel.code.text) ? this.#fold : Number.POSITIVE_INFINITY,
      signature,
      layout,
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
    const code = codeOf(kernel, this.#fold);
    const signature = kernel.code.signatures[kernel.entry];
    if (!signature) throw new KernelArgumentError(label, 'no such entry point');
    const { bindings, params } = signature;
    const entries: GPUBindGroupLayoutEntry[] = bindings.map(({ binding, written }) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: written ? 'storage' : 'read-only-storage' },
    }));
    if (params !== null) {
      const minBindingSize = paramsBytes(signature);
      entries.push({
        binding: params.binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: 'uniform', hasDynamicOffset: true, minBindingSize },
      });
    }
    const layout = this.#device.createBindGroupLayout({ label, entries });
    return {
      signature,
      layout,
      descriptor: {
        label,
        layout: this.#device.createPipelineLayout({ label, bindGroupLayouts: [layout] }),
        compute: {
          module: this.#device.createShaderModule({ label, code }),
          entryPoint: kernel.entry,
        },
      },
    };
  }

  #makeBindGroup(pipeline: Pipeline, tensors: Readonly<Record<string, Tensor>>): GPUBindGroup {
    const { label, layout, signature } = pipeline;
    const entries: GPUBindGroupEntry[] = signature.bindings.map(({ name, binding }) => {
      const { buffer, offset, length } = onGpu(argument(pipeline, tensors, name));
      return { binding, resource: { buffer, offset, size: length * 4 } };
    });
    if (signature.params !== null) {
      const resource = { buffer: this.#uniforms, size: paramsBytes(signature) };
      entries.push({ binding: signature.params.binding, resource });
    }
    this.#counters.bindGroups += 1;
    return this.#device.createBindGroup({ label, layout, entries });
  }
}

/** Writes a dispatch's parameters into its slot of the uniform buffer, at byte `base`. */
export function writeParams(
  pipeline: Pipeline,
  params: Readonly<Record<string, number>>,
  view: DataView,
  base: number,
): void {
  for (const { name, offset, kind } of pipeline.signature.params?.fields ?? []) {
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

/** Cache key among kernels with the same code: directives, entry point and constants. */
function variantOf({ entry, constants, directives = '' }: KernelEntry): string {
  let variant = directives + entry;
  for (const name in constants) variant += `,${name}=${constants[name]}`;
  return variant;
}

function labelOf({ kernel, entry, constants = {} }: KernelEntry): string {
  const values = Object.entries(constants).map(([name, value]) => `${name}=${value}`);
  return `${kernel}.${entry}(${values.join(',')})`;
}

/**
 * The code after its constants and the functions that index a grid that may be folded:
 * `global_index` of an invocation, in workgroups of 64, and `group_index` of a workgroup. They add
 * no line, so that line numbers in messages stay.
 */
function codeOf({ code, constants = {}, directives = '' }: KernelEntry, fold: number): string {
  const header = Object.entries(constants)
    .map(([name, value]) => `const ${name}: u32 = ${value}u;\n`)
    .join('');
  const indices =
    `fn global_index(id: vec3u) -> u32 { return id.x + id.y * ${64 * fold}u; } ` +
    `fn group_index(id: vec3u) -> u32 { return id.x + id.y * ${fold}u; } `;
  return directives + indices + header + code.text;
}
