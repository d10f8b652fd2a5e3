/** Thrown for an invalid vocabulary or invalid rules; `message` is the end of a sentence. */
export class TokenizerError extends Error {
  override readonly name = 'TokenizerError';
}
