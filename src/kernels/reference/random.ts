import { philox4x32 } from './philox.ts';

/** Random numbers for tests: one seed, with Philox counters 0, 1, 2, … */
export class TestRandom {
  readonly #seed: number;
  #counter = 0;
  #words: number[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Uniform in [0, 1). */
  unit(): number {
    let word = this.#words.pop();
    if (word === undefined) {
      const [last, ...words] = philox4x32([this.#counter, 0, 0, 0], [this.#seed, 0]);
      this.#counter += 1;
      this.#words = words;
      word = last;
    }
    return word / 2 ** 32;
  }

  /** An integer in [0, below). */
  whole(below: number): number {
    return Math.floor(this.unit() * below);
  }

  /** Uniform in [−scale, scale), as float32 so that GPU and reference read the same values. */
  floats(length: number, scale = 1): Float32Array {
    return Float32Array.from({ length }, () => (2 * this.unit() - 1) * scale);
  }

  /** Integers in [0, below). */
  wholes(length: number, below: number): Uint32Array {
    return Uint32Array.from({ length }, () => this.whole(below));
  }

  /** `length` distinct integers in [0, below), in random order. */
  distinct(length: number, below: number): Uint32Array {
    const all = Uint32Array.from({ length: below }, (_, i) => i);
    for (let i = below - 1; i > 0; i--) {
      const j = this.whole(i + 1);
      const [a, b] = [all[i] ?? 0, all[j] ?? 0];
      all[i] = b;
      all[j] = a;
    }
    return all.slice(0, length);
  }
}
