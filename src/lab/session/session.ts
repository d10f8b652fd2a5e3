/**
 * The training session behind the worker: one run at a time, iteration after iteration, with an ear
 * for the page between them. It reaches the page only through `post`, so it runs in Node as well.
 */

import type { PageMessage, RunId } from '../protocol.ts';
import type { Start } from './commands.ts';
import { RunLife } from './life.ts';
import { answerOfEpisodes, refusal } from './questions.ts';
import type { SessionEpisodes, SessionOptions } from './types.ts';

export class LabSession {
  readonly #options: SessionOptions;
  #present: { readonly id: RunId; readonly life: RunLife } | null = null;
  /** Of the run that was opened last, which may be over. */
  #kept: { readonly id: RunId; readonly episodes: SessionEpisodes } | null = null;
  /** The run before must have freed the GPU before the next one asks for it. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Takes one message of the page. Messages for runs that are over change nothing; questions are always answered. */
  receive(message: PageMessage): void {
    const { post, loseGpu } = this.#options;
    const life = this.#present?.id === message.runId ? this.#present.life : null;
    switch (message.type) {
      case 'start':
        this.#start(message);
        break;
      case 'stop':
        if (life !== null) this.#end();
        break;
      case 'pause':
      case 'resume':
      case 'step':
      case 'step-phase':
      case 'move':
      case 'change':
        life?.take(message);
        break;
      case 'give-up':
        life?.giveUp(message.request);
        break;
      case 'lose-gpu':
        if (life !== null) loseGpu?.();
        break;
      case 'evaluate-agent':
      case 'read-checkpoint':
      case 'read-alternatives':
      case 'answer-task':
      case 'weigh-critique':
      case 'collect-critiques':
      case 'draw-samples':
        if (life === null) post(refusal(message));
        else life.ask(message);
        break;
      case 'list-episodes':
      case 'read-episodes':
      case 'inspect-episode':
      case 'list-conversations': {
        const kept = this.#kept?.id === message.runId ? this.#kept.episodes : null;
        post(answerOfEpisodes(message, kept));
        break;
      }
      default:
        message satisfies never;
    }
  }

  /** Resolves when every run that was ended has freed the GPU. */
  get settled(): Promise<void> {
    return this.#last;
  }

  #start(start: Start): void {
    this.#end();
    const { runId: id } = start;
    const life = new RunLife(start, this.#options);
    this.#present = { id, life };
    this.#last = this.#last.then(async () => {
      await life.live((episodes) => {
        this.#kept = { id, episodes };
      });
      if (this.#present?.life === life) this.#present = null;
    });
  }

  #end(): void {
    this.#present?.life.end();
    this.#present = null;
  }
}
