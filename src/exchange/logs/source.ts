/** Files as readers of logs take them: piece by piece, on a page and on the command line alike. */

import { foreignLimits } from '../../files/log-limits.ts';
import { LogError } from './error.ts';

/** A file, or what was dropped on a page; nothing of it is in memory yet. */
export interface LogFile {
  /** With the folders it lies in, `/` between them. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The bytes from one place to another, fewer where it ends before. */
  readonly read: (from: number, to: number) => Promise<Uint8Array>;
}

export function blobFile(path: string, blob: Blob): LogFile {
  return {
    path,
    size: blob.size,
    read: async (from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer()),
  };
}

export function memoryFile(path: string, bytes: Uint8Array): LogFile {
  return { path, size: bytes.length, read: async (from, to) => bytes.subarray(from, to) };
}

export const textFile = (path: string, text: string) =>
  memoryFile(path, new TextEncoder().encode(text));

export function nameOf({ path }: Pick<LogFile, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder a file lies in; empty for one that lies in none. */
export function folderOf({ path }: Pick<LogFile, 'path'>): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Told of the bytes that have been read since it was told last. */
export type OnRead = (bytes: number) => void;

/** A file from its beginning to its end. */
export async function* piecesOf(file: LogFile, onRead: OnRead): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; ) {
    const piece = await file.read(at, Math.min(file.size, at + foreignLimits.piece));
    // It has become shorter since it was opened.
    if (piece.length === 0) return;
    at += piece.length;
    onRead(piece.length);
    yield piece;
  }
}

export interface TextLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** It ended with a line break, so that nothing of it is missing. */
  readonly whole: boolean;
}

/**
 * The lines of a text in UTF-8, a batch for each piece of the file. A byte-order mark is left out, and
 * what is not UTF-8 is read as `\ufffd`: console logs hold whatever a program printed.
 *
 * @throws {LogError} for a line that is longer than the limit
 */
export async function* linesOf(file: LogFile, onRead: OnRead): AsyncGenerator<TextLine[]> {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  const check = (text: string) => {
    if (text.length <= foreignLimits.line) return;
    throw new LogError(`has more than ${foreignLimits.line} characters in line ${number + 1}`);
  };
  for await (const piece of piecesOf(file, onRead)) {
    const texts = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = texts.pop() ?? '';
    check(rest);
    yield texts.map((text) => {
      check(text);
      number++;
      return { number, text: text.endsWith('\r') ? text.slice(0, -1) : text, whole: true };
    });
  }
  rest += decoder.decode();
  if (rest !== '') yield [{ number: number + 1, text: rest, whole: false }];
}

/**
 * A text that has to be looked at as a whole.
 *
 * @throws {LogError} for a file that is longer than the limit
 */
export async function wholeText(file: LogFile, onRead: OnRead): Promise<string> {
  if (file.size > foreignLimits.whole) {
    throw new LogError(`has ${file.size} bytes, and at most ${foreignLimits.whole} are read`);
  }
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of piecesOf(file, onRead)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
