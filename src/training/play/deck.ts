import type { RandomStream } from '../random.ts';

/** A pile of tasks with its weight. */
export interface TaskPile {
  readonly tasks: readonly string[];
  readonly share: number;
}

/** The state of a deal from several piles. The shuffling stream has its own state. */
export interface MixedDeckState {
  /** The credit of each pile, in tasks. */
  readonly owed: readonly number[];
  /** Remaining tasks of each pile's deck; the last is dealt next. */
  readonly cards: readonly (readonly string[])[];
}

/**
 * Deals tasks from several piles by their shares: after any number of tasks each pile has dealt its
 * share to within one task.
 */
export class MixedDeck {
  readonly #piles: readonly { readonly deck: TaskDeck; readonly share: number }[];
  /** The credit of each pile, in tasks. */
  readonly #owed: number[];

  constructor(piles: readonly TaskPile[], stream: RandomStream) {
    const sum = piles.reduce((all, { share }) => all + share, 0);
    this.#piles = piles.map(({ tasks, share }) => ({
      deck: new TaskDeck(tasks, stream),
      share: share / sum,
    }));
    this.#owed = piles.map(() => 0);
  }

  state(): MixedDeckState {
    return { owed: [...this.#owed], cards: this.#piles.map(({ deck }) => deck.cards) };
  }

  /** Restores the state of a deck of the same piles. */
  restore({ owed, cards }: MixedDeckState): void {
    for (const [i, { deck }] of this.#piles.entries()) {
      this.#owed[i] = owed[i] ?? 0;
      deck.restore(cards[i] ?? []);
    }
  }

  deal(count: number): string[] {
    return Array.from({ length: count }, () => {
      for (const [i, { share }] of this.#piles.entries()) {
        this.#owed[i] = (this.#owed[i] ?? 0) + share;
      }
      const most = this.#owed.indexOf(Math.max(...this.#owed));
      this.#owed[most] = (this.#owed[most] ?? 0) - 1;
      return this.#piles[most]?.deck.deal(1) ?? [];
    }).flat();
  }
}

/** Deals tasks from a shuffled deck and reshuffles when it is empty: each task equally often. */
export class TaskDeck {
  readonly #tasks: readonly string[];
  readonly #stream: RandomStream;
  #deck: string[] = [];

  constructor(tasks: readonly string[], stream: RandomStream) {
    if (tasks.length === 0) throw new RangeError('an environment needs at least one task');
    this.#tasks = tasks;
    this.#stream = stream;
  }

  /** Remaining tasks of the deck; the last is dealt next. */
  get cards(): readonly string[] {
    return [...this.#deck];
  }

  restore(cards: readonly string[]): void {
    this.#deck = [...cards];
  }

  deal(count: number): string[] {
    const dealt: string[] = [];
    while (dealt.length < count) {
      if (this.#deck.length === 0) this.#deck = this.#stream.shuffled(this.#tasks);
      const task = this.#deck.pop();
      if (task !== undefined) dealt.push(task);
    }
    return dealt;
  }
}
