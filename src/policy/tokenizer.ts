import type { BpeRules } from './bpe-rules.ts';
import { TokenizerError } from './tokenizer-error.ts';

/** Special tokens, in the order of their ids in a word-level vocabulary, where they come first. */
export const specialTokens = ['<pad>', '<unk>', '<obs>', '<act>', '<end>'] as const;

/** Name of a special token. */
export type SpecialToken = (typeof specialTokens)[number];

/** Tokens around the observations and actions of a dialogue. */
export interface DialogueFrame {
  /** Before the first observation of the context. */
  readonly opening: readonly number[];
  /** Between a task that stays in the context and the next observation. */
  readonly afterTask: readonly number[];
  /** Before every other observation. */
  readonly observation: readonly number[];
  /** Before an action. */
  readonly action: readonly number[];
  /** Tokens that end an action; the first one is used for complete actions. */
  readonly ends: readonly number[];
  /** Appended to an action truncated by the token limit, before the next turn; may be empty. */
  readonly closing: readonly number[];
}

/** The frame of Palestra's own dialogues: `<obs> o… <act> a… <end>`. */
export function ownFrame(obs: number, act: number, end: number): DialogueFrame {
  return {
    opening: [obs],
    afterTask: [obs],
    observation: [obs],
    action: [act],
    ends: [end],
    closing: [],
  };
}

/** Converts between text and token ids. */
export interface Tokenizer {
  /** (V) text of every token, by id. Byte-pair tokens are spelled as in their vocabulary. */
  readonly tokens: readonly string[];
  /** V, the number of tokens. */
  readonly size: number;
  readonly pad: number;
  /** The unknown token. */
  readonly unk: number;
  /** Comes before an observation. */
  readonly obs: number;
  /** Comes before an action; the policy generates what follows. */
  readonly act: number;
  /** Ends an action of several tokens. */
  readonly end: number;
  readonly frame: DialogueFrame;
  /** Rules of a byte-pair tokenizer; null for a word-level one. */
  readonly bpe: BpeRules | null;
  /** Token ids of the text of an observation or an action. */
  encode(text: string): number[];
  /**
   * Text of token ids.
   *
   * @throws {RangeError} for an id outside the vocabulary.
   */
  decode(ids: readonly number[]): string;
  /** A readable, unique label of a token. */
  label(id: number): string;
}

/** A word or punctuation mark, and whether it follows the previous piece without a space. */
interface Piece {
  readonly text: string;
  readonly glued: boolean;
}

/** Punctuation at the end of a word, and at its start. */
const CLOSING = '.,:;!?)]}';
const OPENING = '([{';
const TAG = /(<\/?[a-z_]+>)/;

/**
 * Splits a text at spaces and separates tags such as `<search>` and punctuation at the edges of words, so
 * that `planks.` and `planks` share a piece.
 */
function cut(text: string): Piece[] {
  const pieces: Piece[] = [];
  if (text === '') return pieces;
  for (const [w, word] of text.split(' ').entries()) {
    let glued = w === 0;
    for (const part of TAG.test(word) ? word.split(TAG) : [word]) {
      if (part === '' && word !== '') continue;
      for (const piece of TAG.test(part) ? [part] : peel(part)) {
        pieces.push({ text: piece, glued });
        glued = true;
      }
    }
  }
  return pieces;
}

/** Splits a word into leading punctuation, the word itself, and trailing punctuation. */
function peel(word: string): string[] {
  let start = 0;
  let end = word.length;
  while (start < end - 1 && OPENING.includes(word.charAt(start))) start++;
  while (end > start + 1 && CLOSING.includes(word.charAt(end - 1))) end--;
  return [...word.slice(0, start), word.slice(start, end), ...word.slice(end)];
}

/** Whether there is no space before a lexeme (`closes`), or none after it (`opens`). */
const closes = (lexeme: string) => CLOSING.includes(lexeme) || /^<\/[a-z_]+>$/.test(lexeme);
const opens = (lexeme: string) => OPENING.includes(lexeme) || /^<[a-z_]+>$/.test(lexeme);

