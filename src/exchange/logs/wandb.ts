/**
 * W&B's own run file (`run-ID.wandb`): LevelDB's log format, blocks of 32 KiB whose records may
 * span blocks, each a Protocol Buffers message of wandb_internal.proto.
 */

import { joinBytes } from '../../files/bytes.ts';
import { JsonError } from '../../files/json.ts';
import { foreignLimits } from '../../files/log-limits.ts';
import { ProtobufError, visitFields } from '../../files/protobuf.ts';
import { crc32 } from './crc.ts';
import { LogError } from './error.ts';
import type { Gathered } from './gathered.ts';
import { flatten, numberIn, parseLooseJson, recordOf } from './loose-json.ts';
import type { LogFile, OnRead } from './source.ts';

const BLOCK = 2 ** 15;
const HEAD = 7;
const FILE_HEAD = 7;
const FULL = 1;
const FIRST = 2;
/** Middle parts have the type 3. */
const LAST = 4;

export function isWandb([a, b, c, d]: Uint8Array): boolean {
  return a === 0x3a && b === 0x57 && c === 0x26 && d === 0x42;
}

/**
 * Reads history and settings of a run; the x axis is `_step`, which counts calls of `log`.
 *
 * @throws {LogError} for a file that is damaged before the first measurement
 */
export async function readWandb(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  try {
    for await (const record of recordsOf(file, onRead)) {
      try {
        readRecord(record, into);
      } catch (error) {
        if (!(error instanceof ProtobufError)) throw error;
        into.note(
          `${file.path} has a record that is not a valid message: ${error.message}; it is left out.`,
        );
      }
    }
  } catch (error) {
    if (!(error instanceof LogError) || into.size === 0) throw error;
    into.note(`${file.path} ${error.message}; the rest of it is left out.`);
  }
}

/** Complete records. A truncated last one is left out: its writer may still be running. */
async function* recordsOf(file: LogFile, onRead: OnRead): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < file.size; ) {
    const window = await file.read(at, Math.min(file.size, at + foreignLimits.piece));
    if (window.length === 0) return;
    for (let block = 0; block < window.length; block += BLOCK) {
      const end = Math.min(window.length, block + BLOCK);
      // The file's header precedes the first block.
      let place = at + block === 0 ? FILE_HEAD : block;
      while (place + HEAD <= end) {
        const view = new DataView(window.buffer, window.byteOffset + place, HEAD);
        const size = view.getUint16(4, true);
        const type = view.getUint8(6);
        // The rest of a block may be padding.
        if (type === 0 && size === 0) break;
        const dataEnd = place + HEAD + size;
        if (type < FULL || type > LAST || dataEnd > block + BLOCK) {
          throw new LogError(`is damaged at byte ${at + place}: expected a record`);
        }
        if (dataEnd > window.length) return;
        if (view.getUint32(0, true) !== crc32(window, place + 6, dataEnd)) {
          throw new LogError(`is damaged at byte ${at + place}: wrong checksum`);
        }
        if (type === FULL || type === FIRST) [parts, length] = [[], 0];
        // Copied, because the window moves on before the last part arrives.
        if (length <= foreignLimits.line) parts.push(window.slice(place + HEAD, dataEnd));
        length += size;
        // Larger records contain images.
        const whole = (type === FULL || type === LAST) && length <= foreignLimits.line;
        if (whole && (type === FULL || parts.length > 1)) yield joined(parts);
        place = dataEnd;
      }
    }
    onRead(window.length);
    at += window.length;
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : joinBytes(parts);
}

const RECORD = { history: 2, config: 5, run: 17 } as const;
const ITEM = { key: 1, nested: 2, json: 16 } as const;

function readRecord(record: Uint8Array, into: Gathered): void {
  visitFields(record, {
    [RECORD.history]: (field) => readHistory(field.bytes(), into),
    [RECORD.config]: (field) => readConfig(field.bytes(), into),
    // The run's own record contains its initial settings.
    [RECORD.run]: (field) =>
      visitFields(field.bytes(), { 4: (config) => readConfig(config.bytes(), into) }),
  });
}

interface Item {
  key: string;
  json: string;
}

function itemOf(message: Uint8Array): Item {
  const item: Item = { key: '', json: '' };
  const nested: string[] = [];
  visitFields(message, {
    [ITEM.key]: (field) => {
      item.key = field.text(foreignLimits.line);
    },
    [ITEM.nested]: (field) => {
      nested.push(field.text(foreignLimits.line));
    },
    [ITEM.json]: (field) => {
      item.json = field.text(foreignLimits.line);
    },
  });
  if (item.key === '') item.key = nested.join('.');
  return item;
}

function parsed({ json }: Item): unknown {
  try {
    return parseLooseJson(json, foreignLimits.lineJson);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function readHistory(history: Uint8Array, into: Gathered): void {
  let step: number | undefined;
  const items: Item[] = [];
  visitFields(history, {
    1: (field) => {
      items.push(itemOf(field.bytes()));
    },
    2: (field) =>
      visitFields(field.bytes(), {
        1: (number) => {
          step = number.int();
        },
      }),
  });
  const named = items.find(({ key }) => key === '_step');
  const at = step ?? (named === undefined ? undefined : numberIn(parsed(named)));
  if (at === undefined || !Number.isFinite(at)) return;
  for (const item of items) {
    if (item.key === '_step') continue;
    const value = parsed(item);
    const number = numberIn(value);
    if (number !== undefined) into.add(item.key, at, number);
    // Histograms and images are objects with a type.
    else if (recordOf(value)?._type === undefined) {
      flatten(recordOf(value) ?? {}, (key, one) => into.add(key, at, one), 4, `${item.key}/`);
    }
  }
}

function readConfig(config: Uint8Array, into: Gathered): void {
  visitFields(config, {
    1: (field) => {
      const item = itemOf(field.bytes());
      if (!item.key.startsWith('_')) into.setAll(parsed(item), item.key);
    },
  });
}
