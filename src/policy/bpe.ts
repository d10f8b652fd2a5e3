/** A byte-pair tokenizer, by Hugging Face's library; loaded only where an agent has one. */
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { tokenizerLimits } from '../files/limits.ts';
import { type BpeRules, bpeJson, readBpeRules, readGrowth, type Step } from './bpe-rules.ts';
import { type DialogueFrame, ownFrame, type Tokenizer } from './tokenizer.ts';
import { TokenizerError } from './tokenizer-error.ts';

/**
 * A text is read as what follows a special token, because in a dialogue it does: the ids of a dialogue
 * are those of its whole text, special tokens included, with no token for the beginning in front. The
 * spaces around an action are not part of it: many vocabularies begin their words with one.
 */
export class BpeTokenizer implements Tokenizer {
  readonly tokens: readonly string[];
  readonly bpe: BpeRules;
  readonly pad: number;
  readonly unk: number;
  readonly obs: number;
  readonly act: number;
  readonly end: number;
  readonly frame: DialogueFrame;
  readonly #library: Library;
  readonly #before: string;
  /** Characters of the longest text that is read at once. */
  readonly #longest: number;

  /**
   * @param bpe as `readBpeRules` has checked them against the vocabulary
   * @param frame of a dialogue, if it is not Palestra's own, from the encoding of its texts
   */
  constructor(
    vocabulary: readonly string[],
    bpe: BpeRules,
    frame?: (encode: (text: string) => readonly number[]) => DialogueFrame,
  ) {
    this.tokens = vocabulary;
    this.bpe = bpe;
    ({ pad: this.pad, unk: this.unk, obs: this.obs, act: this.act, end: this.end } = bpe.special);
    const pre_tokenizer = bpe.pre_tokenizer.flatMap((step) =>
      step.type === 'Metaspace' && step.split === true ? [step, splitBefore(step)] : [step],
    );
    // It takes what it is given for its own.
    const json = structuredClone(bpeJson(vocabulary, bpe));
    this.#library = new Library(
      { ...json, pre_tokenizer: { type: 'Sequence', pretokenizers: pre_tokenizer } },
      { clean_up_tokenization_spaces: false },
    );
    this.#before = vocabulary[this.obs] ?? '';
    this.#longest = Math.floor(tokenizerLimits.grownCharacters / readGrowth(bpe));
    this.frame = frame?.((text) => this.encode(text)) ?? ownFrame(this.obs, this.act, this.end);
  }

  get size(): number {
    return this.tokens.length;
  }

  /** @throws {TokenizerError} for a text that is longer than any that an agent reads */
  encode(text: string): number[] {
    if (text === '') return [];
    if (text.length > this.#longest) {
      throw new TokenizerError(
        `a text of ${text.length} characters is too long to be read; at most ${this.#longest} are`,
      );
    }
    const { ids } = this.#library.encode(this.#before + text, { add_special_tokens: false });
    return ids.slice(1);
  }

  decode(ids: readonly number[]): string {
    const unknown = ids.find((id) => this.tokens[id] === undefined);
    if (unknown !== undefined) {
      throw new RangeError(`token ${unknown} is not in a vocabulary of ${this.size}`);
    }
    return ids.length === 0 ? '' : this.#library.decode([...ids]).trim();
  }

  /**
   * The spaces that a token begins or ends with show as ␣; what is no whole character, or a byte, as
   * the vocabulary has it.
   */
  label(id: number): string {
    const token = this.tokens[id] ?? '';
    // Behind another token, because some decoders take the first space away.
    const text = this.#library.decode([this.obs, id]).slice(this.#before.length);
    if (text === '' || /[\p{Cc}\ufffd]/u.test(text) || /^<0x..>$/.test(token)) return token;
    return text.replace(/^ +| +$/g, (spaces) => '␣'.repeat(spaces.length));
  }
}

/** @throws {TokenizerError} */
export function openBpe(vocabulary: readonly string[], rules: unknown): BpeTokenizer {
  return new BpeTokenizer(vocabulary, readBpeRules(rules, vocabulary));
}

/** Cuts before every mark of a space, which the library's own step leaves to others. */
function splitBefore({ replacement }: Step): Step {
  const mark = `\\u{${String(replacement).codePointAt(0)?.toString(16)}}`;
  return {
    type: 'Split',
    pattern: { Regex: `${mark}[^${mark}]*|[^${mark}]+` },
    behavior: 'Removed',
    invert: true,
  };
}
