/** Thrown for files that contain no usable sweep; the message is one sentence. */
export class SweepFilesError extends Error {
  override readonly name = 'SweepFilesError';
  /** @param reason end of the sentence, for example `they hold two` */
  constructor(reason: string) {
    super(`This sweep cannot be opened: ${reason}.`);
  }
}
