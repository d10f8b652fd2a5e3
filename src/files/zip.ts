/**
 * Reads zip files (PKWARE APPNOTE.TXT, 6.3.10). The central directory is read first and validated
 * before use. Inflated bytes are counted during decompression, so an entry cannot produce more than
 * its declared size.
 */
import { Inflate } from 'fflate';
import { zipLimits } from './limits.ts';

/** Thrown for an unreadable zip file. The message is a predicate to follow "it". */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

const END = { signature: 0x06054b50, bytes: 22 } as const;
const CENTRAL = { signature: 0x02014b50, bytes: 46 } as const;
const LOCAL = { signature: 0x04034b50, bytes: 30 } as const;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const UTF8 = 0x800;
/** Bytes of input inflated at once. The output is at most 1032 times as long. */
const PIECE_BYTES = 4096;

/** A file in a zip, as described by the central directory. */
interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Offsets of the local header and of the data. */
  readonly start: number;
  readonly dataStart: number;
}

/** Whether bytes begin with the signature of a zip file. */
export function isZip([first, second, third, fourth]: Uint8Array): boolean {
  return first === 0x50 && second === 0x4b && third === 3 && fourth === 4;
}

/**
 * Extracts the wanted files, keyed by path. Uncompressed files are views of `zip`, not copies.
 *
 * @param mostBytes maximum size of the file with this path; null if it is not wanted
 * @param mostTotal maximum total size of all wanted files
 * @throws {ZipError} if the zip is invalid or exceeds a limit
 */
export function readZip(
  zip: Uint8Array,
  mostBytes: (path: string) => number | null,
  mostTotal: number,
): ReadonlyMap<string, Uint8Array> {
  const entries = readDirectory(zip);
  const wanted: Entry[] = [];
  const most = Math.min(mostTotal, zipLimits.freeBytes + zipLimits.ratio * zip.length);
  let total = 0;
  for (const entry of entries) {
    const limit = mostBytes(entry.name);
    if (limit === null) continue;
    if (entry.bytes > limit) {
      throw new ZipError(
        `contains ${shown(entry.name)} with ${entry.bytes} bytes; the limit is ${limit}`,
      );
    }
    total += entry.bytes;
    if (total > most) {
      throw new ZipError(`would unpack to over ${most} bytes, too much for a zip of its size`);
    }
    wanted.push(entry);
  }
  return new Map(wanted.map((entry) => [entry.name, unpack(zip, entry)]));
}

