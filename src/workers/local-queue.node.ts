/** A queue whose segments are played by processes on this machine. */
import type { Segment } from '../sweep/plan.ts';
import {
  Child,
  type ChildEnd,
  type Program,
  UselessChildError,
  whatOf,
} from './child-process.node.ts';
import type { Queue } from './queue.ts';
import type { SweepFolder } from './sweep-folder.node.ts';
import { pause, waitForOwner } from './waiting.node.ts';

interface LocalQueueOptions {
  readonly folder: SweepFolder;
  /** Seconds between saves. */
  readonly saveEvery: number;
  readonly program: Program;
  readonly workers: number;
  readonly log: (line: string) => void;
  /** Called when a segment has ended, so that the next ones can be planned. */
  readonly onEnd: () => void;
}

/** Milliseconds before a run is retried after a storage error or the death of its process. */
const PAUSE = 2000;

export class LocalQueue implements Queue {
  readonly #options: LocalQueueOptions;
  readonly #idle: Child[];
  readonly #busy = new Map<string, Child>();
  readonly #paused = new Set<string>();
  readonly #iterations = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #waiting: readonly Segment[] = [];
  #useless: UselessChildError | null = null;

  constructor(options: LocalQueueOptions) {
    this.#options = options;
    const listener = {
      log: options.log,
      onIteration: (run: string, iteration: number) => this.#iterations.set(run, iteration),
    };
    this.#idle = Array.from(
      { length: options.workers },
      () => new Child(options.program, listener),
    );
  }

  /** @throws {UselessChildError} if a process has reported that it cannot compute the sweep */
  async offer(segments: readonly Segment[]): Promise<void> {
    if (this.#useless !== null) throw this.#useless;
    this.#waiting = segments;
    this.#deal();
  }

  #deal(): void {
    while (!this.#closing.signal.aborted && this.#useless === null) {
      const next = this.#waiting.find(({ run }) => !this.#busy.has(run) && !this.#paused.has(run));
      const child = next === undefined ? undefined : this.#idle.pop();
      if (next === undefined || child === undefined) return;
      this.#waiting = this.#waiting.filter((segment) => segment !== next);
      const running = this.#play(child, next).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async #play(child: Child, segment: Segment): Promise<void> {
    this.#busy.set(segment.run, child);
    try {
      this.#told(segment, await child.play(segment));
    } catch (error) {
      if (!(error instanceof UselessChildError)) throw error;
      this.#useless = error;
    }
    this.#busy.delete(segment.run);
    this.#idle.push(child);
    this.#options.onEnd();
    this.#deal();
  }

  #told({ run }: Segment, end: ChildEnd): void {
    const line = whatOf(run, end);
    if (line !== null) this.#options.log(line);
    const { signal } = this.#closing;
    if (end.kind === 'died' || end.kind === 'blocked') this.#pauseUntil(run, pause(PAUSE, signal));
    if (end.kind === 'superseded') {
      // A storage error ends the wait; the coordinator reports it.
      const { folder, saveEvery } = this.#options;
      const over = waitForOwner(folder, run, signal, saveEvery).catch(() => {});
      this.#pauseUntil(run, over);
    }
  }

  #pauseUntil(run: string, over: Promise<void>): void {
    this.#paused.add(run);
    over.then(() => {
      this.#paused.delete(run);
      this.#options.onEnd();
    });
  }

  atWork = () => this.#busy.size;

  iterations = () => this.#iterations;

  async close(): Promise<void> {
    this.#closing.abort();
    for (const child of this.#busy.values()) child.stop();
    await Promise.all(this.#running);
    for (const child of this.#idle) child.close();
  }
}
