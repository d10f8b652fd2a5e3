/**
 * A small assembler for WebAssembly with SIMD. A kernel is one function over the memory that holds
 * all tensors. It is built from values (`I32`, `F32`, `V128`), which are code fragments that leave
 * one value on the stack, and from the statements of a `Body`, which run in the order in which they
 * are added.
 *
 * Encodings: WebAssembly Core Specification 2.0, sections 5.4 (instructions) and 5.5 (modules), and
 * the threads proposal for the shared memory flag.
 */

/** WebAssembly code: bytes, nested as they were generated. */
type Code = readonly (number | Code)[];

type Type = 'i32' | 'f32' | 'v128';
const typeCodes: Readonly<Record<Type, number>> = { i32: 0x7f, f32: 0x7d, v128: 0x7b };

/** Encodes an unsigned LEB128 integer. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

/** Encodes a signed 32-bit LEB128 integer. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
      bytes.push(low);
      return bytes;
    }
    bytes.push(low | 0x80);
  }
}

function floatBytes(value: number): number[] {
  return [...new Uint8Array(Float32Array.of(value).buffer)];
}

const simd = (operation: number): number[] => [0xfd, ...unsigned(operation)];

/** A 32-bit integer, or a boolean as 0 or 1. */
export class I32 {
  readonly code: Code;
  constructor(code: Code) {
    this.code = code;
  }
  #with(other: I32 | number, operation: number): I32 {
    return new I32([this.code, i32(other).code, operation]);
  }
  add(other: I32 | number): I32 {
    return other === 0 ? this : this.#with(other, 0x6a);
  }
  sub(other: I32 | number): I32 {
    return this.#with(other, 0x6b);
  }
  mul(other: I32 | number): I32 {
    return other === 1 ? this : this.#with(other, 0x6c);
  }
  /** Unsigned division. */
  div(other: I32 | number): I32 {
    return this.#with(other, 0x6e);
  }
  /** Unsigned remainder. */
  rem(other: I32 | number): I32 {
    return this.#with(other, 0x70);
  }
  and(other: I32 | number): I32 {
    return this.#with(other, 0x71);
  }
  or(other: I32 | number): I32 {
    return this.#with(other, 0x72);
  }
  xor(other: I32 | number): I32 {
    return this.#with(other, 0x73);
  }
  shl(other: I32 | number): I32 {
    return this.#with(other, 0x74);
  }
  /** Logical shift right: fills with zeros. */
  shr(other: I32 | number): I32 {
    return this.#with(other, 0x76);
  }
  eq(other: I32 | number): I32 {
    return this.#with(other, 0x46);
  }
  ne(other: I32 | number): I32 {
    return this.#with(other, 0x47);
  }
  /** Unsigned, as are the comparisons `gt`, `le` and `ge`. */
  lt(other: I32 | number): I32 {
    return this.#with(other, 0x49);
  }
  gt(other: I32 | number): I32 {
    return this.#with(other, 0x4b);
  }
  le(other: I32 | number): I32 {
    return this.#with(other, 0x4d);
  }
  ge(other: I32 | number): I32 {
    return this.#with(other, 0x4f);
  }
  /** Unsigned minimum. */
  min(other: I32): I32 {
    return select(this.lt(other), this, other);
  }
  /** Converts from an unsigned integer. */
  toFloat(): F32 {
    return new F32([this.code, 0xb3]);
  }
  /** Reinterprets the bits as a float. */
  asFloat(): F32 {
    return new F32([this.code, 0xbe]);
  }
}

