import { greedy } from '../../../agents/agent.ts';
import { askAgent, type Conversation, wordsOf } from '../../../agents/modes/conversation.ts';
import { isDoubted } from '../../../agents/modes/retry.ts';
import { refinementWorld, taskOf } from '../../../agents/modes/worlds.ts';
import type { MetricRow } from '../../../runs/metrics.ts';
import { mean } from '../../sums.ts';
import type { Hearing } from './play.ts';

/**
 * Baselines for the same answers without the critic's advice: with the annotator's critique
 * instead, and with a second attempt if the critic calls the answer wrong. The learned critic's
 * result is expected between the two.
 *
 * @param conversations each an answer and its critique
 * @throws {EnvironmentFault} if the environment fails
 */
export async function baselineMetrics(
  { config, environment, actor, iteration }: Hearing,
  conversations: readonly Conversation[],
  onProgress: (fraction: number) => void,
): Promise<MetricRow> {
  if (conversations.length === 0) return {};
  const { criticism } = environment;
  const { advice, answer_temperature: temperature } = config.critique;
  const advised = conversations.map(({ task, utterances: [first] }) => {
    const answer = first === undefined ? '' : wordsOf(first);
    return taskOf({ task, answer, critique: criticism.critique(task, answer, { advice }) });
  });
  const mended = await askAgent(
    greedy(actor),
    refinementWorld(environment),
    advised,
    { iteration, episode: 0 },
    (share) => onProgress(share / 2),
  );

  const doubted = conversations.filter(({ task, utterances }) =>
    isDoubted({ task, utterances: utterances.slice(0, 2) }),
  );
  const retried = await askAgent(
    { ...actor, temperature },
    environment,
    doubted.map(({ task }) => task),
    { iteration, episode: 0 },
    (share) => onProgress((1 + share) / 2),
  );
  const retries = new Map(doubted.map((conversation, i) => [conversation, retried[i]]));
  return {
    'critique/advised_accuracy': mean(mended, ({ success }) => Number(success)),
    'critique/retried_accuracy': mean(conversations, (conversation) => {
      const last = retries.get(conversation) ?? conversation.utterances[0]?.trajectory;
      return Number(last?.success ?? false);
    }),
  };
}
