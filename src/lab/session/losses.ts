/** GPUs that a run may lose without getting any farther. */
const MOST_LOST = 3;

/** Counts the GPUs that a run loses: each is replaced by another as long as the run gets farther. */
export class Losses {
  /** Lost since an iteration was reached that no earlier attempt had reached. */
  #lost = 0;
  /** No iteration has been finished since. */
  #justLost = false;
  #farthest = 0;

  count(): void {
    this.#lost += 1;
    this.#justLost = true;
  }

  /** The run has lost a GPU and has not got any farther. */
  get any(): boolean {
    return this.#lost > 0;
  }

  get tooMany(): boolean {
    return this.#lost >= MOST_LOST;
  }

  /** The run is being opened at this iteration: of what it computes here, nothing has been lost. */
  begin(iteration: number): void {
    this.#farthest = iteration;
    this.#justLost = false;
  }

  /** The farthest iteration that any attempt has reached. */
  get farthest(): number {
    return this.#farthest;
  }

  /** @returns whether this iteration is the first to be finished since a GPU was lost */
  reach(iteration: number): boolean {
    const first = this.#justLost;
    this.#justLost = false;
    if (iteration > this.#farthest) {
      this.#farthest = iteration;
      this.#lost = 0;
    }
    return first;
  }
}
