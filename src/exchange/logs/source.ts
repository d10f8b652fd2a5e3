/** Files for log readers, read in pieces, in the page and on the command line alike. */

import { foreignLimits } from '../../files/log-limits.ts';
import { LogError } from './error.ts';

/** A file that has not been read yet. */
export interface LogFile {
  /** Including folders, separated by `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The bytes of a range, fewer at the end of the file. */
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

/** The folder of a file; empty if there is none. */
export function folderOf({ path }: Pick<LogFile, 'path'>): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Called with the number of bytes read since the last call. */
export type OnRead = (bytes: number) => void;

/** Bytes between two progress messages. */
const PROGRESS_BYTES = 2 ** 21;

/** Reports the bytes read of some files: 0 now, and then every 2 MiB. */
export function reportedReading(
  files: readonly LogFile[],
  report: (read: number, total: number) => void,
): OnRead {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let [read, reported] = [0, 0];
  report(0, total);
  return (bytes) => {
    read += bytes;
    if (read - reported < PROGRESS_BYTES) return;
    reported = read;
    report(read, total);
  };
}

/** Reads a file from start to end. */
export async function* piecesOf(file: LogFile, onRead: OnRead): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; ) {
    const piece = await file.read(at, Math.min(file.size, at + foreignLimits.piece));
    // The file was truncated after it was opened.
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
  /** Whether it ended with a line break and so is complete. */
  readonly whole: boolean;
}

/**
 * The lines of a UTF-8 text, one batch per piece. A byte-order mark is dropped, and invalid bytes
 * are read as `\ufffd`, because console logs contain arbitrary output.
 *
 * @throws {LogError} for a line above the length limit
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
 * Reads a text file as a whole.
 *
 * @throws {LogError} for a file above the size limit
 */
export async function wholeText(file: LogFile, onRead: OnRead): Promise<string> {
  if (file.size > foreignLimits.whole) {
    throw new LogError(`has ${file.size} bytes; the limit is ${foreignLimits.whole}`);
  }
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of piecesOf(file, onRead)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
