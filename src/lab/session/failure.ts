import { RunEnded } from './errors.ts';

/** Whether the device of an opened run has failed. What fails after it fails because of it. */
export class DeviceFailure {
  readonly #changed: () => void;
  #error: Error | null = null;

  /** @param changed called when it fails */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  report(error: Error): void {
    this.#error = error;
    this.#changed();
  }

  get happened(): boolean {
    return this.#error !== null;
  }

  /** @throws the failure, if there was one. */
  check(): void {
    if (this.#error !== null) throw this.#error;
  }

  /** The cause of an error: the device's failure, where there was one. */
  causeOf(error: unknown): unknown {
    return error instanceof RunEnded ? error : (this.#error ?? error);
  }
}
