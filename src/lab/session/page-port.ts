import type { RunId, SessionStatus, WorkerMessage } from '../protocol.ts';
import type { OnProgress } from '../questions.ts';

type Without<Message, Key extends PropertyKey> = Message extends unknown
  ? Omit<Message, Key>
  : never;

/** A message without its run id. */
type RunMessage = Without<WorkerMessage, 'runId'>;

/** Minimum time between progress messages. */
const PROGRESS_INTERVAL_MS = 120;

/** Sends the messages of one run to the page. */
export class PagePort {
  readonly #id: RunId;
  readonly #post: (message: WorkerMessage) => void;
  #status: SessionStatus | null = null;

  constructor(id: RunId, post: (message: WorkerMessage) => void) {
    this.#id = id;
    this.#post = post;
  }

  send(message: RunMessage): void {
    // TypeScript cannot infer that the spread restores the union.
    this.#post({ ...message, runId: this.#id } as WorkerMessage);
  }

  /** Sends the status if it has changed. */
  sendStatus(status: SessionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.send({ type: 'status', status });
  }

  /** Repeats the status, which clears the progress bar of a question on the page. */
  resendStatus(): void {
    if (this.#status !== null) this.send({ type: 'status', status: this.#status });
  }

  /** Reports progress of one piece of work, throttled. */
  progress(): OnProgress {
    let sent = Number.NEGATIVE_INFINITY;
    return (phase, fraction, loss) => {
      const now = performance.now();
      if (now - sent < PROGRESS_INTERVAL_MS) return;
      sent = now;
      this.send({ type: 'progress', phase, fraction, ...(loss === undefined ? {} : { loss }) });
    };
  }
}
