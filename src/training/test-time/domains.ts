import { greedy } from '../../agents/agent.ts';
import { askAgent, critiquedAnswers, outsideTraining } from '../../agents/modes/conversation.ts';
import { clusteredShare } from '../../algorithms/clustered.ts';
import type { Estimate } from '../../algorithms/confidence.ts';
import type { CritiquedAnswer } from '../../algorithms/critique-metrics.ts';
import type { DomainNumber, KeptDomain } from '../../runs/domains.ts';
import { isTrainedTask } from '../critique-data/trained-tasks.ts';
import { environmentOf } from '../environments.ts';
import { type Hearing, hear } from '../recipes/critique/play.ts';

/**
 * Answers all evaluation tasks greedily, then critiques and refines the answers greedily. Reports
 * metrics for each environment, split by whether the critic was trained on answers of that level.
 *
 * @throws {EnvironmentFault} if the environment fails
 */
export async function hearDomains(hearing: Hearing): Promise<KeptDomain[]> {
  const { config, environment, actor } = hearing;
  const { evalTasks, holdout, criticism } = environment;
  const played = await askAgent(greedy(actor), environment, evalTasks, outsideTraining);
  const conversations = await hear(hearing, played, () => {});
  const groups = new Map<string, typeof conversations>();
  for (const conversation of conversations) {
    const { task } = conversation;
    const key = JSON.stringify([
      environmentOf(environment, task),
      isTrainedTask(config, environment, task),
    ]);
    groups.set(key, [...(groups.get(key) ?? []), conversation]);
  }
  return [...groups].map(([key, own]): KeptDomain => {
    const [id, heard]: [string, boolean] = JSON.parse(key);
    const levels = own.map(({ task }) => criticism.level(task));
    const clusters = own.map(({ task }) => holdout.cluster?.of(task) ?? task);
    return {
      name: `${id}, levels ${Math.min(...levels)} to ${Math.max(...levels)}`,
      heard,
      tasks: own.length,
      numbers: numbersOf(critiquedAnswers(own), clusters),
    };
  });
}

/** Metrics of answers that were critiqued and refined. */
function numbersOf(
  answers: readonly CritiquedAnswer[],
  clusters: readonly string[],
): Readonly<Record<DomainNumber, Estimate | null>> {
  const share = (
    is: (answer: CritiquedAnswer) => boolean,
    of: (answer: CritiquedAnswer) => boolean = () => true,
  ): Estimate | null => {
    const places = answers.flatMap((answer, i) => (of(answer) ? [i] : []));
    if (places.length === 0) return null;
    return clusteredShare(
      places.map((i) => Number(answers.slice(i, i + 1).some(is))),
      places.map((i) => clusters[i] ?? ''),
    );
  };
  const truly = ({ right, verdict }: CritiquedAnswer) => verdict === right;
  return {
    accuracy: share(({ right }) => right),
    refinedAccuracy: share(({ refined }) => refined),
    discrimination: share(truly),
    discriminationRight: share(truly, ({ right }) => right),
    discriminationWrong: share(truly, ({ right }) => !right),
    incorrectToCorrect: share(({ right, refined }) => !right && refined),
    correctToIncorrect: share(({ right, refined }) => right && !refined),
  };
}
