/** Questions to the worker: about kept episodes, and for the agent of the present run. */

import type {
  CollectedCritiques,
  EvaluationSettings,
  NumberedRecord,
  PageMessage,
  WeighedCritique,
} from '../../lab/protocol.ts';
import type { KeptConversation } from '../../runs/conversation.ts';
import type { EvaluationReport } from '../../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../../runs/inspection.ts';
import type { EpisodeSummary } from '../../runs/kept-episodes.ts';
import type { DrawnTasks, TestTimePlan } from '../../runs/test-time.ts';
import { type Answer, ask, send } from './link.ts';
import { useLab } from './store.ts';

/** The episodes that the present run keeps; none before the first run. */
export async function listEpisodes(): Promise<readonly EpisodeSummary[]> {
  const { runId } = useLab.getState();
  if (runId === null) return [];
  const answer = await ask((request) => ({ type: 'list-episodes', runId, request }));
  return answer?.type === 'episode-list' ? answer.episodes : [];
}

/** Kept episodes of the present run by their numbers; those that have dropped out are missing. */
export async function readEpisodes(
  numbers: readonly number[],
  tokens: boolean,
): Promise<readonly NumberedRecord[]> {
  const { runId } = useLab.getState();
  if (runId === null) return [];
  const answer = await ask((request) => ({
    type: 'read-episodes',
    runId,
    request,
    numbers,
    tokens,
  }));
  return answer?.type === 'episode-records' ? answer.records : [];
}

/** A kept episode of the present run with all that was learned from it; null where it is gone. */
export async function inspectEpisode(number: number): Promise<Inspection | null> {
  const { runId } = useLab.getState();
  if (runId === null) return null;
  const answer = await ask((request) => ({ type: 'inspect-episode', runId, request, number }));
  return answer?.type === 'inspection' ? answer.inspection : null;
}

/** The conversations that the present run keeps, oldest first; none before the first run. */
export async function listConversations(): Promise<readonly KeptConversation[]> {
  const { runId } = useLab.getState();
  if (runId === null) return [];
  const answer = await ask((request) => ({ type: 'list-conversations', runId, request }));
  return answer?.type === 'conversations' ? answer.conversations : [];
}

/** The agent was asked for and cannot be had; the message is one sentence. */
export class AgentGoneError extends Error {
  override readonly name = 'AgentGoneError';
}

/** Asks the present run for what only its agent can tell. */
async function askAgent<Type extends Answer['type']>(
  type: Type,
  question: (runId: string, request: number) => PageMessage,
): Promise<Extract<Answer, { readonly type: Type }>> {
  const { runId } = useLab.getState();
  if (runId === null) throw new AgentGoneError('There is no run yet.');
  const answer = await ask((request) => question(runId, request));
  if (answer?.type === type) return answer as Extract<Answer, { readonly type: Type }>;
  const refused = answer?.type === 'refusal' ? answer.reason : 'The training worker is gone.';
  throw new AgentGoneError(refused);
}

/**
 * Plays the evaluation tasks with the present run's agent, after the iteration that is being
 * computed.
 *
 * @throws {AgentGoneError}
 */
export async function evaluateAgent(settings: EvaluationSettings): Promise<EvaluationReport> {
  const { report } = await askAgent('evaluation-report', (runId, request) => ({
    type: 'evaluate-agent',
    runId,
    request,
    settings,
  }));
  return report;
}

/**
 * The present run's agent as a file, after the iteration that is being computed.
 *
 * @throws {AgentGoneError}
 */
export async function readCheckpoint(): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes } = await askAgent('checkpoint', (runId, request) => ({
    type: 'read-checkpoint',
    runId,
    request,
  }));
  return bytes;
}

/**
 * What the present run's agent would write in a kept episode, after the iteration that is being
 * computed.
 *
 * @throws {AgentGoneError}
 */
export async function readAlternatives(number: number): Promise<Alternatives> {
  const { alternatives } = await askAgent('alternatives', (runId, request) => ({
    type: 'read-alternatives',
    runId,
    request,
    number,
  }));
  return alternatives;
}

/**
 * What the present run's actor answers to a task; the same draw gives the same answer.
 *
 * @throws {AgentGoneError}
 */
export async function answerTask(task: string, draw: number): Promise<string> {
  const { answer } = await askAgent('task-answer', (runId, request) => ({
    type: 'answer-task',
    runId,
    request,
    task,
    draw,
  }));
  return answer;
}

/**
 * What the present run's actor makes of an answer after a critique, and after those of its critic and of
 * the oracle.
 *
 * @throws {AgentGoneError}
 */
export async function weighCritique(
  about: Readonly<Record<'task' | 'answer' | 'critique', string>>,
): Promise<readonly WeighedCritique[]> {
  const { weighed } = await askAgent('weighed-critiques', (runId, request) => ({
    type: 'weigh-critique',
    runId,
    request,
    ...about,
  }));
  return weighed;
}

/**
 * A data set of critiques of the present run's actor.
 *
 * @param onAsked given what gives it up
 * @throws {AgentGoneError} also where it was given up.
 */
export async function collectCritiques(
  wanted: { readonly count: number; readonly seed: number },
  onAsked: (giveUp: () => void) => void,
): Promise<CollectedCritiques> {
  const { collected } = await askAgent('collected-critiques', (runId, request) => {
    onAsked(() => send({ type: 'give-up', runId, request }));
    return { type: 'collect-critiques', runId, request, ...wanted };
  });
  return collected;
}

/**
 * Samples of evaluation tasks by the present run's players.
 *
 * @param onAsked given what gives it up
 * @throws {AgentGoneError} also where it was given up.
 */
export async function drawSamples(
  plan: TestTimePlan,
  onAsked: (giveUp: () => void) => void,
): Promise<DrawnTasks> {
  const { drawn } = await askAgent('drawn-samples', (runId, request) => {
    onAsked(() => send({ type: 'give-up', runId, request }));
    return { type: 'draw-samples', runId, request, plan };
  });
  return drawn;
}
