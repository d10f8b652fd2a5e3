/** Special tokens, in the order of their ids; they come before every lexeme. */
export const specialTokens = ['<pad>', '<unk>', '<obs>', '<act>', '<end>'] as const;

/** Name of a special token. */
export type SpecialToken = (typeof specialTokens)[number];

/** Thrown for a lexicon that no tokenizer can be made of. */
export class LexiconError extends Error {
  override readonly name = 'LexiconError';
}

/** The lexemes that start with one word, longest first, each as its words. */
type Candidates = readonly { readonly words: readonly string[]; readonly id: number }[];

/**
 * A closed word-level vocabulary: the special tokens, then the lexemes of an environment.
 *
 * A lexeme is a word with its punctuation, or a phrase of several words such as `move up`. Text is
 * split at single spaces and read from the left, always taking the longest lexeme that matches; a
 * word that starts no matching lexeme becomes `<unk>`. Ids follow the order in which the lexicon
 * first names each lexeme, so the same lexicon always gives the same ids.
 */
export class Tokenizer {
  /** (V) text of every token, by id. */
  readonly tokens: readonly string[];
  readonly pad = 0;
  readonly unk = 1;
  /** Comes before an observation. */
  readonly obs = 2;
  /** Comes before an action; the policy writes what follows. */
  readonly act = 3;
  /** Ends an action of several tokens. */
  readonly end = 4;

  readonly #byFirstWord: ReadonlyMap<string, Candidates>;

  /** @throws {LexiconError} for a lexeme that is empty, has stray spaces or is a special token. */
  constructor(lexicon: readonly string[]) {
    const special: ReadonlySet<string> = new Set(specialTokens);
    for (const lexeme of lexicon) {
      if (lexeme.split(' ').some((word) => word === '')) {
        throw new LexiconError(
          `the lexeme ${JSON.stringify(lexeme)} must be words with single spaces between them`,
        );
      }
      if (special.has(lexeme)) throw new LexiconError(`the lexeme ${lexeme} is a special token`);
    }
    this.tokens = [...specialTokens, ...new Set(lexicon)];

    const byFirstWord = new Map<string, { words: readonly string[]; id: number }[]>();
    for (const [id, lexeme] of this.tokens.entries()) {
      if (id < specialTokens.length) continue;
      const words = lexeme.split(' ');
      const first = words[0] ?? '';
      const candidates = byFirstWord.get(first) ?? [];
      candidates.push({ words, id });
      byFirstWord.set(first, candidates);
    }
    for (const candidates of byFirstWord.values()) {
      candidates.sort((a, b) => b.words.length - a.words.length);
    }
    this.#byFirstWord = byFirstWord;
  }

  /** V, the number of tokens. */
  get size(): number {
    return this.tokens.length;
  }

  /** Token ids of a text. A special token's name in a text is read as an unknown word. */
  encode(text: string): number[] {
    const words = text === '' ? [] : text.split(' ');
    const ids: number[] = [];
    for (let i = 0; i < words.length; ) {
      const match = this.#byFirstWord
        .get(words[i] ?? '')
        ?.find((lexeme) => lexeme.words.every((word, k) => words[i + k] === word));
      ids.push(match?.id ?? this.unk);
      i += match?.words.length ?? 1;
    }
    return ids;
  }

  /**
   * Text of token ids, joined by single spaces.
   *
   * @throws {RangeError} for an id outside the vocabulary.
   */
  decode(ids: Iterable<number>): string {
    return Array.from(ids, (id) => {
      const text = this.tokens[id];
      if (text === undefined) {
        throw new RangeError(`token ${id} is not in a vocabulary of ${this.size}`);
      }
      return text;
    }).join(' ');
  }
}
