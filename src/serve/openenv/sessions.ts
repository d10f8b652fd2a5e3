/** The open sessions of all environments: capacity and idle timeout. */

import type { Served } from '../dialect.ts';
import type { OpenLimits } from '../open-environments.ts';
import { OpenEnvError, Session } from './session.ts';

interface Entry {
  readonly session: Session;
  /** Closes the connection that owns the session; null for a session opened over HTTP. */
  readonly expired: (() => void) | null;
  used: number;
}

export class Sessions {
  readonly #limits: OpenLimits;
  readonly #now: () => number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();

  /** @param now milliseconds of a monotonic clock */
  constructor(limits: OpenLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @throws {OpenEnvError} at capacity */
  open(served: Served, expired: (() => void) | null): string {
    this.expire();
    const { most } = this.#limits;
    if (this.#entries.size >= most) {
      throw new OpenEnvError('CAPACITY_REACHED', `all ${most} sessions are in use`, {
        active_sessions: this.#entries.size,
        max_sessions: most,
      });
    }
    const id = globalThis.crypto.randomUUID();
    this.#entries.set(id, { session: new Session(served), expired, used: this.#now() });
    return id;
  }

  /** @throws {OpenEnvError} for a session that is not open, or is another environment's */
  use(id: string, served: Served): Session {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.session.served !== served) {
      throw new OpenEnvError('SESSION_ERROR', `session ${JSON.stringify(id)} is not open`);
    }
    entry.used = this.#now();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.session;
  }

  close(id: string): void {
    this.#entries.delete(id);
  }

  /** Closes sessions that have been idle for too long. */
  expire(): void {
    const since = this.#now() - this.#limits.idle;
    for (const [id, { used, expired }] of this.#entries) {
      if (used > since) return;
      this.#entries.delete(id);
      expired?.();
    }
  }
}
