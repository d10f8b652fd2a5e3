/** Thrown for a vocabulary that no tokenizer can be made of; `message` is the end of a sentence. */
export class TokenizerError extends Error {
  override readonly name = 'TokenizerError';
}
