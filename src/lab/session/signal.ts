/** Wakes one waiting task when something has changed. */
export class Signal {
  #wake = () => {};

  notify(): void {
    this.#wake();
  }

  /** Resolves once the condition, checked now and after `notify`, holds. Only one task may wait. */
  async waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = () => {};
  }
}
