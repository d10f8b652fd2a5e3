/** How this program reaches servers of environments. */

/** The part of a WebSocket that is used; browsers, Node from 22 on and `ws` have it. */
export interface Socket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'close' | 'error', heard: () => void): void;
  addEventListener(type: 'message', heard: (event: { readonly data: unknown }) => void): void;
}

/** The connection failed, or the server did: no fault of the policy. */
export class RemoteFault extends Error {
  override readonly name = 'RemoteFault';
}

/** The server refused a message; trying again does not help. */
export class RemoteRefusal extends Error {
  override readonly name = 'RemoteRefusal';
  /** What the server says of each field of the message. */
  readonly errors: unknown;
  constructor(message: string, errors?: unknown) {
    super(message);
    this.errors = errors;
  }
}

export const sockets = {
  /**
   * Opens sockets. Closed unless the program opens it: a link must not make the page connect to a host that its visitor did
   * not choose.
   */
  open: (_url: string): Socket => {
    throw new RemoteRefusal('this program opens no connections to servers');
  },
  /** Called with the reason when a failed attempt will be repeated, and with null when one succeeds after that. */
  onWaiting: (_reason: string | null): void => {},
};

const closers = new Set<() => void>();

/** Calls `close` at the next `disconnect`, unless the returned function is called before. */
export function onDisconnect(close: () => void): () => void {
  closers.add(close);
  return () => closers.delete(close);
}

/** Closes all connections; what waits for a server fails at once. */
export function disconnect(): void {
  for (const close of closers) close();
  closers.clear();
}
