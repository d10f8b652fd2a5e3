import type { assemble, Body, F32, I32 } from './assembler.ts';

/** Arguments and services passed to a kernel on each dispatch. */
export interface KernelCall {
  /** Compile-time constants of the dispatch. */
  readonly constants: Readonly<Record<string, number>>;
  readonly params: Readonly<Record<string, number>>;
  /** Address of a tensor in bytes. */
  address(tensor: string): number;
  /**
   * A tensor's elements as floats (`floats`) or as unsigned integers (`words`), for computations in
   * TypeScript. The view is valid only during this call.
   */
  floats(tensor: string): Float32Array;
  words(tensor: string): Uint32Array;
  /**
   * Runs a function over units 0 .. units − 1, on several threads if the work is large enough.
   * Every unit writes its own outputs, and no sum spans units.
   *
   * @param work approximate number of multiply–adds of all units
   */
  share<Names extends string>(
    fn: WasmFunction<Names>,
    args: Readonly<Record<Names, number>>,
    units: number,
    work: number,
    constants?: readonly number[],
  ): void;
  /**
   * Returns the address of a table that exists as long as the device. It is allocated and filled
   * with `fill` on first use, and again if `length` exceeds its size.
   */
  table(name: string, length: number, fill: (elements: Float32Array) => void): number;
}

/** A kernel's entry point on the processor. */
export type ProcessorKernel = (call: KernelCall) => void;

/** Kernels keyed by `kernel.entry`. */
export type ProcessorKernels = Readonly<Record<string, ProcessorKernel>>;

type ArgumentType = 'i32' | 'f32';
type ValueOf<T extends ArgumentType> = T extends 'i32' ? I32 : F32;

/** Implicit arguments of every function. */
export interface Range {
  /** Units to compute: [begin, end). */
  readonly begin: I32;
  readonly end: I32;
  /** Address of this thread's scratch space of SCRATCH_BYTES. */
  readonly scratch: I32;
}

/** Bytes of scratch space per thread, for intermediate results of a function. */
export const SCRATCH_BYTES = 1 << 18;

/** A WebAssembly function, compiled on first use. */
export interface WasmFunction<Names extends string> {
  readonly name: string;
  readonly names: readonly Names[];
  readonly types: Parameters<typeof assemble>[0];
  write(body: Body, args: readonly (I32 | F32)[], constants: readonly number[]): void;
}

/**
 * Defines a WebAssembly function.
 *
 * @param args types of its arguments: addresses and sizes are `i32`, other numbers may be `f32`
 * @param write emits the loop over units; `constants` are those passed to `KernelCall.share`
 */
export function wasmFunction<const Args extends Readonly<Record<string, ArgumentType>>>(
  name: string,
  args: Args,
  write: (
    body: Body,
    args: { readonly [Name in keyof Args]: ValueOf<Args[Name]> } & Range,
    constants: readonly number[],
  ) => void,
): WasmFunction<keyof Args & string> {
  const names = Object.keys(args) as (keyof Args & string)[];
  return {
    name,
    names,
    types: [...names.map((key) => args[key] as ArgumentType), 'i32', 'i32', 'i32'],
    write: (body, values, constants) => {
      const all = [...names, 'begin', 'end', 'scratch'];
      const byName = Object.fromEntries(all.map((key, i) => [key, values[i]]));
      write(body, byName as Parameters<typeof write>[1], constants);
    },
  };
}
