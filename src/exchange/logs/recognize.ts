/** Recognizes a file by its first bytes; its name decides only between two possible formats. */

import { foreignLimits } from '../../files/log-limits.ts';
import { headOf, isRunsTable } from './csv.ts';
import { parseLooseJson, recordOf } from './loose-json.ts';
import { type FileKind, fileKinds, readerOf, type TextHead, type Unreadable } from './readers.ts';
import type { LogFile } from './source.ts';

/** Number of bytes inspected; a console log may start with pages of other output. */
const HEAD = 2 ** 18;
/** Number of lines of a console log that are tried. */
const TRIED = 2000;

const UNKNOWN: Unreadable = { why: 'is not a log of a known format' };

/** The kind of a file, or why it is not a log. */
export async function recognize(file: LogFile): Promise<FileKind | Unreadable> {
  const head = await file.read(0, Math.min(file.size, HEAD));
  if (head.length === 0) return { why: 'is empty' };
  const binary = fileKinds.find((kind) => readerOf(kind).bytes?.(head, file) === true);
  if (binary !== undefined) return binary;
  if (head[0] === 0x1f && head[1] === 0x8b) return { why: 'is compressed; unpack it first' };
  if (head.subarray(0, 4096).includes(0)) return UNKNOWN;
  return ofText(file, new TextDecoder().decode(head).replace(/^\ufeff/, ''));
}

function ofText(file: LogFile, whole: string): FileKind | Unreadable {
  const text = whole.trimStart();
  const [line = ''] = text.split('\n', 1);
  const head = { file, text, line };
  if (text.startsWith('{')) return ofObject(head);
  return (
    fileKinds.find((kind) => readerOf(kind).text?.(head) === true) ??
    ofConsole(whole) ??
    ofTable(whole)
  );
}

function ofObject(head: TextHead): FileKind | Unreadable {
  const first = firstObject(head.line);
  const fields = first === undefined ? null : first;
  for (const kind of fileKinds) {
    const found = readerOf(kind).object?.({ ...head, fields }) ?? false;
    if (found !== false) return found === true ? kind : found;
  }
  if (first === null) return UNKNOWN;
  // A printed dict, or a JSON text over several lines.
  return ofConsole(head.text) ?? { why: 'is a single JSON object; a log has one per line' };
}

/** The object in a line; null for another value, undefined if the line cannot be parsed. */
function firstObject(line: string): Readonly<Record<string, unknown>> | null | undefined {
  try {
    return recordOf(parseLooseJson(line, foreignLimits.lineJson));
  } catch {
    return undefined;
  }
}

function ofConsole(text: string): FileKind | null {
  for (const line of text.split('\n', TRIED)) {
    const found = fileKinds.find((kind) => readerOf(kind).consoleLine?.(line) === true);
    if (found !== undefined) return found;
  }
  return null;
}

function ofTable(text: string): FileKind | Unreadable {
  const names = headOf(text.slice(0, HEAD));
  if (isRunsTable(names)) return { why: 'is a table of runs, which has no history' };
  const lines = text.trimEnd().split('\n', 3);
  return fileKinds.find((kind) => readerOf(kind).columns?.(names, lines) === true) ?? UNKNOWN;
}
