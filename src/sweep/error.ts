/** Thrown for a sweep that cannot be used. The message is one line: where in the file, what, what is allowed. */
export class SweepError extends Error {
  override readonly name = 'SweepError';
  /** The key at fault, for instance `parameters.optimizer.learning_rate.min`; empty for the whole file. */
  readonly path: string;
  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.path = path;
  }
}
