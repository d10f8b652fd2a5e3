import { type Conversation, verdictOf } from './conversation.ts';
import { answered, criticized, oneByOne, type RefineRequest } from './refine.ts';

/**
 * An actor answers, and answers again without advice as long as the critic judges its answer
 * incorrect, for a limited number of rounds. Compared with refinement, this shows what the advice
 * adds to the verdict. A malformed critique causes no retry.
 * @throws {EnvironmentFault} if the environment throws
 */
export async function retry(request: Omit<RefineRequest, 'refiner'>): Promise<Conversation[]> {
  const { environment, actor, critic, tasks, rounds, onProgress = () => {} } = request;
  const next = oneByOne(request);
  const conversations = await answered(environment, actor, tasks, next());
  let open = conversations.map((_, i) => i);
  for (let round = 0; round < rounds && open.length > 0; round++) {
    const critiqued = await criticized(environment, critic, at(conversations, open), next());
    for (const [i, conversation] of critiqued.entries()) {
      conversations[open[i] ?? 0] = conversation;
    }
    open = open.filter((place) => isDoubted(conversations[place]));
    const again = await answered(
      environment,
      actor,
      at(conversations, open).map(({ task }) => task),
      next(),
    );
    for (const [i, { utterances }] of again.entries()) {
      const place = open[i] ?? 0;
      const before = conversations[place];
      if (before === undefined) continue;
      conversations[place] = { ...before, utterances: [...before.utterances, ...utterances] };
    }
  }
  onProgress(1);
  return conversations;
}

function at(conversations: readonly Conversation[], places: readonly number[]): Conversation[] {
  return places.flatMap((place) => conversations[place] ?? []);
}

/** Whether the last critique of a conversation judges the answer before it incorrect. */
export function isDoubted(conversation: Conversation | undefined): boolean {
  const [answer, critique] = conversation?.utterances.slice(-2) ?? [];
  if (answer === undefined || critique?.act !== 'critique') return false;
  return verdictOf(critique.trajectory, answer.trajectory.success) === false;
}
