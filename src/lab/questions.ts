/**
 * Every question that the page can ask the worker, with the types of its payload and its answer.
 * The types of the messages, of the page's `ask` and of the worker's dispatch are derived from this
 * table. To add a question, add a row here and its answer in `run.ts` (agent) or `episodes.ts`
 * (record).
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

/** Source of an answer: the run's agent, between two iterations, or the record of its episodes. */
type AnsweredBy = 'agent' | 'record';

interface Question<By extends AnsweredBy, Ask, Answer> {
  readonly by: By;
  /** Types of the payload and of the answer; never set at run time. */
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
  /** Episodes by number, optionally with each token's probability; dropped ones are missing. */
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
  /** Most probable texts of the current weights in given situations. */
  'read-policy': agent<PolicyQuery, PolicyReading>(),
  /** The actor's answer to a task. For the same weights, the same `draw` gives the same answer. */
  'answer-task': agent<{ readonly task: string; readonly draw: number }, string>(),
  /** Refinements of an answer by the actor, after critiques by user, critic and oracle. */
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

/** The message of a question; `request` matches it with its answer. */
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

/** Reply to a question that cannot be answered. */
export interface RefusalMessage {
  readonly type: 'refusal';
  readonly runId: RunId;
  readonly request: number;
  /** One sentence. */
  readonly reason: string;
}

/** Callbacks for the computation of an answer. */
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

/** Tasks and samples of an evaluation. */
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
