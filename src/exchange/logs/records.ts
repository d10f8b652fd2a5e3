/**
 * The records of an event file (TFRecord): an 8-byte length, its masked CRC-32C, the data, and
 * their CRC. Read through a window, so that memory does not depend on the file's size.
 */

import { foreignLimits } from '../../files/log-limits.ts';
import { maskedCrc } from './crc.ts';
import { LogError } from './error.ts';
import type { LogFile, OnRead } from './source.ts';

const HEAD = 12;
const TAIL = 4;

export interface Records {
  /** The data of each record; valid until the next one is requested. */
  readonly records: AsyncGenerator<Uint8Array[]>;
  /** Number of records with a wrong checksum, and the offset of the first. */
  readonly damaged: () => { readonly count: number; readonly first: number };
  /** Number of records that were skipped because they are too large to contain scalars. */
  readonly large: () => number;
}

/** The length at an offset; null if its checksum is wrong. */
function lengthAt(bytes: Uint8Array, at: number): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(at + 8, true) !== maskedCrc(bytes, at, at + 8)) return null;
  return view.getUint32(at, true) + 2 ** 32 * view.getUint32(at + 4, true);
}

/** Whether a file starts with a record. */
export function beginsWithRecord(head: Uint8Array): boolean {
  return head.length >= HEAD && lengthAt(head, 0) !== null;
}

/**
 * The records of a file, in batches. A truncated last one is ignored, because its writer may still
 * be running.
 */
export function readRecords(file: LogFile, onRead: OnRead): Records {
  let [damaged, firstDamaged, large] = [0, 0, 0];
  async function* batches(): AsyncGenerator<Uint8Array[]> {
    let at = 0;
    while (at < file.size) {
      const window = await file.read(at, Math.min(file.size, at + foreignLimits.piece));
      const view = new DataView(window.buffer, window.byteOffset, window.byteLength);
      const batch: Uint8Array[] = [];
      let place = 0;
      let skipped = 0;
      while (place + HEAD <= window.length) {
        const length = lengthAt(window, place);
        if (length === null) {
          yield batch;
          throw new LogError(`has a record at byte ${at + place} whose length is damaged`);
        }
        const end = place + HEAD + length;
        if (length > foreignLimits.line) {
          large++;
          skipped = end + TAIL;
          break;
        }
        if (end + TAIL > window.length) break;
        if (view.getUint32(end, true) === maskedCrc(window, place + HEAD, end)) {
          batch.push(window.subarray(place + HEAD, end));
        } else if (damaged++ === 0) firstDamaged = at + place;
        place = end + TAIL;
      }
      yield batch;
      const next = at + Math.max(place, skipped);
      // Only an incomplete record remains.
      if (next === at) return;
      onRead(Math.min(next, file.size) - at);
      at = next;
    }
  }
  return {
    records: batches(),
    damaged: () => ({ count: damaged, first: firstDamaged }),
    large: () => large,
  };
}
