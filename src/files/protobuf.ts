/**
 * The wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/), field by
 * field: who reads a message meets its fields one after the other, before anything is built from them,
 * and can stop at the first that is wrong. No code is made from a description of the messages, so that
 * a page may forbid `eval`.
 */

/** Thrown for bytes that are no message; the message is the end of a sentence about them. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A field of a message as it lies in the bytes. */
export class Field {
  /** Its number in the message's description. */
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

  /** Of the types int32, int64, bool and enum; exact within ±2^53. @throws {ProtobufError} */
  int(): number {
    this.#expect(wire.varint);
    return this.#number;
  }

  /** Of the type float. @throws {ProtobufError} */
  float(): number {
    this.#expect(wire.fixed32);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat32(0, true);
  }

  /** Of the type double. @throws {ProtobufError} */
  double(): number {
    this.#expect(wire.fixed64);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat64(0, true);
  }

  /** Of the type bytes, or a message within. It shares the file's memory. @throws {ProtobufError} */
  bytes(): Uint8Array {
    this.#expect(wire.bytes);
    return this.#bytes;
  }

  /** @param mostBytes longer texts are refused. @throws {ProtobufError} */
  text(mostBytes: number): string {
    const bytes = this.bytes();
    if (bytes.length > mostBytes) {
      throw new ProtobufError(`field ${this.id} has a text of ${bytes.length} bytes`);
    }
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      throw new ProtobufError(`the text of field ${this.id} is not UTF-8`);
    }
  }

  /** The floats of a repeated field: one of them, or several packed. @throws {ProtobufError} */
  *floats(): Generator<number> {
    yield* this.#fixed(wire.fixed32, 4, (view, at) => view.getFloat32(at, true));
  }

  /** As `floats`, of doubles. @throws {ProtobufError} */
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

  /** The numbers of a repeated field: one of them, or several packed. @throws {ProtobufError} */
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
      throw new ProtobufError(`field ${this.id} is of another type than expected`);
    }
  }
}

/**
 * Calls with each field of a message in their order; fields without a visitor are passed over.
 *
 * @param visitors by the numbers of their fields; what they throw ends it
 * @throws {ProtobufError} where fields do not fill the bytes
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
    if (id < 1 || id >= 2 ** 29) throw new ProtobufError(`no field has the number ${id}`);
    if (type === wire.varint) yield new Field(id, type, cursor.varint(), none);
    else if (type === wire.bytes) yield new Field(id, type, 0, cursor.take(cursor.varint()));
    else if (type === wire.fixed32) yield new Field(id, type, 0, cursor.take(4));
    else if (type === wire.fixed64) yield new Field(id, type, 0, cursor.take(8));
    else throw new ProtobufError(`field ${id} is of a type that is not read`);
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

  /** A signed number of 64 bits: seven a byte, the lowest first; more than 64 are dropped. */
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

/** Collects a message's fields in the order in which they are added. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** @param value a safe integer */
  int(id: number, value: number): this {
    return this.#tag(id, wire.varint).#varint(value);
  }

  /** A repeated field, packed; none where there are no numbers. @param values safe integers */
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

  /** @param value read when the message is finished */
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
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
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