export class F32 {
  readonly code: Code;
  constructor(code: Code) {
    this.code = code;
  }
  #with(other: F32 | number, operation: number): F32 {
    return new F32([this.code, f32(other).code, operation]);
  }
  #compare(other: F32 | number, operation: number): I32 {
    return new I32([this.code, f32(other).code, operation]);
  }
  add(other: F32 | number): F32 {
    return this.#with(other, 0x92);
  }
  sub(other: F32 | number): F32 {
    return this.#with(other, 0x93);
  }
  mul(other: F32 | number): F32 {
    return this.#with(other, 0x94);
  }
  div(other: F32 | number): F32 {
    return this.#with(other, 0x95);
  }
  min(other: F32 | number): F32 {
    return this.#with(other, 0x96);
  }
  max(other: F32 | number): F32 {
    return this.#with(other, 0x97);
  }
  sqrt(): F32 {
    return new F32([this.code, 0x91]);
  }
  neg(): F32 {
    return new F32([this.code, 0x8c]);
  }
  eq(other: F32 | number): I32 {
    return this.#compare(other, 0x5b);
  }
  lt(other: F32 | number): I32 {
    return this.#compare(other, 0x5d);
  }
  gt(other: F32 | number): I32 {
    return this.#compare(other, 0x5e);
  }
  le(other: F32 | number): I32 {
    return this.#compare(other, 0x5f);
  }
  ge(other: F32 | number): I32 {
    return this.#compare(other, 0x60);
  }
  /** Reinterprets the bits as an integer. */
  asInt(): I32 {
    return new I32([this.code, 0xbc]);
  }
  /** Copies the value into all four lanes. */
  splat(): V128 {
    return new V128([this.code, simd(0x13)]);
  }
}

/** A vector of four floats. Some methods treat it as four 32-bit integers or as a bit mask. */
export class V128 {
  readonly code: Code;
  constructor(code: Code) {
    this.code = code;
  }
  #with(other: V128 | number, operation: number): V128 {
    return new V128([this.code, v128(other).code, simd(operation)]);
  }
  #alone(operation: number): V128 {
    return new V128([this.code, simd(operation)]);
  }
  add(other: V128 | number): V128 {
    return this.#with(other, 0xe4);
  }
  sub(other: V128 | number): V128 {
    return this.#with(other, 0xe5);
  }
  mul(other: V128 | number): V128 {
    return this.#with(other, 0xe6);
  }
  div(other: V128 | number): V128 {
    return this.#with(other, 0xe7);
  }
  /**
   * `other < this ? other : this` in each lane, so a NaN in `other` is ignored. A single
   * instruction on x64.
   */
  min(other: V128 | number): V128 {
    return this.#with(other, 0xea);
  }
  /** `other > this ? other : this` in each lane, so a NaN in `other` is ignored. */
  max(other: V128 | number): V128 {
    return this.#with(other, 0xeb);
  }
  neg(): V128 {
    return this.#alone(0xe1);
  }
  sqrt(): V128 {
    return this.#alone(0xe3);
  }
  /** Rounds to the nearest integer, ties to even. */
  nearest(): V128 {
    return this.#alone(0x6a);
  }
  /** Lane mask, like the comparisons below: all bits set where true, else none. */
  eq(other: V128 | number): V128 {
    return this.#with(other, 0x41);
  }
  lt(other: V128 | number): V128 {
    return this.#with(other, 0x43);
  }
  gt(other: V128 | number): V128 {
    return this.#with(other, 0x44);
  }
  ge(other: V128 | number): V128 {
    return this.#with(other, 0x46);
  }
  and(other: V128): V128 {
    return this.#with(other, 0x4e);
  }
  /** `this & ~other`. */
  without(other: V128): V128 {
    return this.#with(other, 0x4f);
  }
  or(other: V128): V128 {
    return this.#with(other, 0x50);
  }
  /** Uses this vector as a bit mask: `yes` where a bit is set, else `no`. */
  choose(yes: V128, no: V128): V128 {
    return new V128([yes.code, no.code, this.code, simd(0x52)]);
  }
  /** Converts floats to signed integers: truncates, saturates at 32 bits, NaN becomes 0. */
  toInts(): V128 {
    return this.#alone(0xf8);
  }
  /** Converts signed integers to floats. */
  toFloats(): V128 {
    return this.#alone(0xfa);
  }
  /** Integer addition. */
  addInts(other: V128): V128 {
    return this.#with(other, 0xae);
  }
  /** Integer subtraction. */
  subInts(other: V128): V128 {
    return this.#with(other, 0xb1);
  }
  /** Integer shift left. */
  shl(bits: I32 | number): V128 {
    return new V128([this.code, i32(bits).code, simd(0xab)]);
  }
  /** Arithmetic integer shift right: preserves the sign. */
  shr(bits: I32 | number): V128 {
    return new V128([this.code, i32(bits).code, simd(0xac)]);
  }
  lane(lane: 0 | 1 | 2 | 3): F32 {
    return new F32([this.code, simd(0x1f), lane]);
  }
  /** Copies one lane into all four. */
  splatLane(lane: number): V128 {
    return this.shuffle(this, [lane, lane, lane, lane]);
  }
  /** Selects four lanes; 0 to 3 are lanes of this vector, 4 to 7 those of `other`. */
  shuffle(other: V128, lanes: readonly [number, number, number, number]): V128 {
    const bytes = lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte));
    return new V128([this.code, other.code, simd(0x0d), bytes]);
  }
}

