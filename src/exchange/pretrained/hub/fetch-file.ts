/** Downloads one file into the private file system, from the byte where an earlier attempt stopped. */
import { filePath } from './check-model.ts';
import { type FileHash, fileHash } from './file-hash.ts';
import {
  backOff,
  ConnectionError,
  type HubConnection,
  request,
  withRetries,
} from './hub-connection.ts';
import { CancelledError, HubError } from './hub-error.ts';
import type { HubFile, HubModel } from './hub-model.ts';

/** The part of `FileSystemSyncAccessHandle` that is used. */
export type FileAccess = Pick<
  FileSystemSyncAccessHandle,
  'getSize' | 'read' | 'write' | 'truncate' | 'flush'
>;

/** Bytes read per step from a partial file. */
const CHUNK = 2 ** 22;

export interface FetchReport {
  /** Number of bytes of the file that are stored and hashed. */
  onBytes(bytes: number): void;
  /** The next attempt follows after this many seconds. */
  onWait(seconds: number): void;
}

/**
 * Appends to `access` until the file is complete, and verifies its hash.
 *
 * The length of a partial file is the whole state: its bytes are hashed again first, so a kill at any
 * moment loses only bytes that were not written.
 *
 * @throws {HubError} if the Hub refuses or the bytes differ from those it lists; then the file is empty
 * @throws {CancelledError} once the signal aborts
 * @throws DOMException `QuotaExceededError` if the disk is full
 */
export async function fetchFile(
  hub: HubConnection,
  model: HubModel,
  file: HubFile,
  access: FileAccess,
  { onBytes, onWait }: FetchReport,
  signal: AbortSignal,
): Promise<void> {
  if (access.getSize() > file.bytes) access.truncate(0);
  let at = access.getSize();
  let hash = await rehashed(file, access, at, onBytes, signal);
  onBytes(at);
  const restart = () => {
    access.truncate(0);
    hash = fileHash(file);
    at = 0;
    onBytes(at);
  };
  const append = (part: Uint8Array<ArrayBuffer>) => {
    if (at + part.length > file.bytes) throw damaged(model, file, restart);
    const written = access.write(part, { at });
    // If the disk is full, some browsers write less instead of throwing.
    if (written < part.length) {
      access.truncate(at);
      throw new DOMException('', 'QuotaExceededError');
    }
    hash.add(part);
    at += part.length;
    onBytes(at);
  };
  const work = async () => {
    if (at === file.bytes) return true;
    const asked = { name: model.name, path: filePath(model, file), first: at };
    const response = await request(hub, asked, signal);
    const { status, headers } = response;
    const first = firstByte(headers);
    if (status === 416 || (status === 206 && first !== null && first !== at)) {
      response.end();
      restart();
      throw new ConnectionError('the Hub sent a different part of the file');
    }
    // The server ignored the range.
    if (status !== 206 && at > 0) restart();
    for await (const part of response.parts()) append(part);
    return at === file.bytes ? true : null;
  };
  await withRetries(hub, signal, { work, progress: () => at, onWait, backOff });
  if (hash.digest() !== file.digest) throw damaged(model, file, restart);
  access.flush();
}

async function rehashed(
  file: HubFile,
  access: FileAccess,
  size: number,
  onBytes: FetchReport['onBytes'],
  signal: AbortSignal,
): Promise<FileHash> {
  const hash = fileHash(file);
  const buffer = new Uint8Array(Math.min(size, CHUNK));
  for (let at = 0; at < size; ) {
    // A cancellation arrives as a message, which needs a turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) throw new CancelledError();
    const length = access.read(buffer.subarray(0, Math.min(CHUNK, size - at)), { at });
    if (length === 0) {
      throw new HubError(
        `The stored part of ${file.name} cannot be read. Delete the unfinished download and start again.`,
      );
    }
    hash.add(buffer.subarray(0, length));
    at += length;
    onBytes(at);
  }
  return hash;
}

/** Start of the range that a response carries; null if a server hides it from other origins. */
function firstByte(headers: Headers): number | null {
  const first = /^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1];
  return first === undefined ? null : Number(first);
}

function damaged({ name }: HubModel, file: HubFile, restart: () => void): HubError {
  restart();
  return new HubError(
    `${file.name} of ${name} was corrupted during the download: it differs from the file on the Hub. It was deleted; download it again.`,
  );
}
