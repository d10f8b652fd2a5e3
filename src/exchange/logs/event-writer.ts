/**
 * Writes TensorBoard's event files. `records.ts` and `tensorboard.ts`, which read them, describe
 * the layout.
 */

import { MessageWriter } from '../../files/protobuf.ts';
import { maskedCrc } from './crc.ts';

const VERSION = 'brain.Event:2';
const DOUBLE = 2;
/** TensorBoard's plugin for curves, and the class of its data. */
const SCALARS = 'scalars';
const SCALAR = 1;

/** A message with its length and both checksums. */
function framed(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(message.length + 16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, message.length, true);
  view.setUint32(8, maskedCrc(bytes, 0, 8), true);
  bytes.set(message, 12);
  view.setUint32(12 + message.length, maskedCrc(message), true);
  return bytes;
}

/**
 * The name of an event file. Files of a run sort by name; the host name is left out.
 *
 * @param seconds since 1970
 * @param done number of iterations before the file's first one
 */
export function eventFileName(seconds: number, done = 0): string {
  return `events.out.tfevents.${Math.floor(seconds)}.palestra.0.${done}`;
}

/**
 * Writes the events of one run. Each number is a tensor with one double, because `simple_value` is a
 * 32-bit float; TensorBoard plots both.
 */
export class EventWriter {
  readonly #described = new Set<string>();

  /** The start of a file. @param seconds since 1970 */
  head(seconds: number): Uint8Array<ArrayBuffer> {
    return framed(new MessageWriter().double(1, seconds).text(3, VERSION).finish());
  }

  /** One event with all metrics of a step. @param seconds since 1970 */
  row(
    step: number,
    numbers: Iterable<readonly [key: string, value: number]>,
    seconds: number,
  ): Uint8Array<ArrayBuffer> {
    const summary = new MessageWriter();
    for (const [key, value] of numbers) summary.message(1, this.#value(key, value));
    const event = new MessageWriter().double(1, seconds).int(2, step).message(5, summary);
    return framed(event.finish());
  }

  #value(key: string, number: number): MessageWriter {
    // A scalar's shape has no dimensions.
    const tensor = new MessageWriter().int(1, DOUBLE).message(2, new MessageWriter());
    const value = new MessageWriter().text(1, key).message(8, tensor.double(6, number));
    if (this.#described.has(key)) return value;
    this.#described.add(key);
    const plugin = new MessageWriter().text(1, SCALARS);
    return value.message(9, new MessageWriter().message(1, plugin).int(4, SCALAR));
  }
}
