/** What the kernel registry holds: operations with sizes to try, inputs, references and gradients. */
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

/** One gradient that the operation computes, to be compared with finite differences. */
export interface GradientCheck {
  /** What is differentiated, for the test's title. */
  readonly of: string;
  /** Where to differentiate. */
  readonly values: Values;
  /** The scalar Σ dy · y of the forward reference, as a function of `values`. */
  loss(values: Float64Array): number;
  /** The reference's gradient, like `values`. */
  readonly analytic: Float64Array;
  /** The tensor that the kernel leaves it in (on top of what it adds to). */
  readonly output: string;
}

/** One operation at one size with its inputs drawn. */
export interface Trial<Names extends string = string, Derived extends string = string> {
  /** What every tensor holds before the run; outputs that are overwritten start as NaN. */
  readonly tensors: Readonly<Record<Names, TensorData>>;
  /** Sizes that follow from the inputs, besides those asked for. */
  readonly derived?: Readonly<Record<Derived, number>>;
  /** What the changed tensors hold afterwards (NaN: still unset); all others must be as before. */
  readonly expected: Readonly<Partial<Record<Names, Values>>>;
  readonly gradients?: readonly GradientCheck[];
}

export interface Operation {
  readonly name: string;
  /** `file.entry` of each entry point that it dispatches. */
  readonly entries: readonly string[];
  /** Sizes to try: 1, not a multiple of the tile, past one workgroup, empty where allowed. */
  readonly cases: readonly Sizes[];
  /** A size at which the processor's threads share the work, where they may. */
  readonly large: Sizes | undefined;
  /** Sizes that must be refused with a KernelArgumentError. */
  readonly refused: readonly Sizes[];
  readonly tolerance: Tolerance;
  /** What the adapter must offer; where it does not, the operation's runs are skipped. */
  readonly feature: GPUFeatureName | undefined;
  /** Whether no processor computes it: there the policy uses other operations. */
  readonly gpuOnly: boolean;
  /** Tensors whose length no argument tells (rows are found by index), hence without a guard. */
  readonly indexed: readonly string[];
  /** For a device of this kind: they differ in what they lay down on the way. */
  trial(sizes: Sizes, random: TestRandom, kind: DeviceKind): Trial;
  /** Records the operation as the policy does; `sizes` are the case's and the trial's derived. */
  call(dispatcher: Dispatcher, tensors: Readonly<Record<string, Tensor>>, sizes: Sizes): void;
}

export const usual: Tolerance = { relative: 1e-5, absolute: 1e-5 };

/** Joins an operation's typed sizes and tensor names to the registry's common type. */
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

/** An output to overwrite: elements that stay NaN were not written. */
export function unset(length: number): Float32Array {
  return new Float32Array(length).fill(Number.NaN);
}
