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

/**
 * The streams that one seed splits into, in this order, which no run may find changed: a new one is
 * added at the end. None of them moves when another is drawn from.
 */
export const streamNames = [
  'init',
  'tasks',
  'sampling',
  'shuffle',
  /** Which groups are replayed. */
  'replay',
  /** What happens before reinforcement learning: imitation and preference. */
  'warmStart',
  /** Which tokens Clip-Cov picks. */
  'picks',
  /** Which tasks evolution explores. */
  'exploration',
  /** What dialogues of critiques and refinements are made of. */
  'criticism',
  /** What goes wrong on purpose. */
  'faults',
] as const;
export type StreamName = (typeof streamNames)[number];
export type RandomStreams = Readonly<Record<StreamName, RandomStream>>;

/** Splits a seed by the generator's jumps, 2⁶⁴ draws apart, so that the streams never meet. */
export function splitSeed(seed: number): RandomStreams {
  const generator = xoroshiro128plus(seed | 0);
  const streams: Partial<Record<StreamName, RandomStream>> = {};
  for (const name of streamNames) {
    streams[name] = new RandomStream(generator.clone());
    generator.jump();
  }
  return streams as RandomStreams;
}

/** Where each stream stands. */
export function streamStates(streams: RandomStreams): Record<StreamName, readonly number[]> {
  const states = streamNames.map((name) => [name, streams[name].state()]);
  return Object.fromEntries(states) as Record<StreamName, readonly number[]>;
}

/** Puts the streams where they stood; one that is not told of stays as it is. */
export function restoreStreams(
  streams: RandomStreams,
  states: Readonly<Partial<Record<StreamName, readonly number[]>>>,
): void {
  for (const name of streamNames) {
    const stands = states[name];
    if (stands !== undefined) streams[name].restore(stands);
  }
}