function readDirectory(zip: Uint8Array): readonly Entry[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const size = view.getUint32(end + 12, true);
  const start = view.getUint32(end + 16, true);
  if (view.getUint32(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count) {
    throw new ZipError('is only one part of a split zip file');
  }
  if (count > zipLimits.entries) {
    throw new ZipError(`claims to contain ${count} files; the limit is ${zipLimits.entries}`);
  }
  if (start + size > end) throw new ZipError('is damaged: its directory lies outside of it');
  const entries: Entry[] = [];
  const names = new Set<string>();
  let at = start;
  for (let i = 0; i < count; i++) {
    const { entry, next } = readEntry(zip, view, at, start + size);
    if (names.has(entry.name)) throw new ZipError(`has two files named ${shown(entry.name)}`);
    names.add(entry.name);
    entries.push(entry);
    at = next;
  }
  if (at !== start + size) throw new ZipError('is damaged: its directory contains extra data');
  checkOverlap(entries, start);
  return entries;
}

/** Offset of the end of central directory record. Only a comment may follow it. */
function findEnd(view: DataView): number {
  const last = view.byteLength - END.bytes;
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) {
    if (view.getUint32(at, true) !== END.signature) continue;
    if (at + END.bytes + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw new ZipError('is not a zip file, or is cut off');
}

function readEntry(zip: Uint8Array, view: DataView, at: number, directoryEnd: number) {
  const damaged = () => new ZipError('is damaged: its directory cannot be read');
  if (at + CENTRAL.bytes > directoryEnd) throw damaged();
  if (view.getUint32(at, true) !== CENTRAL.signature) throw damaged();
  const short = (offset: number) => view.getUint16(at + offset, true);
  const long = (offset: number) => view.getUint32(at + offset, true);
  const [nameBytes, extra, comment] = [short(28), short(30), short(32)];
  const next = at + CENTRAL.bytes + nameBytes + extra + comment;
  if (next > directoryEnd) throw damaged();
  const rawName = zip.subarray(at + CENTRAL.bytes, at + CENTRAL.bytes + nameBytes);
  const flags = short(8);
  const name = readName(rawName, flags);
  const start = long(42);
  const entry: Entry = {
    ...{ name, flags, method: short(10), crc: long(16) },
    ...{ packedBytes: long(20), bytes: long(24), start },
    dataStart: dataStart(zip, view, start, rawName, name),
  };
  return { entry, next };
}

/** @throws {ZipError} for a name that could escape the folder or is misleading when displayed */
function readName(bytes: Uint8Array, flags: number): string {
  if (bytes.length > zipLimits.nameBytes) {
    throw new ZipError(
      `contains a name of ${bytes.length} bytes; the limit is ${zipLimits.nameBytes}`,
    );
  }
  let name: string;
  try {
    // Legacy code pages are not supported; no supported file uses them.
    name = new TextDecoder(flags & UTF8 ? 'utf-8' : 'latin1', { fatal: true }).decode(bytes);
  } catch {
    throw new ZipError('has a name that is not valid UTF-8');
  }
  const parts = name.split('/');
  const elsewhere = parts[0] === '' || parts.includes('..') || parts.includes('.');
  const odd = [...name].some((letter) => letter < ' ' || letter === '\u007f' || letter === '\\');
  if (elsewhere || odd) {
    throw new ZipError(`has the unsafe name ${shown(name)}`);
  }
  return name;
}

/** Offset of an entry's data, after its local header, which must have the same name. */
function dataStart(
  zip: Uint8Array,
  view: DataView,
  start: number,
  rawName: Uint8Array,
  name: string,
): number {
  const nameStart = start + LOCAL.bytes;
  const nameEnd = nameStart + rawName.length;
  if (
    nameEnd > zip.length ||
    view.getUint32(start, true) !== LOCAL.signature ||
    view.getUint16(start + 26, true) !== rawName.length ||
    !rawName.every((byte, i) => zip[nameStart + i] === byte)
  ) {
    throw new ZipError(`is damaged: ${shown(name)} is not where its directory says`);
  }
  return nameEnd + view.getUint16(start + 28, true);
}

/** Checks that no byte of the zip belongs to more than one file. */
function checkOverlap(entries: readonly Entry[], directoryStart: number): void {
  let end = 0;
  for (const { name, start, dataStart, packedBytes } of entries.toSorted(
    (a, b) => a.start - b.start,
  )) {
    if (start < end) throw new ZipError(`is damaged: ${shown(name)} overlaps another file`);
    end = dataStart + packedBytes;
    if (end > directoryStart) throw new ZipError(`is cut off within ${shown(name)}`);
  }
}

function unpack(zip: Uint8Array, entry: Entry): Uint8Array {
  const { name, flags, method, crc, packedBytes, bytes, dataStart } = entry;
  if (flags & ENCRYPTED) throw new ZipError(`has ${shown(name)} encrypted`);
  const packed = zip.subarray(dataStart, dataStart + packedBytes);
  let unpacked = packed;
  if (method === DEFLATED) unpacked = inflate(packed, bytes, name);
  else if (method !== STORED)
    throw new ZipError(`uses an unsupported compression method for ${shown(name)}`);
  if (unpacked.length !== bytes || crc32(unpacked) !== crc) {
    throw new ZipError(`is damaged: ${shown(name)} does not match its directory entry`);
  }
  return unpacked;
}

/** Inflates an entry; throws as soon as the output exceeds `bytes`. */
function inflate(packed: Uint8Array, bytes: number, name: string): Uint8Array {
  const unpacked = new Uint8Array(bytes);
  let length = 0;
  const inflater = new Inflate((piece) => {
    if (length + piece.length > bytes) {
      throw new ZipError(`is damaged: ${shown(name)} holds more than its directory says`);
    }
    unpacked.set(piece, length);
    length += piece.length;
  });
  try {
    for (let at = 0; at < packed.length || at === 0; at += PIECE_BYTES) {
      const piece = packed.subarray(at, at + PIECE_BYTES);
      inflater.push(piece, at + PIECE_BYTES >= packed.length);
    }
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError(`is damaged: ${shown(name)} cannot be unpacked`);
  }
  return unpacked.subarray(0, length);
}

/** CRC-32 (ISO 3309) with reflected polynomial 0xedb88320. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function shown(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}
