import type { ConversationRecord, KeptConversation } from './conversation.ts';

/** Maximum number of conversations stored for the newest iteration. */
const NEWEST = 96;
/** Maximum number of conversations stored for each earlier iteration. */
const EARLIER = 16;
/** Maximum number of earlier iterations; above it, every second iteration is dropped. */
const ITERATIONS = 48;

/** The stored conversations of a run, as plain data. */
export interface KeptConversationsState {
  /** Ordered by iteration, oldest first. */
  readonly kept: readonly KeptConversation[];
  readonly numbers: number;
}

/**
 * Keeps many conversations of the newest iteration and some of earlier iterations, for comparison.
 */
export class KeptConversations {
  #iterations: readonly (readonly KeptConversation[])[] = [];
  #numbers = 0;

  /** Stores some conversations of an iteration: whole groups, spaced evenly. */
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

/**
 * Selects at most `most` conversations in whole groups, spaced evenly. A group is cut only if it
 * alone is larger than `most`.
 */
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

/** Splits a list into runs of equal keys. */
function runsOf<Item>(items: readonly Item[], key: (item: Item) => number): Item[][] {
  const runs: Item[][] = [];
  for (const [i, item] of items.entries()) {
    const before = items[i - 1];
    if (before === undefined || key(before) !== key(item)) runs.push([]);
    runs.at(-1)?.push(item);
  }
  return runs;
}
