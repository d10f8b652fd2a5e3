/**
 * Python's pickle format, protocols 2 to 5, restricted to plain data: None, booleans, numbers,
 * strings, bytes, lists, tuples, sets and dicts. Nothing is called or imported: class instances
 * are read as null, and so are tensors, which `torch.save` stores outside of the pickle.
 */

/** Thrown for bytes that are not a pickle of plain data. */
export class PickleError extends Error {
  override readonly name = 'PickleError';
}

/** Maximum number of values in a pickle, and on its stack. */
const MOST_VALUES = 20_000_000;

const MARK = Symbol('mark');
type Value = unknown;

/** @throws {PickleError} */
export function readPickle(bytes: Uint8Array): unknown {
  return new Unpickler(bytes).read();
}

class Unpickler {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #decoder = new TextDecoder();
  #at = 0;
  #values = 0;
  readonly #stack: Value[] = [];
  readonly #memo: Value[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(): unknown {
    for (;;) {
      if (++this.#values > MOST_VALUES) throw new PickleError('has too many values');
      const code = this.#byte();
      if (code === 0x2e) return this.#pop();
      this.#step(code);
    }
  }

  #step(code: number): void {
    const push = (value: Value) => this.#stack.push(value);
    switch (code) {
      case 0x80: // PROTO
        this.#skip(1);
        return;
      case 0x95: // FRAME
        this.#skip(8);
        return;
      case 0x28: // MARK
        push(MARK);
        return;
      case 0x30: // POP
        this.#pop();
        return;
      case 0x31: // POP_MARK
        this.#marked();
        return;
      case 0x32: // DUP
        push(this.#stack.at(-1));
        return;
      case 0x4e: // NONE
        push(null);
        return;
      case 0x88: // NEWTRUE
      case 0x89: // NEWFALSE
        push(code === 0x88);
        return;
      case 0x4b: // BININT1
        push(this.#byte());
        return;
      case 0x4d: // BININT2
        push(this.#number(2, (at) => this.#view.getUint16(at, true)));
        return;
      case 0x4a: // BININT
        push(this.#number(4, (at) => this.#view.getInt32(at, true)));
        return;
      case 0x8a: // LONG1
        push(this.#long(this.#byte()));
        return;
      case 0x8b: // LONG4
        push(this.#long(this.#size(4)));
        return;
      case 0x47: // BINFLOAT
        push(this.#number(8, (at) => this.#view.getFloat64(at, false)));
        return;
      case 0x8c: // SHORT_BINUNICODE
        push(this.#text(this.#byte()));
        return;
      case 0x58: // BINUNICODE
        push(this.#text(this.#size(4)));
        return;
      case 0x8d: // BINUNICODE8
        push(this.#text(this.#size(8)));
        return;
      case 0x43: // SHORT_BINBYTES
      case 0x55: // SHORT_BINSTRING
        push(this.#slice(this.#byte()));
        return;
      case 0x42: // BINBYTES
      case 0x54: // BINSTRING
        push(this.#slice(this.#size(4)));
        return;
      case 0x8e: // BINBYTES8
      case 0x96: // BYTEARRAY8
        push(this.#slice(this.#size(8)));
        return;
      case 0x5d: // EMPTY_LIST
        push([]);
        return;
      case 0x7d: // EMPTY_DICT
        push(new Map());
        return;
      case 0x8f: // EMPTY_SET
        push([]);
        return;
      case 0x29: // EMPTY_TUPLE
        push([]);
        return;
      case 0x6c: // LIST
      case 0x74: // TUPLE
      case 0x91: // FROZENSET
        push(this.#marked());
        return;
      case 0x85: // TUPLE1
      case 0x86: // TUPLE2
      case 0x87: // TUPLE3
        push(Array.from({ length: code - 0x84 }, () => this.#pop()).reverse());
        return;
      case 0x61: {
        // APPEND
        const value = this.#pop();
        this.#list().push(value);
        return;
      }
      case 0x65: // APPENDS
      case 0x90: {
        // ADDITEMS
        const values = this.#marked();
        const list = this.#list();
        for (const value of values) list.push(value);
        return;
      }
      case 0x73: {
        // SETITEM
        const [value, key] = [this.#pop(), this.#pop()];
        this.#dict().set(key, value);
        return;
      }
      case 0x75: {
        // SETITEMS
        const values = this.#marked();
        const dict = this.#dict();
        for (let i = 0; i + 1 < values.length; i += 2) dict.set(values[i], values[i + 1]);
        return;
      }
      case 0x64: {
        // DICT
        const values = this.#marked();
        const dict = new Map<unknown, unknown>();
        for (let i = 0; i + 1 < values.length; i += 2) dict.set(values[i], values[i + 1]);
        push(dict);
        return;
      }
      case 0x71: // BINPUT
        this.#memo[this.#byte()] = this.#stack.at(-1);
        return;
      case 0x72: // LONG_BINPUT
        this.#remember(this.#size(4));
        return;
      case 0x94: // MEMOIZE
        this.#memo.push(this.#stack.at(-1));
        return;
      case 0x68: // BINGET
        push(this.#memo[this.#byte()] ?? null);
        return;
      case 0x6a: // LONG_BINGET
        push(this.#memo[this.#size(4)] ?? null);
        return;
      case 0x63: // GLOBAL
        this.#line();
        this.#line();
        push(null);
        return;
      case 0x93: // STACK_GLOBAL
        this.#pop();
        this.#pop();
        push(null);
        return;
      case 0x52: // REDUCE
      case 0x81: // NEWOBJ
      case 0x62: // BUILD
        this.#pop();
        if (code !== 0x62) {
          this.#pop();
          push(null);
        }
        return;
      case 0x92: // NEWOBJ_EX
        this.#pop();
        this.#pop();
        this.#pop();
        push(null);
        return;
      case 0x51: // BINPERSID
        this.#pop();
        push(null);
        return;
      default:
        throw new PickleError(`has an unsupported opcode ${code} at byte ${this.#at - 1}`);
    }
  }

  #remember(place: number): void {
    if (place > this.#values) throw new PickleError('refers to a missing value');
    this.#memo[place] = this.#stack.at(-1);
  }

  #pop(): Value {
    if (this.#stack.length === 0) throw new PickleError('pops from an empty stack');
    return this.#stack.pop();
  }

  #marked(): Value[] {
    const at = this.#stack.lastIndexOf(MARK);
    if (at === -1) throw new PickleError('pops from an empty stack');
    const values = this.#stack.splice(at);
    return values.slice(1);
  }

  #list(): Value[] {
    const list = this.#stack.at(-1);
    // Items of a class instance, such as an ordered dict, are dropped with it.
    return Array.isArray(list) ? list : [];
  }

  #dict(): Map<unknown, unknown> {
    const dict = this.#stack.at(-1);
    return dict instanceof Map ? dict : new Map();
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new PickleError('is truncated');
    return byte;
  }

  #skip(count: number): void {
    this.#at += count;
    if (this.#at > this.#bytes.length) throw new PickleError('is truncated');
  }

  #number(size: number, read: (at: number) => number): number {
    const at = this.#at;
    this.#skip(size);
    return read(at);
  }

  #size(size: 4 | 8): number {
    const at = this.#at;
    this.#skip(size);
    const low = this.#view.getUint32(at, true);
    return size === 4 ? low : low + 2 ** 32 * this.#view.getUint32(at + 4, true);
  }

  #slice(size: number): Uint8Array {
    const from = this.#at;
    this.#skip(size);
    return this.#bytes.subarray(from, from + size);
  }

  #text(size: number): string {
    return this.#decoder.decode(this.#slice(size));
  }

  #long(size: number): number {
    const bytes = this.#slice(size);
    let value = 0;
    for (let i = bytes.length - 1; i >= 0; i--) value = 256 * value + (bytes[i] ?? 0);
    return (bytes.at(-1) ?? 0) >= 128 ? value - 256 ** size : value;
  }

  #line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#at);
    if (end === -1) throw new PickleError('is truncated');
    const text = this.#decoder.decode(this.#bytes.subarray(this.#at, end));
    this.#at = end + 1;
    return text;
  }
}

/** Maximum number of values that copies of shared values may add. */
const MOST_COPIED = 1_000_000;

/**
 * Converts dicts to plain objects, as in JSON; only string keys are kept. A shared value is copied at
 * each reference, so that the result is a tree.
 *
 * @param bytes length of the pickle; an unshared value takes at least one
 * @throws {PickleError} for too many copies
 */
export function plainOf(value: unknown, bytes = 0): unknown {
  const most = bytes + MOST_COPIED;
  let values = 0;
  const convert = (one: unknown, depth: number): unknown => {
    if (++values > most) throw new PickleError('has too many values');
    if (depth === 0) return null;
    if (Array.isArray(one)) return one.map((part) => convert(part, depth - 1));
    if (!(one instanceof Map)) return one instanceof Uint8Array ? null : one;
    const fields: Record<string, unknown> = Object.create(null);
    for (const [key, part] of one) {
      if (typeof key === 'string') fields[key] = convert(part, depth - 1);
    }
    return { ...fields };
  };
  return convert(value, 12);
}
