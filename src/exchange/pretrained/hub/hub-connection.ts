/** Requests to the Hugging Face Hub, and what its refusals mean. */
import { CancelledError, HubError } from './hub-error.ts';

/** The Hub and the clock; tests replace both. */
export interface HubConnection {
  /** Without a slash at the end. */
  readonly address: string;
  /** Waits between two attempts; ends early when the signal aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A connection that delivers nothing for this many milliseconds has stalled and is closed. */
  readonly stall: number;
}

export const huggingFace: HubConnection = {
  address: 'https://huggingface.co',
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
    }),
  stall: 60_000,
};

/** A temporary fault; another attempt may succeed. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A response whose body is read in parts; `end` releases the connection. */
export interface HubResponse {
  readonly status: number;
  readonly headers: Headers;
  parts(): AsyncGenerator<Uint8Array<ArrayBuffer>>;
  end(): void;
}

/** Statuses of overloaded servers and gateways. */
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Requests a file or a list of the model `name`.
 *
 * @param first first byte wanted; a server may ignore it and answer 200 with the whole file
 * @throws {ConnectionError} if another attempt may succeed
 * @throws {HubError} if the Hub refuses
 * @throws {CancelledError} once the signal aborts
 */
export async function request(
  { address, stall }: HubConnection,
  { name, path, first }: { readonly name: string; readonly path: string; readonly first: number },
  signal: AbortSignal,
): Promise<HubResponse> {
  const attempt = new AbortController();
  const cancel = () => attempt.abort();
  signal.addEventListener('abort', cancel);
  let timer = setTimeout(cancel, stall);
  const end = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    attempt.abort();
  };
  /** Awaits the network, whose errors are all temporary. */
  const awaited = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch {
      end();
      throw signal.aborted ? new CancelledError() : new ConnectionError('the connection was lost');
    }
  };
  if (signal.aborted) {
    end();
    throw new CancelledError();
  }
  const response = await awaited(
    fetch(`${address}${path}`, {
      // Browsers send such a range across origins without a preflight request.
      headers: first > 0 ? { range: `bytes=${first}-` } : {},
      // The private file system keeps the bytes; a cache would keep them twice.
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: attempt.signal,
    }),
  );
  const { status, headers } = response;
  if (!response.ok && status !== 416) {
    end();
    throw refusal(name, path, response);
  }
  return {
    ...{ status, headers, end },
    async *parts() {
      const reader = response.body?.getReader();
      try {
        while (reader !== undefined) {
          clearTimeout(timer);
          timer = setTimeout(cancel, stall);
          const { done, value } = await awaited(reader.read());
          if (done) return;
          yield value;
        }
      } finally {
        end();
      }
    },
  };
}

function refusal(name: string, path: string, { status, headers }: Response): Error {
  if (TEMPORARY.has(status)) return new ConnectionError(`the Hub answered with status ${status}`);
  const code = headers.get('x-error-code');
  if (code === 'RevisionNotFound') {
    return new HubError(
      `${name} has no such revision. Enter a branch, tag or commit, or leave the field empty for main.`,
    );
  }
  // Without an account the Hub answers 401 for a name that does not exist.
  const unknown = code === 'RepoNotFound' || (status === 401 && code === null);
  if (unknown || (status === 404 && path.startsWith('/api/'))) {
    return new HubError(
      `The Hub has no public model ${name}. Check the spelling; download a private model on the site and open its folder here.`,
    );
  }
  if (status === 401 || status === 403) {
    return new HubError(
      `The license of ${name} must be accepted first. Accept it on https://huggingface.co/${name}, download the files there, and open their folder here.`,
    );
  }
  if (status === 404 || status === 410) {
    return new HubError(`The Hub no longer has this version of ${name}. Check the model again.`);
  }
  return new HubError(`The Hub refused the request with status ${status}. Try again later.`);
}

/** Seconds before each attempt after the first. */
export const backOff = [1, 2, 4, 8, 16] as const;

/** Work to retry after temporary failures. */
interface Repeated<T> {
  /** Returns null if it is incomplete. */
  work(): Promise<T | null>;
  /** A number that increases with progress, which resets the count of failed attempts. */
  progress(): number;
  onWait(seconds: number): void;
  /** Seconds before each attempt after the first. */
  readonly backOff: readonly number[];
}

/** @throws {HubError} if every attempt failed */
export async function withRetries<T>(
  { wait }: HubConnection,
  signal: AbortSignal,
  { work, progress, onWait, backOff: seconds }: Repeated<T>,
): Promise<T> {
  let furthest = progress();
  let failures = 0;
  for (;;) {
    let reason = 'the connection was lost';
    try {
      const done = await work();
      if (done !== null) return done;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      reason = error.message;
    }
    if (progress() > furthest) failures = 0;
    furthest = Math.max(furthest, progress());
    const pause = seconds[failures++];
    if (pause === undefined) {
      throw new HubError(
        `The request to the Hub failed: ${reason}. Check the network connection and try again; downloaded bytes are kept.`,
      );
    }
    onWait(pause);
    await wait(1000 * pause, signal);
    if (signal.aborted) throw new CancelledError();
  }
}
