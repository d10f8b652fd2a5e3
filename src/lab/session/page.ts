import type { Phase, RunId, SessionStatus, WorkerMessage } from '../protocol.ts';

type Without<Message, Key extends PropertyKey> = Message extends unknown
  ? Omit<Message, Key>
  : never;

/** What is told of a run, before it is tagged with whose it is. */
export type Told = Without<WorkerMessage, 'runId'>;

/** Progress messages closer together than this say nothing that an eye could see. */
const PROGRESS_INTERVAL_MS = 120;

/** The way from one run to the page. */
export class RunPage {
  readonly #id: RunId;
  readonly #post: (message: WorkerMessage) => void;
  #status: SessionStatus | null = null;

  constructor(id: RunId, post: (message: WorkerMessage) => void) {
    this.#id = id;
    this.#post = post;
  }

  tell(message: Told): void {
    // Tagged, each kind of message is the kind that it was; the compiler does not follow a spread.
    this.#post({ ...message, runId: this.#id } as WorkerMessage);
  }

  /** Tells where the run stands, if that is new. */
  status(status: SessionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.tell({ type: 'status', status });
  }

  /** Tells once more where the run stands, which ends the phase that the page shows. */
  repeatStatus(): void {
    if (this.#status !== null) this.tell({ type: 'status', status: this.#status });
  }

  /** Tells how far a piece of work is: its beginning, and from then on as often as an eye can see. */
  progress(): (phase: Phase, fraction: number) => void {
    let told = Number.NEGATIVE_INFINITY;
    return (phase, fraction) => {
      const now = performance.now();
      if (now - told < PROGRESS_INTERVAL_MS) return;
      told = now;
      this.tell({ type: 'progress', phase, fraction });
    };
  }
}
