/** Thrown for an invalid sweep file. The message is one line: key, problem and allowed values. */
export class SweepError extends Error {
  override readonly name = 'SweepError';
  /** The invalid key, such as `parameters.optimizer.learning_rate.min`; empty for the file. */
  readonly path: string;
  constructor(path: string, problem: string) {
    super(path === '' ? problem : `${path}: ${problem}`);
    this.path = path;
  }
}
