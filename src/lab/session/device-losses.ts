/** Maximum number of device losses without progress before a run fails. */
const MAX_LOSSES = 3;

/** Counts device losses: the run retries on a new device as long as it makes progress. */
export class DeviceLosses {
  /** Losses since the run last exceeded its farthest iteration. */
  #lost = 0;
  /** Whether no iteration has finished since the last loss. */
  #justLost = false;
  #farthest = 0;

  count(): void {
    this.#lost += 1;
    this.#justLost = true;
  }

  /** Whether the run has lost a device and made no progress since. */
  get any(): boolean {
    return this.#lost > 0;
  }

  get tooMany(): boolean {
    return this.#lost >= MAX_LOSSES;
  }

  /** To be called when the run is opened at this iteration; progress counts from here. */
  begin(iteration: number): void {
    this.#farthest = iteration;
    this.#justLost = false;
  }

  /** The farthest iteration of any attempt. */
  get farthest(): number {
    return this.#farthest;
  }

  /** @returns whether this is the first iteration finished since a loss */
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
