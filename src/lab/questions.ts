/**
 * Every question that the page can ask the worker: the types of its payload and its result, and how
 * the run answers it. The types of the messages, of the page's `ask` and of the worker's dispatch
 * are derived from this table, so a new row is all that a new question needs. The page imports only
 * types from here.
 */

import type { PolicyShape } from '../policy/types.ts';
import { encodeCheckpoint, type KeptAgent } from '../runs/checkpoint.ts';
import type { KeptConversation } from '../runs/conversation.ts';
import type { EvaluationReport } from '../runs/evaluation-report.ts';
import type { Alternatives, Inspection } from '../runs/inspection.ts';
import type { EpisodeSummary } from '../runs/kept-episodes.ts';
import type {
  EmbeddingQuery,
  EmbeddingReading,
  NetworkQuery,
  NetworkReading,
} from '../runs/network-reading.ts';
import type { DemonstrationReading, PolicyQuery, PolicyReading } from '../runs/policy-reading.ts';
import type { DrawnTasks, TestTimePlan } from '../runs/test-time.ts';
import type { Collection as CollectedCritiques } from '../training/critique-data/collect.ts';
import { readDemonstration } from '../training/look/demonstration.ts';
import { alternativesOf } from '../training/look/inspect.ts';
import type { Phase as TrainingPhase } from '../training/recipe.ts';
import type { Trainer } from '../training/trainer.ts';
import type { NumberedRecord, RunEpisodes } from './episodes.ts';
import type { WeightsHistory } from './kept-weights.ts';
import type { Refinement } from './players.ts';
import type { RunId } from './run-id.ts';

/** Source of an answer: the run's agent, between iterations, or the record of its episodes. */
type AnsweredBy = 'agent' | 'record';

/** The run that answers. */
interface AnsweringRun {
  readonly trainer: Trainer;
  readonly episodes: RunEpisodes;
  readonly weights: WeightsHistory;
}

interface Question<By extends AnsweredBy, Ask, Answer> {
  readonly by: By;
  /**
   * Whether it is also answered during imitation, between updates. The answer must then submit all its
   * work to the device before its first `await`.
   */
  readonly betweenUpdates: boolean;
  readonly answer: By extends 'agent'
    ? (run: AnsweringRun, ask: Ask, context: QuestionContext) => Promise<Answer>
    : (episodes: RunEpisodes, ask: Ask) => Answer;
}

const agent = <Ask extends object, Answer>(
  answer: Question<'agent', Ask, Answer>['answer'],
  betweenUpdates = false,
): Question<'agent', Ask, Answer> => ({ by: 'agent', betweenUpdates, answer });
const record = <Ask extends object, Answer>(
  answer: Question<'record', Ask, Answer>['answer'],
): Question<'record', Ask, Answer> => ({ by: 'record', betweenUpdates: true, answer });

type Nothing = Readonly<Record<never, never>>;
type Numbered = { readonly number: number };

/** Number of alternatives listed for each token of an episode. */
const SHOWN_ALTERNATIVES = 6;

/** Loaded on demand: few runs have an actor and a critic. */
const players = () => import('./players.ts');

const questions = {
  /** Summaries of the kept episodes: training, oldest first, then the latest evaluation. */
  'list-episodes': record<Nothing, readonly EpisodeSummary[]>((episodes) => episodes.list()),
  /** Episodes by number, optionally with each token's probability; dropped ones are missing. */
  'read-episodes': record<
    { readonly numbers: readonly number[]; readonly tokens: boolean },
    readonly NumberedRecord[]
  >((episodes, { numbers, tokens }) => episodes.read(numbers, tokens)),
  /** An episode with its updates, advantages and group; null when it is no longer kept. */
  'inspect-episode': record<Numbered, Inspection | null>((episodes, { number }) =>
    episodes.inspect(number),
  ),
  /** Kept conversations of actor and critic, oldest first. */
  'list-conversations': record<Nothing, readonly KeptConversation[]>(
    ({ conversations }) => conversations,
  ),

  /** Plays the evaluation tasks. */
  'evaluate-agent': agent<EvaluationSettings, EvaluationReport>(
    async ({ trainer }, settings, { onProgress, yieldToMessages }) => {
      const { evaluateAgents, evaluatedEnvironments } = await import('../training/evaluation.ts');
      const { report } = await evaluateAgents({
        ...settings,
        agent: trainer.agent,
        trained: trainer,
        environments: evaluatedEnvironments(trainer.config, 'trained'),
        onProgress: (fraction) => onProgress('evaluate', fraction),
        breathe: yieldToMessages,
      });
      return report;
    },
  ),
  /** The checkpoint as a safetensors file. */
  'read-checkpoint': agent<Nothing, Uint8Array<ArrayBuffer>>(async ({ trainer }) =>
    encodeCheckpoint(await trainer.checkpoint()),
  ),
  /** The most likely tokens at each position of a kept episode, under the current weights. */
  'read-alternatives': agent<Numbered, Alternatives>(async ({ trainer, episodes }, { number }) => {
    const trajectory = episodes.trajectory(number);
    if (trajectory === null) throw new Error('This episode is no longer kept.');
    return await alternativesOf(trainer.agent, trajectory, SHOWN_ALTERNATIVES);
  }),
  /** The most probable words and actions under the current weights in given situations. */
  'read-policy': agent<PolicyQuery, PolicyReading>(async ({ trainer }, query) => {
    const { readPolicy } = await import('../training/look/policy-reading.ts');
    const { iteration } = trainer;
    return { iteration, situations: await readPolicy(trainer.agent, query) };
  }),
  /** How well the agent predicts the expert on a task, given as `ENVIRONMENT:TASK` in a mixture. */
  'read-demonstration': agent<{ readonly task: string }, DemonstrationReading>(
    ({ trainer }, { task }) => readDemonstration(trainer.agent, trainer.environment, task),
    true,
  ),
  /** The weights kept after iteration `since`, and everything needed to run the network. */
  'read-weights': agent<{ readonly since: number }, NetworkWeights>(
    async ({ trainer, weights }, { since }) => {
      const { policy, tokenizer } = trainer.agent;
      if (policy.shape.adapter) {
        throw new Error(
          'Pretrained models are too large for this view, which recomputes the network.',
        );
      }
      await weights.keep(policy, trainer.iteration);
      return {
        ...{ config: trainer.config, shape: policy.shape },
        ...{ vocabulary: tokenizer.tokens, bpe: tokenizer.bpe },
        kept: weights.entries.map(({ iteration }) => iteration),
        added: weights.entries.filter(({ iteration }) => iteration > since),
      };
    },
  ),
  /** The actor's answer to a task. For the same weights, the same `draw` gives the same answer. */
  'answer-task': agent<{ readonly task: string; readonly draw: number }, string>(
    async ({ trainer }, { task, draw }) => (await players()).answerTask(trainer, task, draw),
  ),
  /** Refinements of an answer by the actor, after critiques by user, critic and oracle. */
  'compare-critiques': agent<
    { readonly task: string; readonly answer: string; readonly critique: string },
    readonly Refinement[]
  >(async ({ trainer }, about) => (await players()).compareCritiques(trainer, about)),
  /** A data set of critiques of the actor's answers to training tasks. */
  'collect-critiques': agent<{ readonly count: number; readonly seed: number }, CollectedCritiques>(
    async ({ trainer }, settings, { onProgress }) =>
      (await players()).collectFrom(trainer, settings, (share) => onProgress('collect', share)),
  ),
  /** Test-time samples of evaluation tasks, with and without the critic. */
  'draw-samples': agent<TestTimePlan, DrawnTasks>(async ({ trainer }, plan, { onProgress }) =>
    (await players()).drawFrom(trainer, plan, (share) => onProgress('draw', share)),
  ),
};

