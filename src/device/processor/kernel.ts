import type { assemble, Body, F32, I32 } from './assembler.ts';

/** What a kernel is called with, and what it may do. */
export interface KernelCall {
  /** Compile-time constants of the dispatch. */
  readonly constants: Readonly<Record<string, number>>;
  readonly params: Readonly<Record<string, number>>;
  /** Where a tensor begins, in bytes. */
  address(tensor: string): number;
  /** A tensor's elements, for what is computed in TypeScript. Until the next call of the kernel. */
  floats(tensor: string): Float32Array;
  words(tensor: string): Uint32Array;
  /**
   * Runs a function over units 0 .. units − 1, on several threads if the work is large enough:
   * every unit writes its own outputs, and no sum spans units.
   *
   * @param work approximate multiply–adds of all units
   */
  share<Names extends string>(
    fn: WasmFunction<Names>,
    args: Readonly<Record<Names, number>>,
    units: number,
    work: number,
    constants?: readonly number[],
  ): void;
  /**
   * The address of a table that stays as long as the device, of the length it was last asked for or
   * longer. `fill` is called when it is new.
   */
  table(name: string, length: number, fill: (elements: Float32Array) => void): number;
}

/** A kernel's entry point on the processor. */
export type ProcessorKernel = (call: KernelCall) => void;

/** By `kernel.entry`. */
export type ProcessorKernels = Readonly<Record<string, ProcessorKernel>>;

type ArgumentType = 'i32' | 'f32';
type ValueOf<T extends ArgumentType> = T extends 'i32' ? I32 : F32;

/** What a function computes with besides its arguments. */
export interface Range {
  /** The units to compute: from `begin` to before `end`. */
  readonly begin: I32;
  readonly end: I32;
  /** Address of SCRATCH_BYTES of the thread's own. */
  readonly scratch: I32;
}

/** Bytes that every thread has for what a function lays down on the way. */
export const SCRATCH_BYTES = 1 << 18;

/** A function in WebAssembly, to be made when it is first shared out. */
export interface WasmFunction<Names extends string> {
  readonly name: string;
  readonly names: readonly Names[];
  readonly types: Parameters<typeof assemble>[0];
  write(body: Body, args: readonly (I32 | F32)[], constants: readonly number[]): void;
}

/**
 * @param args its arguments: addresses and sizes are `i32`, other numbers may be `f32`
 * @param write the units' loop and what it does; `constants` are those it is shared out with
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
