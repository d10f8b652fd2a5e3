/** Connections to environment servers. */

/** The part of the WebSocket interface used here; browsers, Node 22 or later and `ws` implement it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'close' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/** A failure of the connection or the server, not of the policy. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault';
}

/** The server rejected a message; a retry would not help. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal';
  /** The server's validation errors by field, if any. */
  readonly errors: unknown;
  constructor(message: string, errors?: unknown) {
    super(message);
    this.errors = errors;
  }
}

export const sockets = {
  /**
   * Opens sockets. Disabled unless the program enables it: a link must not make the page connect to a
   * host that the user did not choose.
   */
  open: (_url: string): Socket => {
    throw new RemoteRefusal('this program opens no connections to servers');
  },
  /** Called with the reason before a retry, and with null when a retry succeeds. */
  onWaiting: (_reason: string | null): void => {},
};

const closers = new Set<() => void>();

/** Registers `close` for the next `disconnect`; returns a function that removes it. */
export function onDisconnect(close: () => void): () => void {
  closers.add(close);
  return () => closers.delete(close);
}

/** Closes all connections; pending requests fail at once. */
export function disconnect(): void {
  for (const close of closers) close();
  closers.clear();
}
