/**
 * Log files for tests, built byte by byte from the formats' specifications, independently of the
 * program's readers and writers.
 */

/** CRC-32C and CRC-32, a bit at a time. */
function crc(bytes: readonly number[], polynomial: number): number {
  let value = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const odd = ((value ^ (byte >> bit)) & 1) === 1;
      value = (value >>> 1) ^ (odd ? polynomial : 0);
    }
  }
  return ~value >>> 0;
}

const little = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);

export const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)];

const ofFloat = (value: number) => [...new Uint8Array(Float32Array.of(value).buffer)];
const ofDouble = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)];

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

/** A field that holds bytes: a text, or a message. */
export const field = (id: number, content: readonly number[]): number[] => [
  ...varint(8 * id + 2),
  ...varint(content.length),
  ...content,
];

const intField = (id: number, value: number): number[] => [...varint(8 * id), ...varint(value)];
const floatField = (id: number, value: number) => [...varint(8 * id + 5), ...ofFloat(value)];
const doubleField = (id: number, value: number): number[] => [
  ...varint(8 * id + 1),
  ...ofDouble(value),
];

export interface Scalar {
  readonly tag: string;
  readonly step: number;
  readonly value: number;
  /** As PyTorch's writer stores it, or as a one-element tensor in either of its two forms. */
  readonly as?: 'simple' | 'content' | 'packed';
}

/** A record: length, masked checksum, data, checksum of the data. */
export function record(data: readonly number[]): number[] {
  const masked = (bytes: readonly number[]) => {
    const value = crc(bytes, 0x82f63b78);
    const turned = ((value >>> 15) | (value << 17)) >>> 0;
    return little((turned + 0xa282ead8) % 2 ** 32, 4);
  };
  const length = little(data.length, 8);
  return [...length, ...masked(length), ...data, ...masked(data)];
}

/** An `Event` with a step and one value. */
export function event({ tag, step, value, as = 'simple' }: Scalar): number[] {
  const float = 1;
  const tensor =
    as === 'content'
      ? [...intField(1, float), ...field(4, ofFloat(value))]
      : [...intField(1, float), ...field(5, ofFloat(value))];
  const scalar = as === 'simple' ? floatField(2, value) : field(8, tensor);
  const summary = field(1, [...field(1, utf8(tag)), ...scalar]);
  return [...doubleField(1, 1.7e9), ...intField(2, step), ...field(5, summary)];
}

/** The first record of every event file. */
export const fileVersion = record([...doubleField(1, 1.7e9), ...field(3, utf8('brain.Event:2'))]);

/** An event of a session that restarted at a step. */
export const sessionStart = (step: number): number[] =>
  record([...doubleField(1, 1.7e9), ...intField(2, step), ...field(7, intField(1, 1))]);

export function eventFile(scalars: readonly Scalar[]): Uint8Array {
  return Uint8Array.from([...fileVersion, ...scalars.flatMap((one) => record(event(one)))]);
}

/** An event with a text, as CleanRL writes its settings. */
export function textEvent(tag: string, text: string): number[] {
  const tensor = [...intField(1, 7), ...field(8, utf8(text))];
  return record(field(5, field(1, [...field(1, utf8(tag)), ...field(8, tensor)])));
}

/** An event with HParams' settings in its plugin's content. */
export function hparamsEvent(settings: Readonly<Record<string, number | string>>): number[] {
  const entries = Object.entries(settings).flatMap(([name, value]) =>
    field(1, [
      ...field(1, utf8(name)),
      ...field(2, typeof value === 'number' ? doubleField(2, value) : field(3, utf8(value))),
    ]),
  );
  const plugin = [...field(1, utf8('hparams')), ...field(2, field(3, entries))];
  const value = [...field(1, utf8('_hparams_/session_start_info')), ...field(9, field(1, plugin))];
  return record(field(5, field(1, value)));
}

/** A record of W&B's history: values as JSON by name. */
export function wandbHistory(step: number, items: Readonly<Record<string, unknown>>): number[] {
  const all = Object.entries(items).flatMap(([key, value]) =>
    field(1, [
      ...key.split('.').flatMap((part) => field(2, utf8(part))),
      ...[...varint(8 * 16 + 2), ...varint(utf8(asJson(value)).length), ...utf8(asJson(value))],
    ]),
  );
  return field(2, [...all, ...field(2, intField(1, step))]);
}

const asJson = (value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);

/** A W&B file: the head, then records in blocks of 32 KiB, split where they do not fit. */
export function wandbFile(records: readonly (readonly number[])[]): Uint8Array {
  const bytes: number[] = [...utf8(':W&B'), ...little(0xbee1, 2), 0];
  for (const data of records) {
    let from = 0;
    do {
      let room = 32_768 - (bytes.length % 32_768);
      if (room < 7) {
        bytes.push(...new Array<number>(room).fill(0));
        room = 32_768;
      }
      const part = data.slice(from, from + room - 7);
      const [begins, ends] = [from === 0, from + part.length === data.length];
      const type = begins ? (ends ? 1 : 2) : ends ? 4 : 3;
      bytes.push(...little(crc([type, ...part], 0xedb88320), 4), ...little(part.length, 2), type);
      for (const byte of part) bytes.push(byte);
      from += part.length;
    } while (from < data.length);
  }
  return Uint8Array.from(bytes);
}

/** A line of verl's console as a recent version prints it. */
export const verlLine = (step: number, metrics: Readonly<Record<string, number | string>>) =>
  `\u001b[36m(TaskRunner pid=4711)\u001b[0m step:${step} - ${Object.entries(metrics)
    .map(([key, value]) => `${key}:${value}`)
    .join(' - ')}\n`;