/** The lexemes that start with one piece, longest first. */
type Candidates = readonly { readonly pieces: readonly Piece[]; readonly id: number }[];

/**
 * A closed word-level vocabulary: the special tokens, then the lexemes of an environment.
 *
 * A lexeme is a word (`planks`, or `planks.` with its punctuation), a phrase of several words such
 * as `move up`, a punctuation mark, or a tag such as `</search>`. Text is read from the left,
 * always taking the longest matching lexeme; a word that starts no matching lexeme becomes `<unk>`.
 * If a punctuation mark is a separate lexeme, an unknown word with the mark is read as word and
 * mark. Ids follow the order in which the lexicon first names each lexeme, so the same lexicon
 * always gives the same ids.
 */
export class WordTokenizer implements Tokenizer {
  readonly tokens: readonly string[];
  readonly pad = 0;
  readonly unk = 1;
  readonly obs = 2;
  readonly act = 3;
  readonly end = 4;
  readonly frame = ownFrame(2, 3, 4);
  readonly bpe = null;

  readonly #byFirstPiece: ReadonlyMap<string, Candidates>;

  /** @throws {TokenizerError} for a lexeme that is empty, has stray spaces or is a special token. */
  constructor(lexicon: readonly string[]) {
    const special: ReadonlySet<string> = new Set(specialTokens);
    for (const lexeme of lexicon) {
      if (lexeme.split(' ').some((word) => word === '')) {
        throw new TokenizerError(
          `the lexeme ${JSON.stringify(lexeme)} must be words with single spaces between them`,
        );
      }
      if (special.has(lexeme)) throw new TokenizerError(`the lexeme ${lexeme} is a special token`);
    }
    this.tokens = [...specialTokens, ...new Set(lexicon)];

    const byFirstPiece = new Map<string, { pieces: readonly Piece[]; id: number }[]>();
    for (const [id, lexeme] of this.tokens.entries()) {
      if (id < specialTokens.length) continue;
      const pieces = cut(lexeme);
      const first = pieces[0]?.text ?? '';
      const candidates = byFirstPiece.get(first) ?? [];
      candidates.push({ pieces, id });
      byFirstPiece.set(first, candidates);
    }
    for (const candidates of byFirstPiece.values()) {
      candidates.sort((a, b) => b.pieces.length - a.pieces.length);
    }
    this.#byFirstPiece = byFirstPiece;
  }

  get size(): number {
    return this.tokens.length;
  }

  /** Token ids of a text. A special token's name in a text is read as an unknown word. */
  encode(text: string): number[] {
    const pieces = cut(text);
    const ids: number[] = [];
    for (let i = 0; i < pieces.length; ) {
      const match = this.#byFirstPiece
        .get(pieces[i]?.text ?? '')
        ?.find((lexeme) => lexeme.pieces.every((piece, k) => sameAt(pieces[i + k], piece, k)));
      if (match !== undefined) {
        ids.push(match.id);
        i += match.pieces.length;
        continue;
      }
      // A word with unknown punctuation counts as one unknown word.
      const before = ids.at(-1);
      if (!(pieces[i]?.glued === true && i > 0 && before === this.unk)) ids.push(this.unk);
      i++;
    }
    return ids;
  }

  /** Joins tokens with single spaces, except around punctuation. */
  decode(ids: readonly number[]): string {
    let text = '';
    let opened = true;
    for (const id of ids) {
      const lexeme = this.tokens[id];
      if (lexeme === undefined) {
        throw new RangeError(`token ${id} is not in a vocabulary of ${this.size}`);
      }
      const special = id < specialTokens.length;
      text += opened || (!special && closes(lexeme)) ? lexeme : ` ${lexeme}`;
      opened = !special && opens(lexeme);
    }
    return text;
  }

  label(id: number): string {
    return this.decode([id]);
  }
}

function sameAt(found: Piece | undefined, wanted: Piece, k: number): boolean {
  return found?.text === wanted.text && (k === 0 || found.glued === wanted.glued);
}
