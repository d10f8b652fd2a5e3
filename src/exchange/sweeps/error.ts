/** Thrown for files that no sweep can be read from; one sentence says why. */
export class SweepFilesError extends Error {
  override readonly name = 'SweepFilesError';
  /** @param reason the end of the sentence, for instance `they hold two` */
  constructor(reason: string) {
    super(`This sweep cannot be opened: ${reason}.`);
  }
}
