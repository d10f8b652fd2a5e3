/**
 * The dialogues that supervise an actor and a critic: tasks of the derived environments, whose
 * expert is the environment's oracle.
 */
import { type Agent, greedy } from '../../../agents/agent.ts';
import { askAgent, outsideTraining, verdictOf } from '../../../agents/modes/conversation.ts';
import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { critiqueWorld, taskOf } from '../../../agents/modes/worlds.ts';
import { critiqueMetrics } from '../../../algorithms/critique-metrics.ts';
import type { Config } from '../../../config/schema.ts';
import { type FaultKind, faultKinds } from '../../../envs/criticism.ts';
import type { CritiqueItem } from '../../../runs/critique-item.ts';
import { collectCritiques } from '../../critique-data/collect.ts';
import { collectionSettings } from '../../critique-data/settings.ts';
import { chance, deckByLevel } from '../../critique-data/tasks.ts';
import { withTrainedTasks } from '../../critique-data/trained-tasks.ts';
import type { TrainingEpisode } from '../../learn/batch.ts';
import type { RandomStream } from '../../random.ts';
import { mean } from '../../sums.ts';
import { toldEpisode } from '../imitation/imitation.ts';

/**
 * Answers with critiques, as refinement tasks. In some, the critique calls the answer correct and
 * it stays the same; in the others, it calls one step wrong.
 *
 * In a share of the tasks, and in each with values withheld from the actor, all copied values are
 * random: the values of each step up to the criticized one, and the advice. Otherwise an actor that
 * can compute these steps would never learn to read the critique, and withheld values would leak.
 */
export function refinementTasks(
  { critique: settings }: Config,
  environment: Criticizable,
  stream: RandomStream,
): readonly string[] {
  const { criticism, trainTasks, shownTasks = trainTasks } = environment;
  const { refinements, right_originals, arbitrary_advice, advice } = settings;
  if (refinements === 0) return [];
  const kept = Math.round(refinements * right_originals);
  // Without an advised value the actor must compute it.
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
      // Values after the step are computed, so none of them may be withheld.
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

/** Maximum number of other answers a debater reads. */
const MOST_OTHERS = 2;

/**
 * Answers given other debaters' answers, as debate tasks: correct and flawed ones equally often.
 * The target is the correct answer, regardless of the others, so only tasks that the expert may
 * demonstrate are used.
 */
export function debateTasks(
  { critique: { debates } }: Config,
  environment: Criticizable,
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

/** The answer with random values in its first steps, and the steps that follow from them. */
function withAnyValues(
  environment: Criticizable,
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

function anyValue({ criticism: { values } }: Criticizable, stream: RandomStream): string {
  return values[stream.below(values.length)] ?? '';
}

/**
 * The annotator's critiques of the actor's answers, as dialogues of the critic.
 *
 * @throws {EnvironmentFault} if the environment fails
 * @throws {RangeError} if a critique has more tokens than the critic may generate in a turn
 */
export async function critiqueEpisodes(
  config: Config,
  environment: Criticizable,
  actor: Agent,
  critic: Agent,
  stream: RandomStream,
  onProgress: (fraction: number) => void,
): Promise<readonly TrainingEpisode[]> {
  const { critique: settings } = config;
  const { items } = await collectCritiques(
    { ...collectionSettings(settings), distinct: false, effort: EFFORT },
    withTrainedTasks(config, environment),
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
 * The actor's greedy answers, on which the critic's progress is measured. They contain the actor's
 * own errors, which a critic that starts from the actor's weights tends to accept.
 *
 * @throws {EnvironmentFault} if the environment fails
 */
export async function probedAnswers(
  config: Config,
  environment: Criticizable,
  actor: Agent,
  stream: RandomStream,
): Promise<readonly CritiqueItem[]> {
  const { critique: settings } = config;
  const { items } = await collectCritiques(
    {
      ...collectionSettings({ ...settings, critiques: PROBED, sources: 'sampled' }),
      ...{ temperature: 0, filter: null, distinct: true, effort: EFFORT },
    },
    withTrainedTasks(config, environment),
    actor,
    stream,
  );
  return items;
}

/** Answers on which a critic's discrimination is measured. */
const PROBED = 256;

/**
 * The accuracy of a critic's greedy verdicts, with correct and wrong answers weighted equally: 0.5
 * for a constant verdict, NaN without answers.
 *
 * @throws {EnvironmentFault} if the environment fails
 */
export async function balancedDiscrimination(
  { critique: { advice } }: Config,
  environment: Criticizable,
  critic: Agent,
  items: readonly CritiqueItem[],
): Promise<number> {
  if (items.length === 0) return Number.NaN;
  const spoken = await askAgent(
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
  // If all answers are correct or all are wrong, this is the plain accuracy.
  const classes = [discriminationRight, discriminationWrong].filter((share) => share !== null);
  return mean(classes, (share) => share);
}

/** Maximum ratio of requested answers to wanted critiques if one kind is rare. */
const EFFORT = 3;

/**
 * A complete answer with an error at a step; null if that step cannot have one. In half of the
 * draws a wrong result is tried first, in the others a random kind of error.
 */
function flawedAnswer(
  { criticism }: Criticizable,
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
