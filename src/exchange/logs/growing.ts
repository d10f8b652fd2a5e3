/**
 * Logs that grow while they are read over HTTP: what a poll fetches, and how it detects a replaced
 * file.
 */

import { joinBytes } from '../../files/bytes.ts';
import { foreignLimits } from '../../files/log-limits.ts';
import { LogError } from './error.ts';
import type { LogFile } from './source.ts';

/** Change of a log since the previous poll. */
export type Growth =
  | 'same'
  /** Bytes were appended. */
  | 'grown'
  /** It is shorter or starts differently: truncated, rotated or replaced. */
  | 'restarted'
  /** It cannot be found; its writer may be about to replace it. */
  | 'absent';

/** A log that is polled. */
export interface GrowingLog {
  /** Its name in messages. */
  readonly name: string;
  readonly poll: () => Promise<Growth>;
  /** The log's files as of the last poll. */
  readonly files: () => readonly LogFile[];
  /** Paths of the files that the last poll found to have restarted. */
  readonly restarted: () => readonly string[];
}

/** Number of known bytes fetched again to detect replacement. */
const OVERLAP = 256;

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * A log at a URL. The first poll fetches all of it, later ones a range that starts slightly before
 * the known end; from a server without range support everything is fetched each time.
 *
 * @param fetchUrl `fetch`
 */
export class GrowingUrl implements GrowingLog {
  readonly name: string;
  readonly #fetch: Fetch;
  #bytes = new Uint8Array(2 ** 16);
  #size = 0;

  /** @throws {LogError} for a URL that is not HTTP */
  constructor(url: string, fetchUrl: Fetch = (address, init) => fetch(address, init)) {
    if (!/^https?:\/\//i.test(url)) throw new LogError('is not an http or https URL');
    this.name = url;
    this.#fetch = fetchUrl;
  }

  readonly files = (): readonly LogFile[] => {
    const bytes = this.#bytes.subarray(0, this.#size);
    const path = this.#path();
    const read = async (from: number, to: number) => bytes.slice(from, to);
    return this.#size === 0 ? [] : [{ path, size: this.#size, read }];
  };

  /** A URL names one file. */
  readonly restarted = (): readonly string[] => [this.#path()];

  #path(): string {
    return new URL(this.name).pathname.replace(/^\/+/, '') || 'log';
  }

  /** @throws {LogError} if the server refuses, or the file exceeds the limit */
  readonly poll = async (): Promise<Growth> => {
    if (this.#size === 0) return this.#whole('grown');
    const from = Math.max(0, this.#size - OVERLAP);
    const response = await this.#get({ Range: `bytes=${from}-` });
    if (response.status === 404 || response.status === 410) return 'absent';
    // The file ends before the range begins.
    if (response.status === 416) return this.#whole('restarted');
    if (!response.ok) throw refused(response);
    if (response.status !== 206) return this.#take(await bytesOf(response));
    const part = await bytesOf(response);
    const known = this.#bytes.subarray(from, this.#size);
    if (!startsWith(part, known)) return this.#whole('restarted');
    if (part.length === known.length) return 'same';
    this.#append(part.subarray(known.length));
    return 'grown';
  };

  async #whole(growth: Growth): Promise<Growth> {
    const response = await this.#get({});
    if (response.status === 404 || response.status === 410) return 'absent';
    if (!response.ok) throw refused(response);
    const bytes = await bytesOf(response);
    this.#size = 0;
    this.#append(bytes);
    return bytes.length === 0 && growth === 'grown' ? 'same' : growth;
  }

  /** The whole file instead of a range. */
  #take(bytes: Uint8Array): Growth {
    const known = this.#bytes.subarray(0, this.#size);
    const same = startsWith(bytes, known);
    if (same && bytes.length === this.#size) return 'same';
    if (same) {
      this.#append(bytes.subarray(this.#size));
      return 'grown';
    }
    this.#size = 0;
    this.#append(bytes);
    return 'restarted';
  }

  async #get(headers: Readonly<Record<string, string>>): Promise<Response> {
    try {
      return await this.#fetch(this.name, { headers, cache: 'no-store' });
    } catch (error) {
      throw unfetched(error);
    }
  }

  #append(part: Uint8Array): void {
    const size = this.#size + part.length;
    if (size > foreignLimits.followed) {
      throw new LogError(`has more than ${foreignLimits.followed} bytes`);
    }
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(size, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#size);
    this.#size = size;
  }
}

const refused = ({ status, statusText }: Response) =>
  new LogError(`was refused by its server: ${status} ${statusText}`.trim());

const unfetched = (error: unknown) =>
  new LogError(`cannot be fetched: ${error instanceof Error ? error.message : String(error)}`);

/** @throws {LogError} as soon as it exceeds the limit, or if the connection is lost */
async function bytesOf(response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const read = await reader?.read().catch((error: unknown) => {
      throw unfetched(error);
    });
    if (read === undefined || read.done) break;
    size += read.value.length;
    if (size > foreignLimits.followed) {
      await reader?.cancel();
      throw new LogError(`has more than ${foreignLimits.followed} bytes`);
    }
    parts.push(read.value);
  }
  return joinBytes(parts);
}

function startsWith(bytes: Uint8Array, head: Uint8Array): boolean {
  return bytes.length >= head.length && head.every((byte, i) => bytes[i] === byte);
}
