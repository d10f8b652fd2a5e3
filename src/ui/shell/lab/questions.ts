/** Questions to the worker about the current run; `lab/questions.ts` declares them. */

import type { AnswerOf, AskOf, QuestionMessage, QuestionName } from '../../../lab/questions.ts';
import { request, send } from './link.ts';
import { useLab } from './store.ts';

/** The question cannot be answered; the message is one sentence. */
export class QuestionRefusedError extends Error {
  override readonly name = 'QuestionRefusedError';
}

/**
 * Asks the current run. Most questions for its agent are answered after the current iteration.
 *
 * @param onSent receives a function that cancels the question
 * @throws {QuestionRefusedError} if there is no run, it has ended, or the question was cancelled.
 */
export async function ask<Name extends QuestionName>(
  name: Name,
  payload: AskOf<Name>,
  onSent: (cancel: () => void) => void = () => {},
): Promise<AnswerOf<Name>> {
  const { runId } = useLab.getState();
  if (runId === null) throw new QuestionRefusedError('No run has been started.');
  const reply = await request((id) => {
    onSent(() => send({ type: 'cancel-question', runId, request: id }));
    return { type: 'question', runId, request: id, name, ask: payload } as QuestionMessage;
  });
  if (reply?.type === 'answer') return reply.answer as AnswerOf<Name>;
  throw new QuestionRefusedError(reply?.reason ?? 'The training worker has stopped.');
}

/** Like `ask`; null if the question is refused. */
export async function askOrNull<Name extends QuestionName>(
  name: Name,
  payload: AskOf<Name>,
  onSent?: (cancel: () => void) => void,
): Promise<AnswerOf<Name> | null> {
  try {
    return await ask(name, payload, onSent);
  } catch (error) {
    if (error instanceof QuestionRefusedError) return null;
    throw error;
  }
}
