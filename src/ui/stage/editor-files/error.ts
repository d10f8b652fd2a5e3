/** Thrown for a file that an editor cannot open; the message is one sentence. */
export class EditorFileError extends Error {
  override readonly name: string = 'EditorFileError';
}
