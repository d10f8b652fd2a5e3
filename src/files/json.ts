/** JSON from outside, measured before anything is built from it. */
import type { JsonLimits } from './limits.ts';

/** Thrown for text that is not JSON or exceeds a limit; the message continues after the name of the text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/**
 * The value of a JSON text.
 *
 * @throws {JsonError} for anything but JSON within the limits
 */
export function parseJson(text: string, limits: JsonLimits): unknown {
  measure(text, limits);
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
    throw new JsonError(`is not JSON: ${reason}`);
  }
}

/**
 * As `parseJson`, of a text in UTF-8.
 *
 * @throws {JsonError}
 */
export function readJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  checkLength(bytes.length, limits);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new JsonError('is not JSON: it is not a text in UTF-8');
  }
  return parseJson(text, limits);
}

function checkLength(length: number, { bytes }: JsonLimits): void {
  if (length > bytes) {
    throw new JsonError(`has ${length} bytes, and at most ${bytes} are read`);
  }
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts what a text holds without building it; whether it is JSON at all is seen later. */
function measure(text: string, limits: JsonLimits): void {
  // A character has at least one byte.
  checkLength(text.length, limits);
  let [values, objects, depth] = [1, 0, 0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at);
        break;
      case OBJECT:
        objects++;
        values++;
        depth++;
        break;
      case LIST:
        values++;
        depth++;
        break;
      case LIST_END:
      case OBJECT_END:
        depth--;
        break;
      case COMMA:
      case COLON:
        values++;
        break;
      default:
        continue;
    }
    if (depth > limits.depth) {
      throw new JsonError(`nests lists and objects more than ${limits.depth} deep`);
    }
    if (objects > limits.objects) throw new JsonError(`has more than ${limits.objects} objects`);
    if (values > limits.values) throw new JsonError(`has more than ${limits.values} values`);
  }
}

/** Where the text that begins at a quotation mark ends. */
function endOfText(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end;
  }
}
