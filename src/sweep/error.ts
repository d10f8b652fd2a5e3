/** Thrown for an invalid sweep file. The message is one line: the key, what is wrong, what is allowed. */
export class SweepError extends Error {
  override readonly name = 'SweepError';
  /** The key at fault, for instance `parameters.optimizer.learning_rate.min`; empty for the whole file. */
  readonly path: string;
  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.path = path;
  }
}
