/** A byte-pair tokenizer based on Hugging Face's library; loaded only for agents that have one. */
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { tokenizerLimits } from '../files/limits.ts';
import {
  type BpeRules,
  bpeJson,
  readBpeRules,
  readGrowth,
  type Step,
  splitPatterns,
} from './bpe-rules.ts';
import { type DialogueFrame, ownFrame, type Tokenizer } from './tokenizer.ts';
import { TokenizerError } from './tokenizer-error.ts';

/**
 * Encodes each text as it would be encoded after a special token, as in a dialogue. The ids of a
 * dialogue's parts therefore equal those of its whole text, without a beginning-of-sequence token.
 * Leading and trailing spaces are not part of an action, because many vocabularies start words with
 * a space.
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
  /** Maximum length of a text in characters. */
  readonly #longest: number;

  /**
   * @param bpe rules checked against the vocabulary by `readBpeRules`
   * @param frame builds a dialogue frame other than Palestra's own; receives the text encoder
   */
  constructor(
    vocabulary: readonly string[],
    bpe: BpeRules,
    frame?: (encode: (text: string) => readonly number[]) => DialogueFrame,
  ) {
    this.tokens = vocabulary;
    this.bpe = bpe;
    ({ pad: this.pad, unk: this.unk, obs: this.obs, act: this.act, end: this.end } = bpe.special);
    const pre_tokenizer = bpe.pre_tokenizer.flatMap(asInRust);
    // The library modifies its argument.
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

  /** @throws {TokenizerError} for a text above the length limit */
  encode(text: string): number[] {
    if (text === '') return [];
    if (text.length > this.#longest) {
      throw new TokenizerError(
        `a text of ${text.length} characters is too long to be read; the limit is ${this.#longest}`,
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
   * Leading and trailing spaces are shown as ␣; bytes and incomplete characters as the vocabulary spells
   * them.
   */
  label(id: number): string {
    const token = this.tokens[id] ?? '';
    // Decode after another token, because some decoders strip the first space.
    const text = this.#library.decode([this.obs, id]).slice(this.#before.length);
    if (text === '' || /[\p{Cc}\ufffd]/u.test(text) || /^<0x..>$/.test(token)) return token;
    return text.replace(/^ +| +$/g, (spaces) => '␣'.repeat(spaces.length));
  }
}

/** @throws {TokenizerError} */
export function openBpe(vocabulary: readonly string[], rules: unknown): BpeTokenizer {
  return new BpeTokenizer(vocabulary, readBpeRules(rules, vocabulary));
}

/**
 * Rewrites a step so that the library behaves like Hugging Face's Rust tokenizers. The
 * library's `Metaspace` does not split; its `Digits` matches only ASCII digits, not all of
 * Unicode's category N; its `ByteLevel` uses JavaScript's `\s`, which includes U+FEFF but not
 * U+0085.
 */
function asInRust(step: Step): readonly Step[] {
  const split = (Regex: string, removed = false): Step => ({
    ...{ type: 'Split', pattern: { Regex } },
    ...(removed ? { behavior: 'Removed', invert: true } : { behavior: 'Isolated', invert: false }),
  });
  if (step.type === 'Metaspace' && step.split === true) {
    const mark = `\\u{${String(step.replacement).codePointAt(0)?.toString(16)}}`;
    return [step, split(`${mark}[^${mark}]*|[^${mark}]+`, true)];
  }
  if (step.type === 'Digits') return [split(step.individual_digits ? '\\p{N}' : '\\p{N}+')];
  return step.type === 'ByteLevel' && step.use_regex && !step.add_prefix_space
    ? [split(splitPatterns['GPT-2']), { ...step, use_regex: false }]
    : [step];
}
