import { type Act, type Conversation, wordsOf } from '../../agents/modes/conversation.ts';
import type { ConversationRecord, LearnedCritique } from '../../runs/conversation.ts';

/** A conversation of an iteration, with the reward and advantage of its critique. */
export interface HeardConversation extends Conversation {
  readonly learned: LearnedCritique | null;
}

/**
 * Conversations in their saved and displayed form; conversations about the same answer form a
 * group.
 */
export function conversationRecords(
  conversations: readonly HeardConversation[],
): readonly ConversationRecord[] {
  const groups = new Map<unknown, number>();
  return conversations.flatMap(({ task, utterances, learned }) => {
    const [first] = utterances;
    if (first === undefined) return [];
    const group = groups.get(first.trajectory) ?? groups.size;
    groups.set(first.trajectory, group);
    const textOf = (act: Act) => {
      const utterance = utterances.find((one) => one.act === act);
      return utterance === undefined ? null : wordsOf(utterance);
    };
    return {
      task,
      answer: wordsOf(first),
      critique: textOf('critique'),
      refinement: textOf('refinement'),
      group,
      learned,
    };
  });
}
