import { specialTokens, type Tokenizer, WordTokenizer } from './tokenizer.ts';
import { TokenizerError } from './tokenizer-error.ts';

/**
 * The tokenizer stored with an agent.
 *
 * @param vocabulary (V) the text of every token by id
 * @param bpe the rules of a byte-pair tokenizer, checked here; null for a word-level tokenizer
 * @throws {TokenizerError} for an invalid vocabulary or invalid rules
 */
export async function openTokenizer(
  vocabulary: readonly string[],
  bpe: unknown,
): Promise<Tokenizer> {
  if (bpe !== null) {
    // Only imported agents need the library.
    const { openBpe } = await import('./bpe.ts');
    return openBpe(vocabulary, bpe);
  }
  if (new Set(vocabulary).size < vocabulary.length) {
    throw new TokenizerError('a token occurs twice');
  }
  for (const [id, token] of specialTokens.entries()) {
    if (vocabulary[id] !== token) {
      throw new TokenizerError(
        `token ${id} must be ${token}, got ${JSON.stringify(vocabulary[id])}`,
      );
    }
  }
  return new WordTokenizer(vocabulary.slice(specialTokens.length));
}
