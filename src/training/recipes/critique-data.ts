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
 * Answers with critiques, as tasks of refinement: some are called right and stay, in the others a step
 * is called wrong.
 *
 * In a share of them, and wherever a task needs what the actor is not to be shown, nothing that is
 * copied is true: every step up to the one that is called wrong comes to any value, and so does what is
 * advised. An actor that could compute these steps itself would never learn to read, and what is
 * withheld would leak.
 */
export function refinementTasks(
  { critique: settings }: Config,
  environment: Criticisable,
  stream: RandomStream,
): readonly string[] {
  const { criticism, trainTasks, shownTasks = trainTasks } = environment;
  const { refinements, right_originals, arbitrary_advice, advice } = settings;
  if (refinements === 0) return [];
  const kept = Math.round(refinements * right_originals);
  // An actor that is told no value has to know it.
  return deckByLevel(environment, advice === 'value' ? trainTasks : shownTasks, stream)
    .deal(refinements)
    .map((task, i) => {
      const right = environment.expert(environment.reset(task).state).action;
      const steps = criticism.judge(task, right).steps.length;
      const withheld = criticism.withheld(task);
      const read = withheld.length > 0 || chance(stream) < arbitrary_advice;
      if (i < kept) {
        const answer = read ? withAnyValues(environment, task, right, steps, stream) : right;
        return taskOf({
          task,
          answer,
          critique: criticism.critique(task, answer, { advice, step: null }),
        });
      }
      // What comes after the step is computed, so nothing there may be withheld.
      const step = Math.max(stream.below(steps), ...withheld);
      if (!read) {
        const answer = flawedAnswer(environment, task, step, stream) ?? right;
        return taskOf({ task, answer, critique: criticism.critique(task, answer, { advice }) });
      }
      const answer = withAnyValues(environment, task, right, step + 1, stream);
      const value = anyValue(environment, stream);
      const critique = criticism.critique(task, answer, { advice, step, fault: 'result', value });
      return taskOf({ task, answer, critique });
    });
}

/** The answer with any values in its first steps, and what follows from them. */
function withAnyValues(
  environment: Criticisable,
  task: string,
  answer: string,
  steps: number,
  stream: RandomStream,
): string {
  const { criticism } = environment;
  let changed = answer;
  for (let step = 0; step < steps; step++) {
    const value = anyValue(environment, stream);
    const critique = criticism.critique(task, changed, {
      ...{ advice: 'value', step, fault: 'result', value },
    });
    changed = criticism.refine(task, changed, critique);
  }
  return changed;
}

function anyValue({ criticism: { values } }: Criticisable, stream: RandomStream): string {
  return values[stream.below(values.length)] ?? '';
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
  const deck = deckByLevel(environment, environment.trainTasks, stream);
  let key = outsideTraining;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const asked = Math.min(critiques, stillToAsk(wanted, found));
    if (asked === 0) break;
    const trajectories = await said(
      { ...actor, temperature },
      environment,
      deck.deal(asked),
      key,
      (share) => onProgress((round + share) / MOST_ROUNDS),
    );
    key = after(key, asked);
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

type ByKind<T> = Readonly<Record<'right' | 'wrong', T>>;

/** How many answers have what is missing among them, going by those that were found. */
function stillToAsk(wanted: ByKind<number>, found: ByKind<readonly Answered[]>): number {
  const all = found.right.length + found.wrong.length;
  const needed = (['right', 'wrong'] as const).map((kind) => {
    const missing = Math.max(0, wanted[kind] - found[kind].length);
    return all === 0 ? missing : Math.ceil((missing * all) / Math.max(1, found[kind].length));
  });
  return all === 0 ? wanted.right + wanted.wrong : Math.max(...needed);
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
    const answer = begun === null ? null : criticism.finish(task, begun);
    if (answer !== null && !criticism.judge(task, answer).right) return answer;
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
