import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { JumpableRandomGenerator } from 'pure-rand/types/JumpableRandomGenerator';

/** A stream of random whole numbers. */
export class RandomStream {
  #generator: JumpableRandomGenerator;

  constructor(generator: JumpableRandomGenerator) {
    this.#generator = generator;
  }

  /** Where the stream stands: four signed 32-bit numbers. */
  state(): readonly number[] {
    return this.#generator.getState();
  }

  /** Goes on from where a stream stood. */
  restore(state: readonly number[]): void {
    this.#generator = xoroshiro128plusFromState(state);
  }

  /** A whole number from 0 to n − 1. */
  below(n: number): number {
    return uniformInt(this.#generator, 0, n - 1);
  }

  /** A seed of 32 bits. */
  seed(): number {
    return uniformInt(this.#generator, 0, 0xffffffff);
  }

  /** A shuffled copy (Fisher–Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const deck = [...items];
    for (let i = deck.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const a = deck[i];
      const b = deck[j];
      if (a === undefined || b === undefined) continue;
      deck[i] = b;
      deck[j] = a;
    }
    return deck;
  }
}

/** The streams that one seed splits into. None of them moves when another is drawn from. */
export interface RandomStreams {
  readonly init: RandomStream;
  readonly tasks: RandomStream;
  readonly sampling: RandomStream;
  readonly shuffle: RandomStream;
  /** Which groups are replayed. */
  readonly replay: RandomStream;
  /** What happens before reinforcement learning: imitation and preference. */
  readonly warmStart: RandomStream;
  /** Which tokens Clip-Cov picks. */
  readonly picks: RandomStream;
}

/** Splits a seed by the generator's jumps, 2⁶⁴ draws apart, so that the streams never meet. */
export function splitSeed(seed: number): RandomStreams {
  const generator = xoroshiro128plus(seed | 0);
  const next = () => {
    const stream = new RandomStream(generator.clone());
    generator.jump();
    return stream;
  };
  return {
    init: next(),
    tasks: next(),
    sampling: next(),
    shuffle: next(),
    replay: next(),
    warmStart: next(),
    picks: next(),
  };
}

/** Tasks that are dealt with a weight beside others. */
export interface TaskPile {
  readonly tasks: readonly string[];
  readonly share: number;
}

/** Where the deal of several piles stands. The stream that shuffles them has a state of its own. */
export interface MixedDeckState {
  /** What each pile is owed, in tasks. */
  readonly owed: readonly number[];
  /** Tasks left in each pile's deck; the last is dealt first. */
  readonly cards: readonly (readonly string[])[];
}

/**
 * Deals tasks of several piles by their shares: after any number of tasks each pile has dealt its
 * share of them, to within one task.
 */
export class MixedDeck {
  readonly #piles: readonly { readonly deck: TaskDeck; readonly share: number }[];
  /** What each pile is owed, in tasks. */
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

  /** Goes on from where a deck of the same piles stood. */
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

/** Deals tasks from a shuffled deck and shuffles again when it is empty: each task equally often. */
export class TaskDeck {
  readonly #tasks: readonly string[];
  readonly #stream: RandomStream;
  #deck: string[] = [];

  constructor(tasks: readonly string[], stream: RandomStream) {
    if (tasks.length === 0) throw new RangeError('an environment needs at least one task');
    this.#tasks = tasks;
    this.#stream = stream;
  }

  /** Tasks left in the deck; the last is dealt first. */
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
