import { RunEnded } from './errors.ts';

/** Whether the device of an open run has failed. Later errors are consequences of it. */
export class DeviceFailure {
  readonly #onChange: () => void;
  #error: Error | null = null;

  /** @param onChange called on failure */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  report(error: Error): void {
    this.#error = error;
    this.#onChange();
  }

  get happened(): boolean {
    return this.#error !== null;
  }

  /** @throws the failure, if any. */
  check(): void {
    if (this.#error !== null) throw this.#error;
  }

  /** The cause of an error: the device failure if there was one. */
  causeOf(error: unknown): unknown {
    return error instanceof RunEnded ? error : (this.#error ?? error);
  }
}
