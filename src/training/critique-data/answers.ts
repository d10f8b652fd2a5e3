import { type Agent, greedy } from '../../agents/agent.ts';
import { type BegunText, continueTexts } from '../../agents/continuation.ts';
import { after, askAgent, type DrawKey, wordsOf } from '../../agents/modes/conversation.ts';
import type { Criticizable } from '../../agents/modes/prompts.ts';
import { type AnswerSource, faultKinds } from '../../envs/criticism.ts';
import type { RandomStream } from '../random.ts';
import { chance } from './tasks.ts';

/** An answer generated, at least in part, by the actor. */
interface MadeAnswer {
  readonly task: string;
  readonly answer: string;
  readonly source: AnswerSource;
  /** The first step, from 0, that the construction changed; null if the answer was sampled. */
  readonly from: number | null;
}

/** The actor with its temperatures, and the random stream of the constructions. */
interface AnswerMaker {
  readonly environment: Criticizable;
  readonly actor: Agent;
  /** Temperature of sampled answers and of the continuation after an inserted error. */
  readonly temperature: number;
  /** Temperature of the continuation after greedy steps. */
  readonly hotTemperature: number;
  readonly stream: RandomStream;
}

/** A task with the construction of its answer. */
interface AskedFor {
  readonly task: string;
  readonly source: AnswerSource;
}

/**
 * Constructs answers in three ways (AutoMathCritique, arXiv:2411.16579, §3.1): sampled from scratch;
 * greedy up to a step and sampled at a higher temperature from there; or with an error of a given
 * type inserted at a step, from where the actor continues. An answer may still turn out correct; one
 * that cannot be constructed is left out.
 *
 * @returns the answers, grouped by construction
 * @throws {EnvironmentFault} if the environment fails
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
  const trajectories = await askAgent(
    { ...actor, temperature },
    environment,
    tasks,
    key,
    onProgress,
  );
  return trajectories.map((trajectory) => ({
    task: trajectory.task,
    answer: wordsOf({ trajectory }),
    source: 'sampled',
    from: null,
  }));
}

/** Greedy up to a random step, then at the higher temperature. */
async function heat(
  { environment, actor, hotTemperature, stream }: AnswerMaker,
  tasks: readonly string[],
  key: DrawKey,
  onProgress: (fraction: number) => void,
): Promise<MadeAnswer[]> {
  if (tasks.length === 0) return [];
  const { criticism } = environment;
  const answers = await askAgent(greedy(actor), environment, tasks, key, (share) =>
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

/** Correct up to a random step, where an error of a random type is inserted. */
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

/** Lets the actor complete partial answers. */
async function goOn(
  actor: Agent,
  environment: Criticizable,
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
