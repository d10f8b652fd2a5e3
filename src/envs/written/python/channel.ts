/** Synchronous calls between two threads, through shared memory. */

/** Maximum length of a request or an answer in bytes. */
const MOST_BYTES = 2 ** 20;

const REQUEST = 1;
const ANSWER = 2;

/** Layout: state, length (int32 each), UTF-8 text. */
const HEADER_BYTES = 8;

export const newChannel = (): SharedArrayBuffer => new SharedArrayBuffer(HEADER_BYTES + MOST_BYTES);

class Channel {
  readonly header: Int32Array;
  readonly #text: Uint8Array;

  constructor(shared: SharedArrayBuffer) {
    this.header = new Int32Array(shared, 0, 2);
    this.#text = new Uint8Array(shared, HEADER_BYTES);
  }

  get state(): number {
    return Atomics.load(this.header, 0);
  }

  /** Writes a text and sets the state, which wakes the other side. Returns false if the text is too long. */
  send(text: string, state: number): boolean {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > MOST_BYTES) return false;
    this.#text.set(bytes);
    Atomics.store(this.header, 1, bytes.length);
    Atomics.store(this.header, 0, state);
    Atomics.notify(this.header, 0);
    return true;
  }

  read(): string {
    // A decoder does not accept shared memory.
    return new TextDecoder().decode(this.#text.slice(0, Atomics.load(this.header, 1)));
  }
}

/** The calling side. */
export class Caller {
  readonly #channel: Channel;

  constructor(shared: SharedArrayBuffer) {
    this.#channel = new Channel(shared);
  }

  /** @returns null if there is no answer in time, or the request is too long */
  call(request: string, milliseconds: number): string | null {
    const channel = this.#channel;
    if (!channel.send(request, REQUEST)) return null;
    const until = performance.now() + milliseconds;
    while (channel.state === REQUEST) {
      const left = until - performance.now();
      if (left <= 0) return null;
      // A page's main thread must not block, so it spins; its calls are short.
      if (typeof document === 'undefined') Atomics.wait(channel.header, 0, REQUEST, left);
    }
    return channel.read();
  }
}

/** Answers requests forever, and blocks this thread in between. */
export function serve(
  shared: SharedArrayBuffer,
  answer: (request: string) => string,
  tooLong: string,
): never {
  const channel = new Channel(shared);
  for (;;) {
    const { state } = channel;
    if (state !== REQUEST) {
      Atomics.wait(channel.header, 0, state);
      continue;
    }
    if (!channel.send(answer(channel.read()), ANSWER)) channel.send(tooLong, ANSWER);
  }
}
