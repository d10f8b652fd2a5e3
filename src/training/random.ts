import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus, xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { JumpableRandomGenerator } from 'pure-rand/types/JumpableRandomGenerator';

/** A stream of random integers. */
export class RandomStream {
  #generator: JumpableRandomGenerator;

  constructor(generator: JumpableRandomGenerator) {
    this.#generator = generator;
  }

  /** The generator's state: four signed 32-bit numbers. */
  state(): readonly number[] {
    return this.#generator.getState();
  }

  /** Continues from a saved state. */
  restore(state: readonly number[]): void {
    this.#generator = xoroshiro128plusFromState(state);
  }

  /** An integer from 0 to n − 1. */
  below(n: number): number {
    return uniformInt(this.#generator, 0, n - 1);
  }

  /** A 32-bit seed. */
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
 * The streams split from one seed, in this fixed order. New ones are appended, so that existing
 * runs do not change. Drawing from one stream does not affect the others.
 */
export const streamNames = [
  'init',
  'tasks',
  'sampling',
  'shuffle',
  /** Selects replayed groups. */
  'replay',
  /** Imitation and preference learning before reinforcement learning. */
  'warmStart',
  /** Selects Clip-Cov tokens. */
  'picks',
  /** Selects the tasks evolution explores. */
  'exploration',
  /** Builds dialogues of critiques and refinements. */
  'criticism',
  /** Injects faults. */
  'faults',
] as const;
export type StreamName = (typeof streamNames)[number];
export type RandomStreams = Readonly<Record<StreamName, RandomStream>>;

/** Splits a seed with the generator's jump function: streams start 2⁶⁴ draws apart and do not overlap. */
export function splitSeed(seed: number): RandomStreams {
  const generator = xoroshiro128plus(seed | 0);
  const streams: Partial<Record<StreamName, RandomStream>> = {};
  for (const name of streamNames) {
    streams[name] = new RandomStream(generator.clone());
    generator.jump();
  }
  return streams as RandomStreams;
}

/** The state of each stream. */
export function streamStates(streams: RandomStreams): Record<StreamName, readonly number[]> {
  const states = streamNames.map((name) => [name, streams[name].state()]);
  return Object.fromEntries(states) as Record<StreamName, readonly number[]>;
}

/** Restores the streams' states; a stream without a saved state keeps its own. */
export function restoreStreams(
  streams: RandomStreams,
  states: Readonly<Partial<Record<StreamName, readonly number[]>>>,
): void {
  for (const name of streamNames) {
    const stands = states[name];
    if (stands !== undefined) streams[name].restore(stands);
  }
}