type Questions = typeof questions;
export type QuestionName = keyof Questions;
type NamesBy<By extends AnsweredBy> = {
  [Name in QuestionName]: Questions[Name]['by'] extends By ? Name : never;
}[QuestionName];
export type AgentQuestionName = NamesBy<'agent'>;
export type RecordQuestionName = NamesBy<'record'>;

export type AskOf<Name extends QuestionName> = Parameters<Questions[Name]['answer']>[1];
export type AnswerOf<Name extends QuestionName> = Awaited<ReturnType<Questions[Name]['answer']>>;

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
  readonly onProgress: OnProgress;
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

/** Called with a phase's completed share and, if it learns, the loss of its newest update. */
export type OnProgress = (phase: Phase, fraction: number, loss?: number) => void;

/** Numbers of tasks and samples of an evaluation. */
export interface EvaluationSettings {
  /** Tasks per environment, in order; 0 plays all. */
  readonly tasks: number;
  /** Episodes per task of agents that sample. */
  readonly samples: number;
  readonly seed: number;
}

export type { CollectedCritiques, NumberedRecord, Refinement };

/** A network's weights after several iterations, and everything needed to run it. */
export interface NetworkWeights extends Pick<KeptAgent, 'config' | 'vocabulary' | 'bpe'> {
  readonly shape: PolicyShape;
  /** Iterations that are kept, ascending; others are discarded. */
  readonly kept: readonly number[];
  readonly added: readonly {
    readonly iteration: number;
    readonly weights: KeptAgent['weights'];
  }[];
}

/** A message to the worker that looks inside a network. */
export type NetworkRequest = { readonly id: number } & (
  | { readonly kind: 'weights'; readonly network: NetworkWeights }
  | { readonly kind: 'read-network'; readonly ask: NetworkQuery }
  | { readonly kind: 'read-embeddings'; readonly ask: EmbeddingQuery }
);

/** Its reply: an answer, a problem, or neither once the weights have arrived. */
export interface NetworkReply {
  readonly id: number;
  readonly answer?: NetworkReading | EmbeddingReading;
  /** One sentence. */
  readonly problem?: string;
}

/** Whether the agent itself has to answer. */
export function isAgentQuestion(
  message: QuestionMessage,
): message is QuestionMessage<AgentQuestionName> {
  return questions[message.name].by === 'agent';
}

/** Whether a question is also answered between updates of imitation. */
export function isBetweenUpdates({ name }: QuestionMessage): boolean {
  return questions[name].betweenUpdates;
}

type AnyAnswer = (source: object, ...rest: readonly unknown[]) => unknown;

/** The answers that come from one source, bound to it. */
function boundAnswers(from: AnsweredBy, source: object): object {
  return Object.fromEntries(
    Object.entries(questions).flatMap(([name, { by, answer }]) =>
      by === from ? [[name, (answer as AnyAnswer).bind(null, source)]] : [],
    ),
  );
}

/** A run's answers to every question. */
export function answersOf(run: AnsweringRun): {
  readonly agent: AgentAnswers;
  readonly record: RecordAnswers;
} {
  // TypeScript cannot relate the names and types of rows in a loop; the table guarantees it.
  return {
    agent: boundAnswers('agent', run) as AgentAnswers,
    record: boundAnswers('record', run.episodes) as RecordAnswers,
  };
}
