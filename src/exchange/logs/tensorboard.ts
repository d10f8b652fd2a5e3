/**
 * TensorBoard's event files: records (`records.ts`) with one `Event` message each
 * (tensorflow/core/util/event.proto). Reads both forms of scalars: `simple_value` of PyTorch's
 * writer and TensorFlow 2's tensors.
 */

import { ProtobufError, visitFields } from '../../files/protobuf.ts';
import { LogError } from './error.ts';
import type { Gathered } from './gathered.ts';
import { readRecords } from './records.ts';
import type { LogFile, OnRead } from './source.ts';

const EVENT = { step: 2, summary: 5, session: 7 } as const;
const SESSION_START = 1;
/** Maximum length of a tag or text. */
const MOST_TEXT = 2 ** 16;

/** `_hparams_/session_start_info` and its field in the plugin's content. */
const HPARAMS = '_hparams_/session_start_info';
/** Where CleanRL writes its settings, as a Markdown table. */
const TABLE = 'hyperparameters/text_summary';

/**
 * Reads the event files of one run, ordered by name. A later file continues the previous one and
 * replaces what overlaps.
 *
 * @throws {LogError} if even the first file has no record
 */
export async function readEventFiles(
  files: readonly LogFile[],
  into: Gathered,
  onRead: OnRead,
): Promise<void> {
  for (const file of files) {
    into.beginPart();
    await readEventFile(file, into, onRead);
  }
}

async function readEventFile(file: LogFile, into: Gathered, onRead: OnRead): Promise<void> {
  const { records, damaged, large } = readRecords(file, onRead);
  let read = 0;
  let unreadable = 0;
  try {
    for await (const batch of records) {
      for (const record of batch) {
        read++;
        try {
          readEvent(record, into);
        } catch (error) {
          if (!(error instanceof ProtobufError)) throw error;
          unreadable++;
        }
      }
    }
  } catch (error) {
    // Records before the damage are intact.
    if (!(error instanceof LogError) || into.size === 0) throw error;
    into.note(`${file.path} ${error.message}; the rest of it is left out.`);
  }
  const { count, first } = damaged();
  if (count > 0) {
    into.note(
      `${file.path}: records with a wrong checksum are left out (${count}, the first at byte ${first}).`,
    );
  }
  if (unreadable > 0)
    into.note(`${file.path}: records that are not events are left out (${unreadable}).`);
  if (large() > 0)
    into.note(`${file.path}: records of images or histograms are skipped (${large()}).`);
  if (read === 0 && count === 0 && file.size > 0) {
    throw new LogError('is truncated within its first record');
  }
}

/** A file has few distinct tags, but decoding one for every record would dominate the run time. */
const tags = new Map<string, string>();

/** Fields read from an event. */
interface EventParts {
  step: number;
  summary: Uint8Array | null;
  session: Uint8Array | null;
}

function readEvent(event: Uint8Array, into: Gathered): void {
  const parts: EventParts = { step: 0, summary: null, session: null };
  visitFields(event, {
    [EVENT.step]: (field) => {
      parts.step = field.int();
    },
    [EVENT.summary]: (field) => {
      parts.summary = field.bytes();
    },
    [EVENT.session]: (field) => {
      parts.session = field.bytes();
    },
  });
  const { step, summary, session } = parts;
  if (session !== null) {
    visitFields(session, {
      // A restart: data beyond its step are repeated.
      1: (status) => {
        if (status.int() === SESSION_START) into.rewind(step + 1);
      },
    });
  }
  if (summary !== null) {
    visitFields(summary, { 1: (value) => readValue(value.bytes(), step, into) });
  }
}

interface ValueParts {
  tag: string;
  simple: number | null;
  tensor: Uint8Array | null;
  metadata: Uint8Array | null;
}

function readValue(value: Uint8Array, step: number, into: Gathered): void {
  const parts: ValueParts = { tag: '', simple: null, tensor: null, metadata: null };
  visitFields(value, {
    1: (field) => {
      parts.tag = tagOf(field.bytes());
    },
    2: (field) => {
      parts.simple = field.float();
    },
    8: (field) => {
      parts.tensor = field.bytes();
    },
    9: (field) => {
      parts.metadata = field.bytes();
    },
  });
  const { tag, simple, tensor, metadata } = parts;
  if (simple !== null) into.add(tag, step, simple);
  else if (tag === HPARAMS && metadata !== null) readHparams(metadata, into);
  else if (tensor !== null) {
    const { scalar, text } = readTensor(tensor);
    if (scalar !== null) into.add(tag, step, scalar);
    else if (tag.startsWith(TABLE) && text !== null) readTable(text, into);
  }
}