export function i32(value: I32 | number): I32 {
  return typeof value === 'number' ? new I32([0x41, signed(value)]) : value;
}

export function f32(value: F32 | number): F32 {
  return typeof value === 'number' ? new F32([0x43, floatBytes(value)]) : value;
}

export function v128(value: V128 | number): V128 {
  return typeof value === 'number' ? vector([value, value, value, value]) : value;
}

/** A constant vector of four floats. */
export function vector(lanes: readonly [number, number, number, number]): V128 {
  return new V128([simd(0x0c), lanes.map(floatBytes)]);
}

/** A constant vector with the same integer in all four lanes. */
export function ints(value: number): V128 {
  const bytes = [...new Uint8Array(Int32Array.of(value).buffer)];
  return new V128([simd(0x0c), bytes, bytes, bytes, bytes]);
}

/** `condition ? yes : no`; both values are computed. */
export function select<V extends I32 | F32>(condition: I32, yes: V, no: V): V {
  const code: Code = [yes.code, no.code, condition.code, 0x1b];
  return (yes instanceof I32 ? new I32(code) : new F32(code)) as V;
}

/** The sum of the four lanes, in the order (0 + 2) + (1 + 3). */
export function sumOfLanes(body: Body, value: V128): F32 {
  const whole = body.v128(value);
  return whole
    .lane(0)
    .add(whole.lane(2))
    .add(whole.lane(1).add(whole.lane(3)));
}

/** The maximum of the four lanes. */
export function greatestLane(body: Body, value: V128): F32 {
  const whole = body.v128(value);
  return whole
    .lane(0)
    .max(whole.lane(2))
    .max(whole.lane(1).max(whole.lane(3)));
}

/** A local variable. Used as a value, it reads the variable. */
export interface Variable<V extends I32 | F32 | V128> {
  set(value: V): void;
}
type Local<V extends I32 | F32 | V128> = V & Variable<V>;

/** Memory argument of a load or store: byte offset, and alignment as a power-of-two exponent. */
function at(offset: number, align: number): Code {
  return [align, unsigned(offset)];
}

/** The statements of a function, in order. */
export class Body {
  #code: Code[] = [];
  readonly #locals: Type[] = [];
  readonly #arguments: number;

  constructor(args: number) {
    this.#arguments = args;
  }

  #local<V extends I32 | F32 | V128>(type: Type, of: new (code: Code) => V, value: V): Local<V> {
    const index = unsigned(this.#arguments + this.#locals.length);
    this.#locals.push(type);
    const set = (next: V) => {
      this.#code.push([next.code, 0x21, index]);
    };
    set(value);
    return Object.assign(new of([0x20, index]), { set });
  }

  i32(value: I32 | number): Local<I32> {
    return this.#local('i32', I32, i32(value));
  }

  f32(value: F32 | number): Local<F32> {
    return this.#local('f32', F32, f32(value));
  }

  v128(value: V128 | number): Local<V128> {
    return this.#local('v128', V128, v128(value));
  }

  loadInt(address: I32, offset = 0): I32 {
    return new I32([address.code, 0x28, at(offset, 2)]);
  }

