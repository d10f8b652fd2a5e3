import type { Conversation } from '../../agents/modes/conversation.ts';
import { critiquedAnswers, verdictOf } from '../../agents/modes/conversation.ts';
import type { Trajectory } from '../../agents/trajectory.ts';
import { episodeReward } from '../../algorithms/returns.ts';
import { sampleMoments } from '../../algorithms/worked-advantages.ts';
import type { Config } from '../../config/schema.ts';
import type { FactsOf } from '../../runs/phase-facts.ts';
import type { Scored } from '../learn/estimate.ts';
import type { Spoken } from '../recipes/critique/play.ts';
import { stageOf } from '../recipes/critique/stage.ts';
import { conversationRecords } from './conversations.ts';

/**
 * Shows the conversations of actor and critic in one iteration and follows one answer through it.
 */
export class ConversationTeller {
  readonly #config: Config;
  readonly #iteration: number;
  /** The followed answer and its index among all answers. */
  #followed: { readonly answer: Trajectory; readonly place: number } | null = null;

  constructor(config: Config, iteration: number) {
    this.#config = config;
    this.#iteration = iteration;
  }

  /** A wrong answer is followed if there is one, because only it can be improved by a critique. */
  answer({ conversations, turns, tokens }: Spoken): FactsOf<'answer'> {
    const answers = conversations.flatMap(({ utterances: [first] }) => first?.trajectory ?? []);
    const wrong = answers.findIndex(({ success }) => !success);
    const place = Math.max(0, wrong);
    const answer = answers[place];
    this.#followed = answer === undefined ? null : { answer, place };
    return {
      phase: 'answer',
      iteration: this.#iteration,
      stage: this.#stage,
      answers: answers.length,
      right: answers.filter(({ success }) => success).length,
      turns,
      tokens,
      followed: this.#records(conversations)[0] ?? null,
    };
  }

  criticize({ conversations, tokens }: Spoken): FactsOf<'criticize'> {
    const verdicts = conversations.flatMap(({ utterances: [answer, critique] }) => {
      if (answer === undefined || critique === undefined) return [];
      const right = answer.trajectory.success;
      return { right, verdict: verdictOf(critique.trajectory, right) };
    });
    const of = (right: boolean) => {
      const own = verdicts.filter((one) => one.right === right);
      return { heard: own.length, true: own.filter(({ verdict }) => verdict === right).length };
    };
    return {
      phase: 'criticize',
      critiques: verdicts.length,
      ofRight: of(true),
      ofWrong: of(false),
      malformed: verdicts.filter(({ verdict }) => verdict === null).length,
      tokens,
      followed: this.#records(conversations),
    };
  }

  refine({ conversations, tokens }: Spoken): FactsOf<'refine'> {
    const answers = critiquedAnswers(conversations);
    const count = (right: boolean, refined: boolean) =>
      answers.filter((one) => one.right === right && one.refined === refined).length;
    return {
      phase: 'refine',
      refinements: answers.length,
      mended: count(false, true),
      stillWrong: count(false, false),
      kept: count(true, true),
      spoilt: count(true, false),
      tokens,
      followed: this.#records(conversations),
    };
  }

  reward({ signals }: Scored): FactsOf<'reward'> {
    const { gamma } = this.#config.algorithm;
    const rewards = signals.map((signal) => episodeReward(signal, gamma));
    const { place } = this.#followed ?? { place: -1 };
    return {
      phase: 'reward',
      stage: this.#stage ?? 1,
      rewards: sampleMoments(rewards),
      followed: rewards.filter((_, i) => signals[i]?.group === place),
    };
  }

  /** The critiques of the followed answer, as episodes of the critic. */
  membersOf({ groups }: Scored): readonly Trajectory[] {
    return groups[this.#followed?.place ?? -1]?.trajectories ?? [];
  }

  get #stage(): 1 | 2 | null {
    const { recipe, critique } = this.#config;
    return recipe === 'critique' ? (stageOf(critique, this.#iteration)?.number ?? null) : null;
  }

  /** The conversations about the followed answer. */
  #records(conversations: readonly Conversation[]) {
    return conversationRecords(
      conversations.flatMap((conversation) =>
        conversation.utterances[0]?.trajectory === this.#followed?.answer
          ? [{ ...conversation, learned: null }]
          : [],
      ),
    );
  }
}
