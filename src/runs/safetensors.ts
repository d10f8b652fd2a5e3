/**
 * The safetensors file layout (https://github.com/huggingface/safetensors, "Format"): the length of
 * the header in 8 bytes, little-endian; the header, a JSON object padded with spaces; the data.
 */

import { fromHalf } from '../files/half.ts';
import { JsonError, readJson } from '../files/json.ts';
import { jsonLimits } from '../files/limits.ts';

/** A tensor of 32-bit floats. */
export interface SavedTensor {
  /** Row-major. */
  readonly shape: readonly number[];
  /** One value per element of the tensor. */
  readonly values: Float32Array;
}

/** Contents of a safetensors file. */
interface SafeTensors {
  readonly tensors: ReadonlyMap<string, SavedTensor>;
  /** Byte arrays, stored as one-dimensional U8 tensors. */
  readonly bytes?: ReadonlyMap<string, Uint8Array>;
  /** Entries of the header's `__metadata__`. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** Thrown for bytes that are not a safetensors file; the message is the end of a sentence. */
export class SafeTensorsError extends Error {
  override readonly name = 'SafeTensorsError';
}

const METADATA = '__metadata__';
const LENGTH_BYTES = 8;
/** Alignment of header and data, in bytes. */
const ALIGNMENT = 8;

/** A float16 tensor as raw bits. */
export interface HalfTensor {
  readonly shape: readonly number[];
  readonly bits: Uint16Array;
}

/**
 * Encodes a file: float32 tensors in the order of the map, then float16 tensors, then byte arrays.
 */
export function encodeSafeTensors({
  tensors,
  halves = new Map(),
  bytes: lists = new Map(),
  metadata,
}: SafeTensors & {
  readonly halves?: ReadonlyMap<string, HalfTensor>;
}): Uint8Array<ArrayBuffer> {
  let end = 0;
  const entries: [string, unknown][] = [[METADATA, Object.fromEntries(metadata)]];
  const parts: Uint8Array[] = [];
  const add = (name: string, dtype: DType, shape: readonly number[], part: Uint8Array) => {
    const begin = end;
    end += part.length;
    entries.push([name, { dtype, shape, data_offsets: [begin, end] }]);
    parts.push(part);
  };
  for (const [name, { shape, values }] of tensors) {
    // Raw bytes: all supported platforms are little-endian.
    add(name, 'F32', shape, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
  for (const [name, { shape, bits }] of halves) {
    add(name, 'F16', shape, new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength));
  }
  for (const [name, list] of lists) add(name, 'U8', [list.length], list);
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const headerBytes = Math.ceil(header.length / ALIGNMENT) * ALIGNMENT;
  const start = LENGTH_BYTES + headerBytes;
  const bytes = new Uint8Array(start + end).fill(0x20, LENGTH_BYTES, start);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(headerBytes), true);
  bytes.set(header, LENGTH_BYTES);
  let at = start;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A file that is read in ranges, for example a `Blob`. */
export interface ByteSource {
  readonly size: number;
  slice(begin: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** A tensor that is read on demand. */
export interface LazyTensor {
  readonly shape: readonly number[];
  /** @throws {SafeTensorsError} if the file was truncated after it was opened */
  read(): Promise<Float32Array>;
}

/** A file whose tensors are read on demand. */
interface LazySafeTensors {
  readonly tensors: ReadonlyMap<string, LazyTensor>;
  readonly metadata: ReadonlyMap<string, string>;
}

/**
 * Opens a file without reading its tensors.
 *
 * @throws {SafeTensorsError} unless it is a complete file of float tensors
 */
export async function openSafeTensors(source: ByteSource): Promise<LazySafeTensors> {
  const part = async (begin: number, end: number) =>
    new Uint8Array(await source.slice(begin, end).arrayBuffer());
  const start = headerEnd(await part(0, Math.min(LENGTH_BYTES, source.size)), source.size);
  const { places, metadata } = readHeader(await part(LENGTH_BYTES, start));
  checkCover(places, source.size - start);
  const tensors = new Map<string, LazyTensor>();
  for (const { name, dtype, shape, begin, end } of places) {
    if (dtype === 'U8') {
      throw new SafeTensorsError(`the tensor ${shown(name)} has bytes, not floats`);
    }
    const read = async () => {
      const bytes = await part(start + begin, start + end);
      if (bytes.length === end - begin) return floats[dtype].read(bytes.buffer);
      throw new SafeTensorsError(`it is cut off within the tensor ${shown(name)}`);
    };
    tensors.set(name, { shape, read });
  }
  return { tensors, metadata };
}

/** @throws {SafeTensorsError} unless it is a complete file of float tensors and byte arrays */
export function decodeSafeTensors(bytes: Uint8Array): SafeTensors {
  const start = headerEnd(bytes.subarray(0, LENGTH_BYTES), bytes.length);
  const { places, metadata } = readHeader(bytes.subarray(LENGTH_BYTES, start));
  const data = bytes.subarray(start);
  checkCover(places, data.length);
  const tensors = new Map<string, SavedTensor>();
  const lists = new Map<string, Uint8Array>();
  for (const { name, dtype, shape, begin, end } of places) {
    // Copied so that floats are 4-byte aligned. (`slice` of a Node buffer does not copy.)
    const copy = Uint8Array.from(data.subarray(begin, end));
    if (dtype === 'U8') lists.set(name, copy);
    else tensors.set(name, { shape, values: floats[dtype].read(copy.buffer) });
  }
  return { tensors, bytes: lists, metadata };
}

/** Parses the header: positions of all tensors, and the metadata. */
function readHeader(bytes: Uint8Array) {
  let header: unknown;
  try {
    header = readJson(bytes, jsonLimits.safetensors);
  } catch (error) {
    if (error instanceof JsonError) throw new SafeTensorsError(`its header ${error.message}`);
    throw error;
  }
  if (!isObject(header)) throw new SafeTensorsError('its header is not an object');
  const metadata = new Map<string, string>();
  const places: Place[] = [];
  for (const [name, entry] of Object.entries(header)) {
    if (name !== METADATA) {
      places.push(placeOf(name, entry));
      continue;
    }
    if (!isObject(entry)) throw new SafeTensorsError(`its ${METADATA} is not an object`);
    for (const [key, text] of Object.entries(entry)) {
      if (typeof text !== 'string') {
        throw new SafeTensorsError(`${key} in its ${METADATA} is not a text`);
      }
      metadata.set(key, text);
    }
  }
  return { places, metadata };
}

/** Supported float types, all of which convert to float32 exactly. */
const floats = {
  F32: { bytes: 4, read: (buffer: ArrayBuffer) => new Float32Array(buffer) },
  F16: {
    bytes: 2,
    read: (buffer: ArrayBuffer) => Float32Array.from(new Uint16Array(buffer), fromHalf),
  },
  BF16: {
    bytes: 2,
    // A bfloat16 is the upper half of a float32.
    read: (buffer: ArrayBuffer) =>
      new Float32Array(Uint32Array.from(new Uint16Array(buffer), (bits) => bits << 16).buffer),
  },
} as const;
type DType = keyof typeof floats | 'U8';

function isDType(name: unknown): name is DType {
  return name === 'U8' || (typeof name === 'string' && Object.hasOwn(floats, name));
}

/**
 * Offset of the end of the header.
 *
 * @param head the first 8 bytes, fewer if the file is shorter
 * @param size of the file in bytes
 */
function headerEnd(head: Uint8Array, size: number): number {
  if (head.length < LENGTH_BYTES) throw new SafeTensorsError('it is too short');
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const length = view.getBigUint64(0, true);
  if (length > jsonLimits.safetensors.bytes) {
    throw new SafeTensorsError(`its header length, ${length} bytes, is invalid`);
  }
  const start = LENGTH_BYTES + Number(length);
  if (start > size) throw new SafeTensorsError('it is cut off within its header');
  return start;
}

/** Position of a tensor in the data, in bytes. */
interface Place {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function placeOf(name: string, entry: unknown): Place {
  const fault = (what: string) => new SafeTensorsError(`${what} of the tensor ${shown(name)}`);
  if (!isObject(entry)) {
    throw new SafeTensorsError(`the header entry of the tensor ${shown(name)} is not an object`);
  }
  const { dtype, shape, data_offsets: offsets } = entry;
  if (!isDType(dtype)) {
    throw new SafeTensorsError(
      `the tensor ${shown(name)} does not contain floats (${Object.keys(floats).join(', ')}) or bytes (U8)`,
    );
  }
  if (!isCounts(shape)) throw fault('missing or invalid shape');
  if (dtype === 'U8' && shape.length !== 1) throw fault('wrong number of dimensions for U8');
  const [begin, end] = isCounts(offsets) && offsets.length === 2 ? offsets : [];
  if (begin === undefined || end === undefined) throw fault('missing or invalid data_offsets');
  const length = shape.reduce((product, size) => product * size, 1);
  const itemBytes = dtype === 'U8' ? 1 : floats[dtype].bytes;
  if (end - begin !== itemBytes * length) throw fault('the shape does not fit the bytes');
  return { name, dtype, shape, begin, end };
}

/** Checks that every byte of the data belongs to exactly one tensor. */
function checkCover(places: readonly Place[], length: number): void {
  let covered = 0;
  for (const { name, begin, end } of places.toSorted(
    (a, b) => a.begin - b.begin || a.end - b.end,
  )) {
    if (end > length) throw new SafeTensorsError(`it is cut off within the tensor ${shown(name)}`);
    if (begin !== covered) {
      throw new SafeTensorsError(
        `the bytes of the tensor ${shown(name)} overlap those of another one or leave a gap`,
      );
    }
    covered = end;
  }
  if (covered !== length) throw new SafeTensorsError('it has bytes that belong to no tensor');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

function shown(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}
