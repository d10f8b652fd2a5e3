import { type Agent, greedy } from '../../agents/agent.ts';
import { type BegunText, continueTexts } from '../../agents/continuation.ts';
import { after, type DrawKey, said, wordsOf } from '../../agents/modes/conversation.ts';
import type { Criticisable } from '../../agents/modes/prompts.ts';
import { type AnswerSource, faultKinds } from '../../envs/criticism.ts';
import type { RandomStream } from '../random.ts';
import { chance } from './tasks.ts';

/** An answer that the actor wrote, at least in part. */
export interface MadeAnswer {
  readonly task: string;
  readonly answer: string;
  readonly source: AnswerSource;
  /** The step, from 0, from which on the construction changed it; null where it was sampled. */
  readonly from: number | null;
}

/** Who answers, and where the constructions draw from. */
export interface AnswerMaker {
  readonly environment: Criticisable;
  readonly actor: Agent;
  /** Of sampled answers, and of what follows an inserted error. */
  readonly temperature: number;
  /** Of an answer that goes on hot. */
  readonly hotTemperature: number;
  readonly stream: RandomStream;
}

/** A task to answer by a construction. */
export interface AskedFor {
  readonly task: string;
  readonly source: AnswerSource;
}

/**
 * Answers by three constructions (AutoMathCritique, arXiv:2411.16579, §3.1): sampled from scratch; greedy up
 * to a step and hot from it on; with an error of a named type put in at a step, and gone on with by the
 * actor. An answer need not come out wrong; one that could not be made is left out.
 *
 * @returns those of one construction after those of another
 * @throws {EnvironmentFault} when the environment throws.
 */
export async function makeAnswers(
  maker: AnswerMaker,
  asked: readonly AskedFor[],
  key: DrawKey,
  onProgress: (fraction: number) => void = () => {},
): Promise<MadeAnswer[]> {
  const of = (source: AnswerSource) =>
    asked.filter((one) => one.source === source).map(({ task }) => task);
  const [sampled, hot, inserted] = [of('sampled'), of('hot'), of('inserted')];
  const share = (done: number, tasks: readonly string[]) => (fraction: number) =>
    onProgress((done + fraction * tasks.length) / asked.length);
  return [
    ...(await sample(maker, sampled, key, share(0, sampled))),
    ...(await heat(maker, hot, after(key, sampled.length), share(sampled.length, hot))),
    ...(await insert(
      maker,
      inserted,
      after(key, sampled.length + hot.length),
      share(sampled.length + hot.length, inserted),
    )),
  ];
}

async function sample(
  { environment, actor, temperature }: AnswerMaker,
  tasks: readonly string[],
  key: DrawKey,
  onProgress: (fraction: number) => void,
): Promise<MadeAnswer[]> {
  if (tasks.length === 0) return [];
  const trajectories = await said({ ...actor, temperature }, environment, tasks, key, onProgress);
  return trajectories.map((trajectory) => ({
    task: trajectory.task,
    answer: wordsOf({ trajectory }),
    source: 'sampled',
    from: null,
  }));
}

/** Greedy up to a step that is drawn, then hot. */
async function heat(
  { environment, actor, hotTemperature, stream }: AnswerMaker,
  tasks: readonly string[],
  key: DrawKey,
  onProgress: (fraction: number) => void,
): Promise<MadeAnswer[]> {
  if (tasks.length === 0) return [];
  const { criticism } = environment;
  const answers = await said(greedy(actor), environment, tasks, key, (share) =>
    onProgress(share / 2),
  );
  const begun = answers.map((trajectory) => {
    const { task } = trajectory;
    const answer = wordsOf({ trajectory });
    const from = stream.below(Math.max(1, criticism.judge(task, answer).steps.length));
    return { task, from, begun: criticism.upTo(answer, from) };
  });
  return goOn({ ...actor, temperature: hotTemperature }, environment, 'hot', begun, key, (share) =>
    onProgress((1 + share) / 2),
  );
}

/** Right up to a step that is drawn, which has an error of a type that is drawn too. */
async function insert(
  { environment, actor, temperature, stream }: AnswerMaker,
  tasks: readonly string[],
  key: DrawKey,
  onProgress: (fraction: number) => void,
): Promise<MadeAnswer[]> {
  const { criticism } = environment;
  const begun = tasks.flatMap((task) => {
    const { action } = environment.expert(environment.reset(task).state);
    const from = stream.below(criticism.judge(task, action).steps.length);
    for (const kind of stream.shuffled(faultKinds)) {
      const text = criticism.flawed(task, from, kind, () => chance(stream));
      if (text !== null) return { task, from, begun: text };
    }
    return [];
  });
  return goOn({ ...actor, temperature }, environment, 'inserted', begun, key, onProgress);
}

/** The actor goes on with answers that were begun. */
async function goOn(
  actor: Agent,
  environment: Criticisable,
  source: AnswerSource,
  texts: readonly { readonly task: string; readonly from: number; readonly begun: string }[],
  { iteration, episode }: DrawKey,
  onProgress: (fraction: number) => void,
): Promise<MadeAnswer[]> {
  const begun = texts.map(
    ({ task, begun: text }, i): BegunText => ({
      observation: environment.reset(task).observation,
      begun: text,
      iteration,
      episode: episode + i,
    }),
  );
  const continued = await continueTexts(actor, begun, onProgress);
  return texts.map(({ task, from }, i) => ({
    task,
    answer: continued[i]?.action ?? '',
    source,
    from,
  }));
}
