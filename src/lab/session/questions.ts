import type { PlayersQuestion } from '../conversation-messages.ts';
import type { PageMessage, Phase, WorkerMessage } from '../protocol.ts';
import { describeError, RunEnded } from './errors.ts';
import type { DeviceFailure } from './failure.ts';
import type { SessionEpisodes, SessionRun } from './types.ts';

/** A question that only the agent itself can answer. */
export type AgentQuestion =
  | Extract<
      PageMessage,
      { readonly type: 'evaluate-agent' | 'read-checkpoint' | 'read-alternatives' }
    >
  | PlayersQuestion;

/** A question about kept episodes and conversations, which needs no agent. */
export type EpisodeQuestion = Extract<
  PageMessage,
  { readonly type: 'list-episodes' | 'read-episodes' | 'inspect-episode' | 'list-conversations' }
>;

const GONE = 'The run is over, and its agent is gone.';
const GIVEN_UP = 'It was given up.';

/** Leaves the work on a question that the page has given up. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
  constructor() {
    super(GIVEN_UP);
  }
}

/** The answer to a question that the agent cannot be asked; the page waits for one. */
export function refusal({ runId, request }: AgentQuestion, reason = GONE): WorkerMessage {
  return { type: 'refusal', runId, request, reason };
}

/** Questions for a run's agent, which wait until it is between two iterations. */
export class Questions {
  readonly #post: (message: WorkerMessage) => void;
  readonly #changed: () => void;
  readonly #waiting: AgentQuestion[] = [];
  /** The one that is being answered, and whether it has been given up. */
  #present: { readonly request: number; givenUp: boolean } | null = null;

  /** @param changed called after every question */
  constructor(post: (message: WorkerMessage) => void, changed: () => void) {
    this.#post = post;
    this.#changed = changed;
  }

  ask(question: AgentQuestion): void {
    this.#waiting.push(question);
    this.#changed();
  }

  /** The page no longer wants an answer. */
  giveUp(request: number): void {
    if (this.#present?.request === request) this.#present.givenUp = true;
    const place = this.#waiting.findIndex((question) => question.request === request);
    for (const question of place < 0 ? [] : this.#waiting.splice(place, 1)) {
      this.#post(refusal(question, GIVEN_UP));
    }
  }

  /** @throws {GivenUp} to leave the work on a question that was given up. */
  expectWanted(): void {
    if (this.#present?.givenUp === true) throw new GivenUp();
  }

  get any(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Answers the one that has waited longest, with a refusal where that fails.
   *
   * @throws only what ends the run: the failure of its device, or `RunEnded`.
   */
  async answerOne(
    answer: (question: AgentQuestion) => Promise<WorkerMessage>,
    failure: DeviceFailure,
  ): Promise<void> {
    const question = this.#waiting.shift();
    if (question === undefined) return;
    this.#present = { request: question.request, givenUp: false };
    try {
      this.#post(await answer(question));
    } catch (error) {
      const cause = failure.causeOf(error);
      const ended = cause instanceof RunEnded;
      this.#post(refusal(question, ended ? GONE : describeError(cause).message));
      if (ended || failure.happened) throw cause;
    } finally {
      this.#present = null;
    }
  }

  /** Refuses all that wait. */
  refuse(reason = GONE): void {
    for (const question of this.#waiting.splice(0)) this.#post(refusal(question, reason));
  }
}

/** What the agent of a run between two iterations answers. */
export async function answerOfAgent(
  question: AgentQuestion,
  run: SessionRun,
  onProgress: (phase: Phase, fraction: number) => void,
  breathe: () => Promise<void>,
): Promise<WorkerMessage> {
  const { runId, request } = question;
  switch (question.type) {
    case 'read-checkpoint':
      return { type: 'checkpoint', runId, request, bytes: await run.checkpoint() };
    case 'read-alternatives': {
      const alternatives = await run.alternatives(question.number);
      return alternatives === null
        ? refusal(question, 'This episode is no longer kept.')
        : { type: 'alternatives', runId, request, alternatives };
    }
    case 'evaluate-agent': {
      const told = (fraction: number) => onProgress('evaluate', fraction);
      const report = await run.evaluate(question.settings, told, breathe);
      return { type: 'evaluation-report', runId, request, report };
    }
    case 'answer-task': {
      const answer = await run.answerTask(question.task, question.draw);
      return { type: 'task-answer', runId, request, answer };
    }
    case 'weigh-critique': {
      const weighed = await run.weighCritique(question);
      return { type: 'weighed-critiques', runId, request, weighed };
    }
    case 'collect-critiques': {
      const collected = await run.collectCritiques(question, (share) =>
        onProgress('collect', share),
      );
      return { type: 'collected-critiques', runId, request, collected };
    }
    case 'draw-samples': {
      const drawn = await run.drawSamples(question.plan, (share) => onProgress('draw', share));
      return { type: 'drawn-samples', runId, request, drawn };
    }
    default:
      return question satisfies never;
  }
}

/** @param episodes of the run that is asked about; null where it is forgotten, which has kept nothing */
export function answerOfEpisodes(
  question: EpisodeQuestion,
  episodes: SessionEpisodes | null,
): WorkerMessage {
  const { runId, request } = question;
  switch (question.type) {
    case 'list-episodes':
      return { type: 'episode-list', runId, request, episodes: episodes?.list() ?? [] };
    case 'read-episodes': {
      const records = episodes?.read(question.numbers, question.tokens) ?? [];
      return { type: 'episode-records', runId, request, records };
    }
    case 'inspect-episode': {
      const inspection = episodes?.inspect(question.number) ?? null;
      return { type: 'inspection', runId, request, inspection };
    }
    case 'list-conversations': {
      const conversations = episodes?.conversations() ?? [];
      return { type: 'conversations', runId, request, conversations };
    }
    default:
      return question satisfies never;
  }
}
