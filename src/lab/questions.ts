/**
 * Every question that the page can ask the worker: name → what is asked and what is answered. The
 * messages, the page's `ask` and the worker's dispatch are derived from this table by types. To add a
 * question, add a row here and its answer in `run.ts` (agent) or `episodes.ts` (record).
 */

import type { KeptConversation } from '../runs/conversation.ts';
import type { EpisodeRecord } from '../runs/episode.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../runs/inspection.ts';
import type { EpisodeSummary } from '../runs/kept-episodes.ts';
import type { PolicyQuery, PolicyReading } from '../runs/policy-reading.ts';
import type { DrawnTasks, TestTimePlan } from '../runs/test-time.ts';
import type { Collection as CollectedCritiques } from '../training/critique-data/collect.ts';
import type { Phase as TrainingPhase } from '../training/recipe.ts';
import type { RunId } from './run-id.ts';

/** What answers a question: the run's agent, between two iterations, or the record of its episodes. */
type AnsweredBy = 'agent' | 'record';

interface Question<By extends AnsweredBy, Ask, Answer> {
  readonly by: By;
  /** Only in the types: the message's payload and its answer. */
  readonly types?: { readonly ask: Ask; readonly answer: Answer };
}

const agent = <Ask extends object, Answer>(): Question<'agent', Ask, Answer> => ({ by: 'agent' });
const record = <Ask extends object, Answer>(): Question<'record', Ask, Answer> => ({
  by: 'record',
});

type Nothing = Readonly<Record<never, never>>;
type Numbered = { readonly number: number };

export const questions = {
  /** Summaries of the kept episodes: training, oldest first, then the latest evaluation. */
  'list-episodes': record<Nothing, readonly EpisodeSummary[]>(),
  /** Episodes by number, with each token and its probability on request; dropped ones are missing. */
  'read-episodes': record<
    { readonly numbers: readonly number[]; readonly tokens: boolean },
    readonly NumberedRecord[]
  >(),
  /** An episode with its updates, advantages and group; null when it is no longer kept. */
  'inspect-episode': record<Numbered, Inspection | null>(),
  /** Kept conversations of actor and critic, oldest first. */
  'list-conversations': record<Nothing, readonly KeptConversation[]>(),

  /** Plays the evaluation tasks. */
  'evaluate-agent': agent<EvaluationSettings, EvaluationReport>(),
  /** The checkpoint as a safetensors file. */
  'read-checkpoint': agent<Nothing, Uint8Array<ArrayBuffer>>(),
  /** The most likely tokens at each position of a kept episode, under the current weights. */
  'read-alternatives': agent<Numbered, Alternatives>(),
  /** What the current weights would write in given situations. */
  'read-policy': agent<PolicyQuery, PolicyReading>(),
  /** The actor's answer to a task. The same `draw` gives the same answer of the same actor. */
  'answer-task': agent<{ readonly task: string; readonly draw: number }, string>(),
  /** The actor's refinements of an answer: after the user's critique, the critic's and the oracle's. */
  'compare-critiques': agent<
    { readonly task: string; readonly answer: string; readonly critique: string },
    readonly Refinement[]
  >(),
  /** A data set of critiques of the actor's answers to training tasks. */
  'collect-critiques': agent<
    { readonly count: number; readonly seed: number },
    CollectedCritiques
  >(),
  /** Test-time samples of evaluation tasks, with and without the critic. */
  'draw-samples': agent<TestTimePlan, DrawnTasks>(),
};

type Questions = typeof questions;
export type QuestionName = keyof Questions;
type NamesBy<By extends AnsweredBy> = {
  [Name in QuestionName]: Questions[Name]['by'] extends By ? Name : never;
}[QuestionName];
export type AgentQuestionName = NamesBy<'agent'>;
export type RecordQuestionName = NamesBy<'record'>;

export type AskOf<Name extends QuestionName> = NonNullable<Questions[Name]['types']>['ask'];
export type AnswerOf<Name extends QuestionName> = NonNullable<Questions[Name]['types']>['answer'];

/** A question as the message that carries it; `request` pairs it with its answer. */
export type QuestionMessage<Names extends QuestionName = QuestionName> = {
  [Name in Names]: {
    readonly type: 'question';
    readonly runId: RunId;
    readonly request: number;
    readonly name: Name;
    readonly ask: AskOf<Name>;
  };
}[Names];

export type AnswerMessage<Names extends QuestionName = QuestionName> = {
  [Name in Names]: {
    readonly type: 'answer';
    readonly runId: RunId;
    readonly request: number;
    readonly name: Name;
    readonly answer: AnswerOf<Name>;
  };
}[Names];

/** A question that cannot be answered. */
export interface RefusalMessage {
  readonly type: 'refusal';
  readonly runId: RunId;
  readonly request: number;
  /** One sentence. */
  readonly reason: string;
}

/** What an answer may use while the agent works on it. */
export interface QuestionContext {
  /** Reports progress, in [0, 1]. Throws when the run has ended or the question was cancelled. */
  readonly onProgress: (phase: Phase, fraction: number) => void;
  /** Resolves after pending messages have been delivered. */
  readonly yieldToMessages: () => Promise<void>;
}

/** One answer per agent question. */
export type AgentAnswers = {
  readonly [Name in AgentQuestionName]: (
    ask: AskOf<Name>,
    context: QuestionContext,
  ) => Promise<AnswerOf<Name>>;
};

/** One answer per record question. */
export type RecordAnswers = {
  readonly [Name in RecordQuestionName]: (ask: AskOf<Name>) => AnswerOf<Name>;
};

/** What the worker is doing: a phase of training, or work on a question. */
export type Phase = TrainingPhase | 'collect' | 'draw';

/** A kept episode and its number. */
export interface NumberedRecord {
  readonly number: number;
  readonly record: EpisodeRecord;
}

/** What an evaluation plays. */
export interface EvaluationSettings {
  /** Tasks per environment, in order; 0 plays all. */
  readonly tasks: number;
  /** Episodes per task of agents that sample. */
  readonly samples: number;
  readonly seed: number;
}

/** Authors of the critiques that are compared. */
export const critiqueAuthors = ['visitor', 'critic', 'oracle'] as const;
export type CritiqueAuthor = (typeof critiqueAuthors)[number];

/** A critique, and the actor's greedy refinement after it. */
export interface Refinement {
  readonly author: CritiqueAuthor;
  readonly critique: string;
  readonly refinement: string;
}

export type { CollectedCritiques };

/** Whether the agent itself has to answer. */
export function isAgentQuestion(
  message: QuestionMessage,
): message is QuestionMessage<AgentQuestionName> {
  return questions[message.name].by === 'agent';
}
