/**
 * The dialogues that an actor and a critic are taught by before any reward: tasks of the derived worlds,
 * in which the environment's oracle is the expert.
 */
import type { Agent } from '../../agents/agent.ts';
import { after, outsideTraining, said, wordsOf } from '../../agents/modes/conversation.ts';
import type { Criticisable } from '../../agents/modes/prompts.ts';
import { type Answered, taskOf } from '../../agents/modes/worlds.ts';
import type { Config } from '../../config/schema.ts';
import { type FaultKind, faultKinds } from '../../envs/criticism.ts';
import { MixedDeck } from '../play/deck.ts';
import type { RandomStream } from '../random.ts';

/**
 * Answers with critiques, as tasks of refinement.
 *
 * A wrong answer goes on from one error without another. Its critique names that step; where the step
 * needs what the actor is not to be shown, it advises any value, and so it does in a share of all
 * others, so that an actor that follows has to read. No other step of it needs anything withheld.
 */
export function refinementTasks(
  { critique: settings }: Config,
  environment: Criticisable,
  stream: RandomStream,
): readonly string[] {
  const { criticism, shownTasks = environment.trainTasks } = environment;
  const { refinements, right_originals, arbitrary_advice, advice } = settings;
  if (refinements === 0) return [];
  const rights = Math.round(refinements * right_originals);
  const kept = dealtByLevel(environment, shownTasks, stream, rights).map((task) => {
    const { answer } = rightAnswer(environment, task);
    return taskOf({ task, answer, critique: criticism.critique(task, answer, { advice }) });
  });
  const mendable = environment.trainTasks.filter((task) => criticism.withheld(task).length <= 1);
  const mended = dealtByLevel(environment, mendable, stream, refinements - rights).map((task) => {
    const { answer: right, steps } = rightAnswer(environment, task);
    const [withheld] = criticism.withheld(task);
    const step = withheld ?? stream.below(steps);
    const answer = flawedAnswer(environment, task, step, stream) ?? right;
    const arbitrary = withheld !== undefined || chance(stream) < arbitrary_advice;
    const value = criticism.values[stream.below(criticism.values.length)];
    const critique = criticism.critique(task, answer, {
      advice,
      ...(arbitrary && value !== undefined ? { step, value } : {}),
    });
    return taskOf({ task, answer, critique });
  });
  return [...kept, ...mended];
}

/**
 * Answers of the actor to training tasks of all levels alike, as tasks of critique: a share of right
 * ones, as far as it gives enough of both.
 *
 * @throws {EnvironmentFault} when the environment fails.
 */
export async function critiqueTasks(
  { critique: settings }: Config,
  environment: Criticisable,
  actor: Agent,
  stream: RandomStream,
  onProgress: (fraction: number) => void,
): Promise<readonly string[]> {
  const { critiques, right_answers, answer_temperature: temperature } = settings;
  const rights = Math.round(critiques * right_answers);
  const wanted = { right: rights, wrong: critiques - rights };
  const found: Record<keyof typeof wanted, Answered[]> = { right: [], wrong: [] };
  const missing = () =>
    Math.max(0, wanted.right - found.right.length) + Math.max(0, wanted.wrong - found.wrong.length);
  const deck = deckByLevel(environment, environment.trainTasks, stream);
  let key = outsideTraining;
  for (let round = 0; round < MOST_ROUNDS && missing() > 0; round++) {
    const tasks = deck.deal(missing());
    const trajectories = await said({ ...actor, temperature }, environment, tasks, key, (share) =>
      onProgress((round + share) / MOST_ROUNDS),
    );
    key = after(key, tasks.length);
    for (const trajectory of trajectories) {
      const { task, success } = trajectory;
      found[success ? 'right' : 'wrong'].push({ task, answer: wordsOf({ trajectory }) });
    }
  }
  onProgress(1);
  // What there is too little of is made up for by the other kind.
  const right = found.right.slice(0, Math.max(wanted.right, critiques - found.wrong.length));
  return [...right, ...found.wrong.slice(0, critiques - right.length)].map(taskOf);
}

/** How often more answers are asked for, where one kind of them is rare. */
const MOST_ROUNDS = 3;

function rightAnswer(environment: Criticisable, task: string) {
  const { action: answer } = environment.expert(environment.reset(task).state);
  return { answer, steps: environment.criticism.judge(task, answer).steps.length };
}

/** A whole answer with an error at a step, half of the time a wrong result; null where that step can have none. */
function flawedAnswer(
  { criticism }: Criticisable,
  task: string,
  step: number,
  stream: RandomStream,
): string | null {
  const any = faultKinds[stream.below(faultKinds.length)] ?? 'result';
  const kinds: readonly FaultKind[] = chance(stream) < 0.5 ? ['result', any] : [any, 'result'];
  for (const kind of [...kinds, ...faultKinds]) {
    const begun = criticism.flawed(task, step, kind, () => chance(stream));
    if (begun !== null) return criticism.finish(task, begun);
  }
  return null;
}

/** From 0 up to 1. */
function chance(stream: RandomStream): number {
  return stream.below(2 ** 30) / 2 ** 30;
}

function deckByLevel(
  { criticism }: Criticisable,
  tasks: readonly string[],
  stream: RandomStream,
): MixedDeck {
  const piles = Array.from({ length: criticism.levels }, (_, i) => ({
    tasks: tasks.filter((task) => criticism.level(task) === i + 1),
    share: 1,
  }));
  return new MixedDeck(
    piles.filter((pile) => pile.tasks.length > 0),
    stream,
  );
}

function dealtByLevel(
  environment: Criticisable,
  tasks: readonly string[],
  stream: RandomStream,
  count: number,
): readonly string[] {
  return count === 0 ? [] : deckByLevel(environment, tasks, stream).deal(count);
}
