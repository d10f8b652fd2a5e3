import {
  type AgentAnswers,
  type AgentQuestionName,
  type AnswerMessage,
  isAgentQuestion,
  type QuestionContext,
  type QuestionMessage,
  type RecordAnswers,
  type RecordQuestionName,
  type RefusalMessage,
} from '../questions.ts';
import { describeError, RunEnded } from './errors.ts';
import type { DeviceFailure } from './failure.ts';

export type AgentQuestion = QuestionMessage<AgentQuestionName>;
type Post = (message: AnswerMessage | RefusalMessage) => void;

export { isAgentQuestion };

const RUN_OVER = 'The run has ended, and its agent is no longer in memory.';
const RECORD_GONE = 'The page has opened another run.';
const CANCELLED = 'Cancelled.';

/** Thrown through an answer to abort it. */
class QuestionCancelled extends Error {
  override readonly name = 'QuestionCancelled';
  constructor() {
    super(CANCELLED);
  }
}

export function refusal(
  { runId, request }: Pick<QuestionMessage, 'runId' | 'request'>,
  reason: string = RUN_OVER,
): RefusalMessage {
  return { type: 'refusal', runId, request, reason };
}

/** Pending questions for the agent, answered between iterations and, if allowed, between updates. */
export class QuestionQueue {
  readonly #post: Post;
  readonly #onChange: () => void;
  readonly #pending: AgentQuestion[] = [];
  #current: { readonly request: number; cancelled: boolean } | null = null;

  /** @param onChange called after every question */
  constructor(post: Post, onChange: () => void) {
    this.#post = post;
    this.#onChange = onChange;
  }

  add(question: AgentQuestion): void {
    this.#pending.push(question);
    this.#onChange();
  }

  cancel(request: number): void {
    if (this.#current?.request === request) this.#current.cancelled = true;
    const index = this.#pending.findIndex((question) => question.request === request);
    for (const question of index < 0 ? [] : this.#pending.splice(index, 1)) {
      this.#post(refusal(question, CANCELLED));
    }
  }

  /** @throws {QuestionCancelled} if the page has cancelled the current question. */
  checkCancelled(): void {
    if (this.#current?.cancelled === true) throw new QuestionCancelled();
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /**
   * Answers the oldest question, with a refusal if that fails.
   *
   * @param may whether a question can be answered now
   * @throws only errors that end the run: a device failure, or `RunEnded`.
   */
  async answerNext(
    answers: AgentAnswers,
    context: QuestionContext,
    failure: DeviceFailure,
    may: (question: AgentQuestion) => boolean = () => true,
  ): Promise<void> {
    const index = this.#pending.findIndex(may);
    const [question] = index < 0 ? [] : this.#pending.splice(index, 1);
    if (question === undefined) return;
    this.#current = { request: question.request, cancelled: false };
    try {
      this.#post(await answerAgentQuestion(answers, question, context));
    } catch (error) {
      const cause = failure.causeOf(error);
      const ended = cause instanceof RunEnded;
      this.#post(refusal(question, ended ? RUN_OVER : describeError(cause).message));
      if (ended || failure.happened) throw cause;
    } finally {
      this.#current = null;
    }
  }

  refuseAll(reason?: string): void {
    for (const question of this.#pending.splice(0)) this.#post(refusal(question, reason));
  }
}

async function answerAgentQuestion<Name extends AgentQuestionName>(
  answers: AgentAnswers,
  { runId, request, name, ask }: QuestionMessage<Name>,
  context: QuestionContext,
): Promise<AnswerMessage> {
  const answer = await answers[name](ask, context);
  // TypeScript cannot relate name and answer through the type parameter; the table guarantees it.
  return { type: 'answer', runId, request, name, answer } as AnswerMessage;
}

/** @param answers of the latest run, if the question is about it; else null */
export function answerRecordQuestion<Name extends RecordQuestionName>(
  answers: RecordAnswers | null,
  question: QuestionMessage<Name>,
): AnswerMessage | RefusalMessage {
  if (answers === null) return refusal(question, RECORD_GONE);
  const { runId, request, name, ask } = question;
  return { type: 'answer', runId, request, name, answer: answers[name](ask) } as AnswerMessage;
}
