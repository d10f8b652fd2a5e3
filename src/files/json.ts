/** Parses untrusted JSON; size limits are checked before any value is created. */
import type { JsonLimits } from './limits.ts';

/**
 * Thrown for text that is not JSON or exceeds a limit. The message is a predicate to follow the
 * name of the text.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/**
 * Parses a JSON text.
 *
 * @throws {JsonError} if the text is not JSON or exceeds a limit
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
 * Parses a JSON text in UTF-8.
 *
 * @throws {JsonError} if the bytes are not UTF-8 or JSON, or exceed a limit
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

/** Checks the limits by scanning the text. `JSON.parse` checks the syntax afterwards. */
function measure(text: string, limits: JsonLimits): void {
  // The text has at least as many bytes as characters.
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

/** Index of the closing quote of the string that starts at `start`, or the length if unclosed. */
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
