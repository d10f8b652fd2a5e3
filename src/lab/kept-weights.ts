import { parameterLayout } from '../policy/layout.ts';
import type { PolicyShape, TokenPolicy } from '../policy/types.ts';
import type { KeptWeights } from '../training/look/network-reading.ts';

/** Maximum size of the stored weights of past iterations, in bytes. */
const MOST_BYTES = 48 * 2 ** 20;
/** Reading the weights may take 1/50 of the time. */
const COST_FACTOR = 50;

const bytesOf = (shape: PolicyShape) => 4 * parameterLayout(shape).length;

/**
 * Weights after past iterations, for looking inside the network. When memory is full, every second entry is
 * dropped. Iterations are skipped while reading is slow compared with training.
 */
export class WeightsHistory {
  #entries: KeptWeights[] = [];
  readonly #now: () => number;
  #due = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  get entries(): readonly KeptWeights[] {
    return this.#entries;
  }

  /** Keeps the weights after an iteration, if their size and the cost allow it. */
  async offer(policy: TokenPolicy, iteration: number): Promise<void> {
    if (this.#now() < this.#due || 8 * bytesOf(policy.shape) > MOST_BYTES) return;
    const began = this.#now();
    await this.keep(policy, iteration);
    const ended = this.#now();
    this.#due = ended + COST_FACTOR * (ended - began);
  }

  /** Keeps the current weights in any case. */
  async keep(policy: TokenPolicy, iteration: number): Promise<void> {
    if (this.#entries.at(-1)?.iteration === iteration) return;
    const weights = await policy.readWeights();
    this.#entries = [
      ...this.#entries.filter((one) => one.iteration < iteration),
      { iteration, weights },
    ];
    const most = Math.max(1, Math.floor(MOST_BYTES / bytesOf(policy.shape)));
    if (this.#entries.length <= most) return;
    const { length } = this.#entries;
    this.#entries = this.#entries.filter((_, i) => i === 0 || i >= length - 2 || i % 2 === 0);
    // A network that fills the memory keeps only its newest weights.
    if (this.#entries.length > most) this.#entries = this.#entries.slice(-most);
  }
}
