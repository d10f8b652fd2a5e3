/** Entries of the kernel registry: operations with test sizes, inputs, references and gradients. */
import type { DeviceKind, Dispatcher, Tensor } from '../device/index.ts';
import type { TestRandom } from './reference/random.ts';
import type { Values } from './reference/values.ts';

export type Sizes = Readonly<Record<string, number>>;
export type TensorData = Float32Array | Uint32Array;

/** |got − expected| ≤ absolute + relative·|expected|, element by element. */
export interface Tolerance {
  readonly relative: number;
  readonly absolute: number;
}

/** A gradient computed by the operation, to compare with finite differences. */
export interface GradientCheck {
  /** Name of the differentiated input, for failure messages. */
  readonly of: string;
  /** The point at which to differentiate. */
  readonly values: Values;
  /** The scalar Σ dy · y of the forward reference, as a function of `values`. */
  loss(values: Float64Array): number;
  /** The reference's gradient, in the order of `values`. */
  readonly analytic: Float64Array;
  /** The tensor that the kernel writes the gradient to, or adds it to. */
  readonly output: string;
}

/** One operation at one size, with random inputs. */
export interface Trial<Names extends string = string, Derived extends string = string> {
  /** Initial contents of every tensor; outputs that are overwritten start as NaN. */
  readonly tensors: Readonly<Record<Names, TensorData>>;
  /** Sizes computed from the inputs, in addition to the case's. */
  readonly derived?: Readonly<Record<Derived, number>>;
  /** Expected contents of changed tensors (NaN: still unset); all others must be unchanged. */
  readonly expected: Readonly<Partial<Record<Names, Values>>>;
  readonly gradients?: readonly GradientCheck[];
}

export interface Operation {
  readonly name: string;
  /** `file.entry` of each entry point that the operation dispatches. */
  readonly entries: readonly string[];
  /** Test sizes: 1, not a multiple of the tile, more than one workgroup, empty if allowed. */
  readonly cases: readonly Sizes[];
  /** A size that the processor splits over threads, if the kernel can be split. */
  readonly large: Sizes | undefined;
  /** Sizes that must throw a KernelArgumentError. */
  readonly refused: readonly Sizes[];
  readonly tolerance: Tolerance;
  /** GPU feature that the operation needs; its tests are skipped on adapters without it. */
  readonly feature: GPUFeatureName | undefined;
  /** Whether the operation has no CPU kernel; on the processor, the policy uses other operations. */
  readonly gpuOnly: boolean;
  /** Tensors without a length guard: rows are accessed by index, so their length is unknown. */
  readonly indexed: readonly string[];
  /** Inputs and expected results for a device kind; kinds differ in the contents of scratch. */
  trial(sizes: Sizes, random: TestRandom, kind: DeviceKind): Trial;
  /** Records the operation as the policy does. `sizes` includes the trial's derived sizes. */
  call(dispatcher: Dispatcher, tensors: Readonly<Record<string, Tensor>>, sizes: Sizes): void;
}

export const usual: Tolerance = { relative: 1e-5, absolute: 1e-5 };

/** Type-checks an operation's size and tensor names; returns the registry's common type. */
export function operation<
  S extends string,
  Names extends string,
  Derived extends string = never,
>(definition: {
  readonly name: string;
  readonly entries: readonly string[];
  readonly cases: readonly Readonly<Record<S, number>>[];
  readonly large?: Readonly<Record<NoInfer<S>, number>>;
  readonly refused?: readonly Readonly<Partial<Record<NoInfer<S | Derived>, number>>>[];
  readonly tolerance?: Tolerance;
  readonly feature?: GPUFeatureName;
  readonly gpuOnly?: boolean;
  readonly indexed?: readonly NoInfer<Names>[];
  trial(
    sizes: Readonly<Record<S, number>>,
    random: TestRandom,
    kind: DeviceKind,
  ): Trial<Names, Derived>;
  call(
    dispatcher: Dispatcher,
    tensors: Readonly<Record<NoInfer<Names>, Tensor>>,
    sizes: Readonly<Record<NoInfer<S | Derived>, number>>,
  ): void;
}): Operation {
  const {
    name,
    entries,
    cases,
    large,
    refused = [],
    tolerance = usual,
    indexed = [],
    feature,
    gpuOnly = feature !== undefined,
  } = definition;
  return {
    name,
    entries,
    cases,
    large,
    refused: refused as readonly Sizes[],
    tolerance,
    feature,
    gpuOnly,
    indexed,
    trial: (sizes, random, kind) =>
      definition.trial(sizes as Readonly<Record<S, number>>, random, kind) as Trial,
    call: (dispatcher, tensors, sizes) =>
      definition.call(
        dispatcher,
        tensors as Readonly<Record<Names, Tensor>>,
        sizes as Readonly<Record<S | Derived, number>>,
      ),
  };
}

/** An output filled with NaN; elements that stay NaN were not written. */
export function unset(length: number): Float32Array {
  return new Float32Array(length).fill(Number.NaN);
}
