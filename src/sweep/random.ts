import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Seeded random draws. Each trial has its own stream, so results do not depend on draw order. */
export class Draws {
  readonly #generator;

  /**
   * @param seed seed of the sweep
   * @param stream stream number, such as the number of a trial
   */
  constructor(seed: number, stream: number) {
    this.#generator = xoroshiro128plus(mixed(seed, stream));
  }

  /** A uniform draw from [0, 1). */
  uniform(): number {
    return uniformFloat64(this.#generator);
  }

  /** A whole number from 0 to n − 1. */
  below(n: number): number {
    return uniformInt(this.#generator, 0, n - 1);
  }

  /** A standard normal draw (Box and Muller 1958). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    return radius * Math.cos(2 * Math.PI * this.uniform());
  }

  /** An index drawn with weights that need not sum to 1. */
  weighted(weights: readonly number[]): number {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let left = this.uniform() * total;
    for (const [at, weight] of weights.entries()) {
      left -= weight;
      if (left < 0) return at;
    }
    return weights.findLastIndex((weight) => weight > 0);
  }
}

/** Hashes consecutive numbers to unrelated seeds (finalizer of MurmurHash3). */
function mixed(seed: number, stream: number): number {
  let hash = Math.imul(seed | 0, 0x9e3779b1) ^ (stream | 0);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
