/**
 * The training session in the worker: one run at a time, reading messages between iterations. It
 * communicates with the page only through `post`, so it also runs in Node.
 */

import type { PageMessage, RunId } from '../protocol.ts';
import type { Start } from './commands.ts';
import { RunLifecycle } from './lifecycle.ts';
import { answerRecordQuestion, isAgentQuestion, refusal } from './questions.ts';
import type { SessionEpisodes, SessionOptions } from './types.ts';

export class LabSession {
  readonly #options: SessionOptions;
  #current: { readonly id: RunId; readonly lifecycle: RunLifecycle } | null = null;
  /** Episodes of the run that was opened last, which may have ended. */
  #record: { readonly id: RunId; readonly episodes: SessionEpisodes } | null = null;
  /** Resolves when the last run has freed the GPU; the next one waits for it. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Handles a message from the page. Ignores messages for other runs, but answers every question. */
  receive(message: PageMessage): void {
    const { post, loseGpu } = this.#options;
    const run = this.#current?.id === message.runId ? this.#current.lifecycle : null;
    switch (message.type) {
      case 'start':
        this.#start(message);
        break;
      case 'stop':
        if (run !== null) this.#end();
        break;
      case 'pause':
      case 'resume':
      case 'step':
      case 'step-phase':
      case 'move':
      case 'change':
        run?.take(message);
        break;
      case 'question':
        if (!isAgentQuestion(message)) {
          const record = this.#record?.id === message.runId ? this.#record.episodes : null;
          post(answerRecordQuestion(record?.answers ?? null, message));
        } else if (run === null) post(refusal(message));
        else run.ask(message);
        break;
      case 'cancel-question':
        run?.cancelQuestion(message.request);
        break;
      case 'lose-gpu':
        if (run !== null) loseGpu?.();
        break;
      default:
        message satisfies never;
    }
  }

  /** Resolves when every ended run has freed the GPU. */
  get settled(): Promise<void> {
    return this.#last;
  }

  #start(start: Start): void {
    this.#end();
    const { runId: id } = start;
    const lifecycle = new RunLifecycle(start, this.#options);
    this.#current = { id, lifecycle };
    this.#last = this.#last.then(async () => {
      await lifecycle.run((episodes) => {
        this.#record = { id, episodes };
      });
      if (this.#current?.lifecycle === lifecycle) this.#current = null;
    });
  }

  #end(): void {
    this.#current?.lifecycle.end();
    this.#current = null;
  }
}
