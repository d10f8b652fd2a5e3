import type { ConversationRecord, KeptConversation } from './conversation.ts';

/** Most that are kept of the newest iteration. */
const NEWEST = 96;
/** Most that are kept of an earlier one. */
const EARLIER = 16;
/** Earlier iterations that are kept; where there are more, every second of them is forgotten. */
const ITERATIONS = 48;

/** What is kept of a run's conversations, as plain data. */
export interface KeptConversationsState {
  /** By iteration, oldest first. */
  readonly kept: readonly KeptConversation[];
  readonly numbers: number;
}

/** Many of a run's newest conversations, and some of earlier iterations, so that they can be compared. */
export class KeptConversations {
  #iterations: readonly (readonly KeptConversation[])[] = [];
  #numbers = 0;

  /** Keeps some of the conversations of an iteration: whole groups, taken evenly from all of them. */
  add(iteration: number, conversations: readonly ConversationRecord[]): void {
    if (conversations.length === 0) return;
    const newest = wholeGroups(conversations, NEWEST).map((conversation) => {
      this.#numbers += 1;
      return { ...conversation, number: this.#numbers, iteration };
    });
    const earlier = this.#iterations.map((own) => wholeGroups(own, EARLIER));
    const kept = earlier.length > ITERATIONS ? earlier.filter((_, i) => i % 2 === 0) : earlier;
    this.#iterations = [...kept, newest];
  }

  get state(): KeptConversationsState {
    return { kept: this.#iterations.flat(), numbers: this.#numbers };
  }

  restore({ kept, numbers }: KeptConversationsState): void {
    this.#iterations = runsOf(kept, ({ iteration }) => iteration);
    this.#numbers = numbers;
  }
}

/** At most so many, taken evenly; a group is there as a whole, but for one that alone is too large. */
function wholeGroups<Conversation extends ConversationRecord>(
  conversations: readonly Conversation[],
  most: number,
): readonly Conversation[] {
  if (conversations.length <= most) return conversations;
  const groups = runsOf(conversations, ({ group }) => group);
  const largest = Math.max(...groups.map(({ length }) => length));
  const count = Math.max(1, Math.floor(most / largest));
  return Array.from({ length: count }, (_, i) => {
    return groups[Math.floor((i * groups.length) / count)] ?? [];
  })
    .flat()
    .slice(0, most);
}

/** Cuts a list where its key changes. */
function runsOf<Item>(items: readonly Item[], key: (item: Item) => number): Item[][] {
  const runs: Item[][] = [];
  for (const [i, item] of items.entries()) {
    const before = items[i - 1];
    if (before === undefined || key(before) !== key(item)) runs.push([]);
    runs.at(-1)?.push(item);
  }
  return runs;
}