  loadFloat(address: I32, offset = 0): F32 {
    return new F32([address.code, 0x2a, at(offset, 2)]);
  }

  /** Loads four consecutive elements. */
  load(address: I32, offset = 0): V128 {
    return new V128([address.code, simd(0x00), at(offset, 2)]);
  }

  /** Loads one element into all four lanes. */
  loadSplat(address: I32, offset = 0): V128 {
    return new V128([address.code, simd(0x09), at(offset, 2)]);
  }

  store(address: I32, value: I32 | F32 | V128, offset = 0): void {
    const operation = value instanceof I32 ? [0x36] : value instanceof F32 ? [0x38] : simd(0x0b);
    this.#code.push([address.code, value.code, operation, at(offset, 2)]);
  }

  /** Loops while the counter is below `to`. The counter must not reach 2³¹. */
  for(from: I32 | number, to: I32 | number, step: number, each: (counter: I32) => void): void {
    const counter = this.i32(from);
    this.while(counter.lt(to), () => {
      each(counter);
      counter.set(counter.add(step));
    });
  }

  /** Loops while the condition, evaluated before each iteration, holds. */
  while(condition: I32, each: () => void): void {
    const inside = this.#inside(each);
    // block { br_if out unless condition; loop { …; br_if again if condition } }
    this.#code.push([
      [0x02, 0x40, condition.code, 0x45, 0x0d, 0],
      [0x03, 0x40, inside, condition.code, 0x0d, 0, 0x0b, 0x0b],
    ]);
  }

  if(condition: I32, then: () => void, otherwise?: () => void): void {
    const code: Code[] = [[condition.code, 0x04, 0x40], this.#inside(then)];
    if (otherwise) code.push([0x05], this.#inside(otherwise));
    this.#code.push([...code, 0x0b]);
  }

  #inside(write: () => void): Code {
    const outside = this.#code;
    this.#code = [];
    write();
    const inside = this.#code;
    this.#code = outside;
    return inside;
  }

  /** Encoded function body, including its local declarations. */
  get bytes(): number[] {
    const locals = this.#locals.map((type) => [1, typeCodes[type]]);
    return flat([unsigned(locals.length), locals, this.#code, 0x0b]);
  }
}

function flat(code: Code, into: number[] = []): number[] {
  for (const part of code) {
    if (typeof part === 'number') into.push(part);
    else flat(part, into);
  }
  return into;
}

/** Function arguments by name. */
export type Arguments<Names extends string> = Readonly<Record<Names, I32>>;

function section(id: number, content: Code): Code {
  const bytes = flat(content);
  return [id, unsigned(bytes.length), bytes];
}

const name = (text: string): Code => [unsigned(text.length), [...new TextEncoder().encode(text)]];

/** Maximum size of a memory, in pages of 64 KiB. */
export const MOST_PAGES = 65536;

/**
 * Assembles a module that imports `env.memory` and exports a function `run` without a result.
 *
 * @param types argument types; `write` receives the arguments as values, in the same order
 * @param shared whether the imported memory is shared between threads
 */
export function assemble(
  types: readonly ('i32' | 'f32')[],
  shared: boolean,
  write: (body: Body, args: readonly (I32 | F32)[]) => void,
): Uint8Array<ArrayBuffer> {
  const body = new Body(types.length);
  const args = types.map((type, i) => {
    const code = [0x20, unsigned(i)];
    return type === 'i32' ? new I32(code) : new F32(code);
  });
  write(body, args);
  const { bytes } = body;
  const memory = shared ? [0x03, 0, unsigned(MOST_PAGES)] : [0x00, 0];
  return Uint8Array.from(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, [1, 0x60, unsigned(types.length), types.map((type) => typeCodes[type]), 0]),
      section(2, [1, name('env'), name('memory'), 0x02, memory]),
      section(3, [1, 0]),
      section(7, [1, name('run'), 0x00, 0]),
      section(10, [1, unsigned(bytes.length), bytes]),
    ]),
  );
}
