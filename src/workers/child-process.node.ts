/** The parent's side of a worker process. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Segment } from '../sweep/plan.ts';
import type { FromChild, ToChild } from './messages.ts';
import type { SegmentEnd } from './segment.node.ts';

export interface Program {
  /** The bundled program that the process runs. */
  readonly file: string;
  readonly args: readonly string[];
}

/** How a segment ended; `died` if its process died. */
export type ChildEnd = SegmentEnd | { readonly kind: 'died'; readonly how: string };

interface ChildListener {
  readonly onIteration: (run: string, iteration: number) => void;
  readonly log: (line: string) => void;
}

/** Thrown if a process reports that it cannot compute the sweep. */
export class UselessChildError extends Error {
  override readonly name = 'UselessChildError';
}

/** Number of processes in a row that may die before they are ready. */
const MOST_STARTS = 5;

/** A worker process, which is started for the first segment and restarted after it has died. */
export class Child {
  readonly #program: Program;
  readonly #listener: ChildListener;
  #process: ChildProcess | null = null;
  #ended: ((end: ChildEnd) => void) | null = null;
  #ready: Promise<void> | null = null;
  /** Number of processes started since the last one that was ready. */
  #starts = 0;

  constructor(program: Program, listener: ChildListener) {
    this.#program = program;
    this.#listener = listener;
  }

  /**
   * Plays a segment. Call it again only after it has resolved.
   *
   * @throws {UselessChildError} if the process cannot compute, or several died before they could
   */
  play(segment: Segment): Promise<ChildEnd> {
    return new Promise((resolve, reject) => {
      this.#ended = resolve;
      // One process that dies before it is ready ends the segment like one that dies later: `#gone` has
      // already resolved.
      this.start().then(() => this.#say({ type: 'play', segment }), reject);
    });
  }

  /**
   * Resolves once the process can compute.
   *
   * @throws {UselessChildError} if it cannot, or dies first
   */
  start(): Promise<void> {
    this.#ready ??= new Promise((ready, useless) => this.#fork(ready, useless));
    return this.#ready;
  }

  #fork(ready: () => void, useless: (error: Error) => void): void {
    const child = fork(this.#program.file, [...this.#program.args], {
      execArgv: ['--enable-source-maps'],
    });
    this.#process = child;
    this.#starts++;
    child.on('message', (message: FromChild) => this.#hear(message, ready, useless));
    const gone = (how: string) => {
      this.#gone(child, how);
      useless(new UselessChildError(`a process ended before it could compute (${how})`));
    };
    child.on('exit', (code, signal) => gone(signal ?? `exit code ${code}`));
    child.on('error', () => gone('it could not be started'));
  }

  #gone(child: ChildProcess, how: string): void {
    if (this.#process !== child) return;
    this.#process = null;
    this.#ready = null;
    if (this.#starts < MOST_STARTS) this.#ended?.({ kind: 'died', how });
  }

  #hear(message: FromChild, ready: () => void, useless: (error: Error) => void): void {
    switch (message.type) {
      case 'ready':
        this.#starts = 0;
        ready();
        break;
      case 'useless':
        useless(new UselessChildError(message.message));
        break;
      case 'iteration':
        this.#listener.onIteration(message.run, message.iteration);
        break;
      case 'log':
        this.#listener.log(message.line);
        break;
      case 'end':
        this.#ended?.(message.end);
        break;
      default:
        message satisfies never;
    }
  }

  #say(message: ToChild): void {
    this.#process?.send(message, () => {});
  }

  /** Asks the process to save its run and end the segment. */
  stop(): void {
    this.#say({ type: 'stop' });
  }

  /** Kills the process at once, because another worker has taken over its run. */
  kill(): void {
    this.#process?.kill('SIGKILL');
  }

  /** Ends an idle process. */
  close(): void {
    const child = this.#process;
    this.#process = null;
    this.#ready = null;
    child?.disconnect();
  }
}

/** The log line on how a segment ended; null if it ended as planned. */
export function whatOf(run: string, end: ChildEnd): string | null {
  switch (end.kind) {
    case 'finished':
    case 'rung':
    case 'interrupted':
    case 'superseded':
      return null;
    case 'again':
      return `${run} was completed twice, with identical results`;
    case 'died':
      return `the process of ${run} ended (${end.how}); the run resumes from its last checkpoint`;
    case 'blocked':
      return `${run} could not be read or saved (${end.message}); retrying`;
    case 'failed':
      return `${run} failed: ${end.message}${end.last ? '' : '; retrying'}`;
    default:
      return end satisfies never;
  }
}
