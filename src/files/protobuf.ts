/**
 * Reads and writes the wire format of Protocol Buffers
 * (https://protobuf.dev/programming-guides/encoding/). A message is read field by field, so a
 * reader can stop at the first invalid one. No code is generated at runtime, so the page's content
 * security policy can forbid `eval`.
 */

import { joinBytes } from './bytes.ts';

/** Thrown for invalid bytes. The message is a clause that completes a sentence about the file. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** An encoded field of a message. */
export class Field {
  /** The field number. */
  readonly id: number;
  readonly #wire: number;
  readonly #number: number;
  readonly #bytes: Uint8Array;

  constructor(id: number, wireType: number, number: number, bytes: Uint8Array) {
    this.id = id;
    this.#wire = wireType;
    this.#number = number;
    this.#bytes = bytes;
  }

  /** Value of type int32, int64, bool or enum; exact within ±2^53. @throws {ProtobufError} */
  int(): number {
    this.#expect(wire.varint);
    return this.#number;
  }

  /** Value of type float. @throws {ProtobufError} */
  float(): number {
    this.#expect(wire.fixed32);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat32(0, true);
  }

  /** Value of type double. @throws {ProtobufError} */
  double(): number {
    this.#expect(wire.fixed64);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat64(0, true);
  }

  /** A view of a bytes value or an embedded message, not a copy. @throws {ProtobufError} */
  bytes(): Uint8Array {
    this.#expect(wire.bytes);
    return this.#bytes;
  }

  /** Value of type string. @param mostBytes maximum length. @throws {ProtobufError} */
  text(mostBytes: number): string {
    const bytes = this.bytes();
    if (bytes.length > mostBytes) {
      throw new ProtobufError(
        `field ${this.id} has a string of ${bytes.length} bytes; the limit is ${mostBytes}`,
      );
    }
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new ProtobufError(`the text of field ${this.id} is not UTF-8`);
    }
  }

  /** Floats of a repeated field, packed or not. @throws {ProtobufError} */
  *floats(): Generator<number> {
    yield* this.#fixed(wire.fixed32, 4, (view, at) => view.getFloat32(at, true));
  }

  /** Doubles of a repeated field, packed or not. @throws {ProtobufError} */
  *doubles(): Generator<number> {
    yield* this.#fixed(wire.fixed64, 8, (view, at) => view.getFloat64(at, true));
  }

  *#fixed(
    alone: number,
    width: number,
    read: (view: DataView, at: number) => number,
  ): Generator<number> {
    const bytes = this.#wire === alone ? this.#bytes : this.bytes();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + width <= bytes.length; at += width) yield read(view, at);
  }

  /** Integers of a repeated field, packed or not. @throws {ProtobufError} */
  *ints(): Generator<number> {
    if (this.#wire === wire.varint) {
      yield this.#number;
      return;
    }
    const cursor = new Cursor(this.bytes());
    while (!cursor.done) yield cursor.varint();
  }

  #expect(wireType: number): void {
    if (this.#wire !== wireType) {
      throw new ProtobufError(`field ${this.id} has an unexpected wire type`);
    }
  }
}

/**
 * Calls a visitor for each field of a message, in order. Fields without a visitor are skipped.
 *
 * @param visitors keyed by field number; an error that one throws is passed on
 * @throws {ProtobufError} if the bytes are not a sequence of fields
 */
export function visitFields(
  message: Uint8Array,
  visitors: Readonly<Record<number, (field: Field) => unknown>>,
): void {
  for (const field of fields(message)) visitors[field.id]?.(field);
}

function* fields(message: Uint8Array): Generator<Field> {
  const cursor = new Cursor(message);
  while (!cursor.done) {
    const tag = cursor.varint();
    const [id, type] = [Math.floor(tag / 8), tag % 8];
    if (id < 1 || id >= 2 ** 29) throw new ProtobufError(`${id} is not a valid field number`);
    if (type === wire.varint) yield new Field(id, type, cursor.varint(), none);
    else if (type === wire.bytes) yield new Field(id, type, 0, cursor.take(cursor.varint()));
    else if (type === wire.fixed32) yield new Field(id, type, 0, cursor.take(4));
    else if (type === wire.fixed64) yield new Field(id, type, 0, cursor.take(8));
    else throw new ProtobufError(`field ${id} has an unsupported wire type`);
  }
}

const none = new Uint8Array();

class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Reads a signed 64-bit varint: 7 bits per byte, lowest first. Bits beyond 64 are dropped. */
  varint(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new ProtobufError('it is cut off within a number');
      const bits = byte & 0x7f;
      if (shift < 28) low += bits * 2 ** shift;
      else high += bits * 2 ** (shift - 28);
      if (byte >= 0x80) continue;
      const upper = high % 2 ** 36;
      return (upper < 2 ** 35 ? upper : upper - 2 ** 36) * 2 ** 28 + low;
    }
    throw new ProtobufError('a number in it has more than 64 bits');
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new ProtobufError('it is cut off');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

/** Encodes a message; fields appear in the order in which they are added. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** @param value a safe integer */
  int(id: number, value: number): this {
    return this.#tag(id, wire.varint).#varint(value);
  }

  /** Adds a packed repeated field, or nothing for an empty list. @param values safe integers */
  ints(id: number, values: readonly number[]): this {
    if (values.length === 0) return this;
    const packed = new MessageWriter();
    for (const value of values) packed.#varint(value);
    return this.message(id, packed);
  }

  float(id: number, value: number): this {
    return this.#tag(id, wire.fixed32).#add(new Uint8Array(Float32Array.of(value).buffer));
  }

  double(id: number, value: number): this {
    return this.#tag(id, wire.fixed64).#add(new Uint8Array(Float64Array.of(value).buffer));
  }

  /** @param value not copied until `finish` */
  bytes(id: number, value: Uint8Array): this {
    return this.#tag(id, wire.bytes).#varint(value.length).#add(value);
  }

  text(id: number, value: string): this {
    return this.bytes(id, new TextEncoder().encode(value));
  }

  message(id: number, value: MessageWriter): this {
    this.#tag(id, wire.bytes).#varint(value.#length);
    for (const part of value.#parts) this.#add(part);
    return this;
  }

  finish(): Uint8Array<ArrayBuffer> {
    return joinBytes(this.#parts);
  }

  #tag(id: number, wireType: number): this {
    return this.#varint(id * 8 + wireType);
  }

  #varint(value: number): this {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    return this.#add(Uint8Array.of(...bytes, Number(rest)));
  }

  #add(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}
