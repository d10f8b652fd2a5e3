/** The open environments: their ids, their maximum number, and the timeout of idle ones. */

import { SPARED_MS } from './limits.ts';
import { fault, Refusal } from './protocol.ts';

export interface OpenLimits {
  /** Maximum number of open environments over all paths. */
  readonly most: number;
  /** Milliseconds after which an idle environment is closed. */
  readonly idle: number;
}

interface Place<Held> {
  readonly held: Held;
  used: number;
}

export class OpenEnvironments<Held> {
  readonly #limits: OpenLimits;
  readonly #now: () => number;
  readonly #isOver: (held: Held) => boolean;
  /** By path and id; least recently used first. */
  readonly #places = new Map<string, Place<Held>>();
  /** Number of ids assigned, by path. */
  readonly #given = new Map<string, number>();

  /**
   * @param isOver whether an environment's episode has ended, so that it is closed first to make room
   * @param now milliseconds of a monotonic clock
   */
  constructor(limits: OpenLimits, isOver: (held: Held) => boolean, now: () => number) {
    this.#limits = limits;
    this.#isOver = isOver;
    this.#now = now;
  }

  get size(): number {
    return this.#places.size;
  }

  /**
   * Opens an environment and returns its id: 0, 1, 2 and so on for each path, never reused.
   * Throws a `Refusal` with status 503 if there is no room.
   */
  add(path: string, held: Held): number {
    this.expire();
    if (this.#places.size >= this.#limits.most && !this.#makeRoom()) {
      throw new Refusal(503, {
        error: `${this.#limits.most} environments are open, which is the maximum. Close one, or try again later.`,
      });
    }
    const id = this.#given.get(path) ?? 0;
    this.#given.set(path, id + 1);
    this.#places.set(keyOf(path, id), { held, used: this.#now() });
    return id;
  }

  /** Throws a `Refusal` for an id that is not open. */
  use(path: string, id: number): Held {
    this.expire();
    const key = keyOf(path, id);
    const place = this.#places.get(key);
    if (place === undefined) throw fault(this.#whyNot(path, id));
    place.used = this.#now();
    this.#places.delete(key);
    this.#places.set(key, place);
    return place.held;
  }

  /** Throws a `Refusal` for an id that is not open. */
  close(path: string, id: number): void {
    this.use(path, id);
    this.#places.delete(keyOf(path, id));
  }

  /** Closes environments that have been idle for too long. */
  expire(): void {
    const since = this.#now() - this.#limits.idle;
    for (const [key, { used }] of this.#places) {
      if (used > since) return;
      this.#places.delete(key);
    }
  }

  /**
   * Closes an environment whose episode has ended, otherwise the one that has been idle longest, if it
   * has been idle for `SPARED_MS`. Returns false if there is none.
   */
  #makeRoom(): boolean {
    const [longest] = this.#places;
    if (longest === undefined) return false;
    const over = [...this.#places].find(([, { held }]) => this.#isOver(held));
    if (over !== undefined) return this.#places.delete(over[0]);
    return longest[1].used <= this.#now() - SPARED_MS && this.#places.delete(longest[0]);
  }

  #whyNot(path: string, id: number): string {
    return id < (this.#given.get(path) ?? 0)
      ? `Environment ${id} is no longer open: it was closed, or was idle for too long.`
      : `There is no environment ${id}.`;
  }
}

const keyOf = (path: string, id: number) => `${path} ${id}`;
