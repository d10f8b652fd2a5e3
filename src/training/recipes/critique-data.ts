/**
 * The dialogues that an actor and a critic are taught by before any reward: tasks of the derived worlds,
 * in which the environment's oracle is the expert.
 */
import { type Agent, greedy } from '../../agents/agent.ts';
import { outsideTraining, said, verdictOf } from '../../agents/modes/conversation.ts';
import type { Criticisable } from '../../agents/modes/prompts.ts';
import { critiqueWorld, taskOf } from '../../agents/modes/worlds.ts';
import { critiqueMetrics } from '../../algorithms/critique-metrics.ts';
import type { Config } from '../../config/schema.ts';
import { type FaultKind, faultKinds } from '../../envs/criticism.ts';
import type { CritiqueItem } from '../../runs/critique-item.ts';
import { collectCritiques } from '../critique-data/collect.ts';
import { heardBy } from '../critique-data/heard.ts';
import { collectionSettings } from '../critique-data/settings.ts';
import { chance, deckByLevel } from '../critique-data/tasks.ts';
import type { TrainingEpisode } from '../learn/batch.ts';
import type { RandomStream } from '../random.ts';
import { mean } from '../sums.ts';
import { toldEpisode } from './imitation.ts';

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

/** Others whose answers a debater reads, at most. */
const MOST_OTHERS = 2;

/**
 * Answers in view of others', as tasks of debate: right ones and flawed ones, each as often. They are of
 * tasks that the expert may show, whose right answer is what is to be written, whatever the others say.
 */
export function debateTasks(
  { critique: { debates } }: Config,
  environment: Criticisable,
  stream: RandomStream,
): readonly string[] {
  if (debates === 0) return [];
  const { criticism, trainTasks, shownTasks = trainTasks } = environment;
  return deckByLevel(environment, shownTasks, stream)
    .deal(debates)
    .map((task) => {
      const right = environment.expert(environment.reset(task).state).action;
      const { steps } = criticism.judge(task, right);
      const some = () => {
        if (chance(stream) < 0.5) return right;
        return flawedAnswer(environment, task, stream.below(steps.length), stream) ?? right;
      };
      const others = Array.from({ length: 1 + stream.below(MOST_OTHERS) }, some);
      return taskOf({ task, answer: some(), others });
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
 * The annotator's critiques of the actor's answers, as dialogues of the critic.
 *
 * @throws {EnvironmentFault} when the environment fails.
 * @throws {RangeError} when a critique has more tokens than the critic may write in a turn.
 */
export async function critiqueEpisodes(
  config: Config,
  environment: Criticisable,
  actor: Agent,
  critic: Agent,
  stream: RandomStream,
  onProgress: (fraction: number) => void,
): Promise<readonly TrainingEpisode[]> {
  const { critique: settings } = config;
  const { items } = await collectCritiques(
    { ...collectionSettings(settings), distinct: false, effort: EFFORT },
    heardBy(config, environment),
    actor,
    stream,
    onProgress,
  );
  const world = critiqueWorld(environment, settings.advice);
  return items.map(({ task, answer, critique }) =>
    toldEpisode(critic, world, taskOf({ task, answer }), critique),
  );
}

/**
 * The actor's most probable answers, on which a critic shows what it has learned: what an actor gets
 * wrong there it believes, and a critic that began with its weights at first believes it too.
 *
 * @throws {EnvironmentFault} when the environment fails.
 */
export async function probedAnswers(
  config: Config,
  environment: Criticisable,
  actor: Agent,
  stream: RandomStream,
): Promise<readonly CritiqueItem[]> {
  const { critique: settings } = config;
  const { items } = await collectCritiques(
    {
      ...collectionSettings({ ...settings, critiques: PROBED, sources: 'sampled' }),
      ...{ temperature: 0, filter: null, distinct: true, effort: EFFORT },
    },
    heardBy(config, environment),
    actor,
    stream,
  );
  return items;
}

/** How many answers say whether a critic has learned enough. */
const PROBED = 256;

/**
 * How often a critic's most probable verdicts on answers are true, right and wrong answers weighing the
 * same: 0.5 for one that says the same of all, NaN without an answer.
 *
 * @throws {EnvironmentFault} when the environment fails.
 */
export async function balancedDiscrimination(
  { critique: { advice } }: Config,
  environment: Criticisable,
  critic: Agent,
  items: readonly CritiqueItem[],
): Promise<number> {
  if (items.length === 0) return Number.NaN;
  const spoken = await said(
    greedy(critic),
    critiqueWorld(environment, advice),
    items.map(({ task, answer }) => taskOf({ task, answer })),
    outsideTraining,
  );
  const judged = items.flatMap(({ right }, i) => {
    const critique = spoken[i];
    if (critique === undefined) return [];
    return { right, verdict: verdictOf(critique, right), refined: right };
  });
  const { discriminationRight, discriminationWrong } = critiqueMetrics(judged);
  // Where there is one kind alone, of that.
  const classes = [discriminationRight, discriminationWrong].filter((share) => share !== null);
  return mean(classes, (share) => share);
}

/** How many times as many answers are asked for as critiques are wanted, where one kind of them is rare. */
const EFFORT = 3;

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
