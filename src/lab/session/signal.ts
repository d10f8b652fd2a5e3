/** What one waits for: whoever changes something that may end a wait gives it. */
export class Signal {
  #wake = () => {};

  give(): void {
    this.#wake();
  }

  /** Resolves once this holds, which is asked at once and whenever the signal was given. One waits at a time. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = () => {};
  }
}