const decoder = new TextDecoder();

function tagOf(bytes: Uint8Array): string {
  if (bytes.length > MOST_TEXT) throw new ProtobufError('a tag is too long');
  const raw = String.fromCharCode(...bytes.subarray(0, 1024));
  let tag = tags.get(raw);
  if (tag === undefined || bytes.length > 1024) {
    tag = decoder.decode(bytes);
    if (tags.size > 10_000) tags.clear();
    tags.set(raw, tag);
  }
  return tag;
}

/** Numbers in a tensor's content, by its type. */
const contents: Readonly<Record<number, { width: number; read: (view: DataView) => number }>> = {
  1: { width: 4, read: (view) => view.getFloat32(0, true) },
  2: { width: 8, read: (view) => view.getFloat64(0, true) },
  3: { width: 4, read: (view) => view.getInt32(0, true) },
  9: { width: 8, read: (view) => Number(view.getBigInt64(0, true)) },
  14: { width: 2, read: (view) => bfloat16(view.getUint16(0, true)) },
  19: { width: 2, read: (view) => float16(view.getUint16(0, true)) },
};

function bfloat16(bits: number): number {
  return new Float32Array(Uint32Array.of(bits * 2 ** 16).buffer)[0] ?? Number.NaN;
}

function float16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15));
}

interface Tensor {
  type: number;
  content: Uint8Array | null;
  /** Its first number, and whether there are more. */
  first: number;
  count: number;
  text: string | null;
}

/** The number of a one-element tensor, or its text. */
function readTensor(bytes: Uint8Array): {
  readonly scalar: number | null;
  readonly text: string | null;
} {
  const tensor: Tensor = { type: 0, content: null, first: 0, count: 0, text: null };
  const take = (values: Iterable<number>) => {
    for (const value of values) {
      if (tensor.count++ === 0) tensor.first = value;
      else return;
    }
  };
  visitFields(bytes, {
    1: (field) => {
      tensor.type = field.int();
    },
    4: (field) => {
      tensor.content = field.bytes();
    },
    5: (field) => take(field.floats()),
    6: (field) => take(field.doubles()),
    7: (field) => take(field.ints()),
    8: (field) => {
      tensor.text ??= decoder.decode(field.bytes().subarray(0, MOST_TEXT));
    },
    10: (field) => take(field.ints()),
  });
  const { content, type, count, first, text } = tensor;
  const form = contents[type];
  if (content !== null && form !== undefined && content.length === form.width) {
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
    return { scalar: form.read(view), text };
  }
  return { scalar: count === 1 ? first : null, text };
}

/** Settings at the start of a session: a map from names to `google.protobuf.Value`. */
function readHparams(metadata: Uint8Array, into: Gathered): void {
  visitFields(metadata, {
    1: (plugin) =>
      visitFields(plugin.bytes(), {
        2: (content) =>
          visitFields(content.bytes(), {
            3: (start) =>
              visitFields(start.bytes(), { 1: (entry) => readHparam(entry.bytes(), into) }),
          }),
      }),
  });
}

function readHparam(entry: Uint8Array, into: Gathered): void {
  let name = '';
  let value: unknown;
  visitFields(entry, {
    1: (field) => {
      name = field.text(MOST_TEXT);
    },
    2: (field) =>
      visitFields(field.bytes(), {
        2: (number) => {
          value = number.double();
        },
        3: (text) => {
          value = text.text(MOST_TEXT);
        },
        4: (flag) => {
          value = flag.int() !== 0;
        },
      }),
  });
  into.set(name, value);
}

/** `|name|value|`, one per line, after two header lines. */
function readTable(text: string, into: Gathered): void {
  for (const line of text.split('\n').slice(2)) {
    const [, name, value] = line.split('|');
    if (name !== undefined && value !== undefined) into.set(name.trim(), value.trim());
  }
}
