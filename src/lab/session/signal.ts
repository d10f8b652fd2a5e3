/** Wakes one waiting task when something has changed. */
export class Signal {
  #wake = () => {};

  notify(): void {
    this.#wake();
  }

  /** Resolves once the condition holds; it is checked now and after every `notify`. One task waits at a time. */
  async waitUntil(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = () => {};
  }
}
