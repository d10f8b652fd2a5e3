/**
 * The `tokenizer.json` of Hugging Face's tokenizers. A word-level vocabulary is written as a model
 * behind a pre-tokenizer that cuts a text into the same lexemes as `WordTokenizer` does.
 */
import { z } from 'zod';
import { jsonLimits, tokenizerLimits } from '../files/limits.ts';
import { list } from '../files/schema.ts';
import type { BpeRules } from '../policy/bpe-rules.ts';
import { specialTokens } from '../policy/tokenizer.ts';
import { rulesOf } from './agent.ts';
import { AgentFileError, agentJson } from './errors.ts';

/** @param vocabulary (V) the text of every token by id, the special ones included */
export function wordsJson(vocabulary: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: 'Split',
      pattern: { Regex: lexemePattern(vocabulary.slice(specialTokens.length)) },
      // What the pattern does not match, the spaces, is removed.
      behavior: 'Removed',
      invert: true,
    },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      unk_token: '<unk>',
    },
  };
}

const TAG = '</?[a-z_]+>';
/** Where a lexeme may end: before closing marks that end a word, before a space, a tag or the end. */
const BOUNDARY = `(?=[.,:;!?)\\]}]*(?: |${TAG}|(?![\\s\\S])))`;
/** An opening mark at the start of a word, a tag, or the shortest run up to a boundary. */
const PIECE = `(?:[(\\[{](?=[^ ])|${TAG}|[^ ]+?${BOUNDARY})`;

/**
 * One pattern for all lexemes, the longest first; and, where none matches, a word of unknown pieces.
 */
function lexemePattern(lexemes: readonly string[]): string {
  const alternatives = lexemes
    .toSorted((a, b) => b.length - a.length)
    .map((lexeme) => escaped(lexeme) + (endsAnywhere(lexeme) ? '' : BOUNDARY));
  const known = `(?:${alternatives.join('|')})`;
  return `${known}|${PIECE}(?:(?!${known})${PIECE})*`;
}

/** A tag, or an opening mark by itself, may have more of the same word behind it. */
function endsAnywhere(lexeme: string): boolean {
  return /<\/?[a-z_]+>$/.test(lexeme) || /(?:^| |>)[([{]+$/.test(lexeme);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** `tokenizer_config.json`: which tokens are special, and how turns follow one another. */
export function tokenizerConfig(
  vocabulary: readonly string[],
  bpe: BpeRules | null,
  contextLength: number,
  endsActions: boolean,
) {
  const { pad, unk, obs, act, end } = specialIds(bpe);
  const named = (id: number) => vocabulary[id] ?? '';
  // Between words there is a space; byte pairs have theirs in the words.
  const space = bpe === null ? ' ' : '';
  const observation = `${named(obs)}${space}{{ content }}${space}`;
  const action = `${named(act)}${space}{{ content }}${endsActions ? space + named(end) : ''}${space}`;
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: named(pad),
    unk_token: named(unk),
    eos_token: named(end),
    model_max_length: contextLength,
    model_input_names: ['input_ids', 'attention_mask'],
    clean_up_tokenization_spaces: false,
    chat_template: `{% for message in messages %}{% set content = message['content'] %}{% if message['role'] == 'user' %}${observation}{% else %}${action}{% endif %}{% endfor %}{% if add_generation_prompt %}${named(act)}{% endif %}`,
  };
}

/** Ids of the tokens that a dialogue needs. */
export function specialIds(bpe: BpeRules | null): BpeRules['special'] {
  return bpe?.special ?? { pad: 0, unk: 1, obs: 2, act: 3, end: 4 };
}

/** What an agent reads and writes with, from the files of a Llama checkpoint. */
export interface ReadTokenizer {
  /** (V) the text of every token by id. */
  readonly vocabulary: readonly string[];
  readonly bpe: BpeRules | null;
  /** Tokens at the end of the vocabulary that the files do not have. */
  readonly added: readonly string[];
}

/** What the files of a Llama checkpoint say of its special tokens. */
export interface SpecialTokenHints {
  /** Of `tokenizer_config.json`, where there is one. */
  readonly names: Readonly<Partial<Record<'pad' | 'unk' | 'end', string>>>;
  /** Of `config.json`. */
  readonly ids: Readonly<Partial<Record<'pad' | 'end', number>>>;
}

const tokenizerFile = z.looseObject({
  model: z.looseObject({
    type: z.string().optional(),
    vocab: z.unknown().optional(),
    merges: z.unknown().optional(),
    dropout: z.number().nullish(),
    continuing_subword_prefix: z.string().nullish(),
    end_of_word_suffix: z.string().nullish(),
  }),
  added_tokens: list(z.looseObject({ id: z.int().min(0), content: z.string() }), {
    max: tokenizerLimits.added,
  }).nullish(),
});
type TokenizerFile = z.output<typeof tokenizerFile>;

/**
 * @param rows tokens that the network knows; those that the tokenizer has no text for are named
 *   `<unused_ID>`
 * @throws {AgentFileError} for a tokenizer that is neither word-level nor of byte pairs, whose parts
 *   cannot be read, or that has other tokens than the network.
 */
export function readTokenizerJson(
  bytes: Uint8Array,
  rows: number,
  hints: SpecialTokenHints,
): ReadTokenizer {
  const parsed = tokenizerFile.safeParse(agentJson('tokenizer.json', bytes, jsonLimits.tokenizer));
  if (!parsed.success) throw new AgentFileError('tokenizer.json describes no model');
  const { model } = parsed.data;
  // The oldest files do not say it.
  const type = model.type ?? (model.merges === undefined ? 'WordLevel' : 'BPE');
  if (type === 'WordLevel') return { vocabulary: readWords(model.vocab), bpe: null, added: [] };
  if (type === 'BPE') return readBpe(parsed.data, rows, hints);
  throw new AgentFileError(
    `its tokenizer is of the type ${JSON.stringify(type.slice(0, 60))}, and those read are WordLevel and BPE`,
  );
}

/** Each token with its id. */
function readVocabulary(vocab: unknown): readonly (readonly [string, number])[] {
  const pairs: (readonly [string, number])[] = [];
  for (const [token, id] of Object.entries(vocab ?? {})) {
    if (!Number.isSafeInteger(id) || id < 0) {
      throw new AgentFileError(
        `the vocabulary in tokenizer.json does not give each token a number, such as ${JSON.stringify(token.slice(0, 60))}`,
      );
    }
    pairs.push([token, id]);
  }
  const most = tokenizerLimits.tokens;
  if (pairs.length === 0 || pairs.length > most) {
    throw new AgentFileError(
      `the vocabulary in tokenizer.json has ${pairs.length} tokens, and 1 to ${most} are read`,
    );
  }
  return pairs;
}

function readWords(vocab: unknown): readonly string[] {
  const pairs = readVocabulary(vocab);
  const tokens = new Array<string | undefined>(pairs.length).fill(undefined);
  for (const [token, id] of pairs) {
    if (id >= tokens.length || tokens[id] !== undefined) {
      throw new AgentFileError(
        `the ids in tokenizer.json are not 0 to ${tokens.length - 1}, each once: ${JSON.stringify(token.slice(0, 60))} has ${id}`,
      );
    }
    tokens[id] = token;
  }
  return tokens.filter((token) => token !== undefined);
}

/** The names that missing special tokens get. */
const specialNames = { pad: '<pad>', unk: '<unk>', obs: '<obs>', act: '<act>', end: '<end>' };

function readBpe(file: TokenizerFile, rows: number, hints: SpecialTokenHints): ReadTokenizer {
  const { model, added_tokens: given } = file;
  for (const name of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix'] as const) {
    if (!model[name]) continue;
    throw new AgentFileError(
      `of its tokenizer, ${name} is ${JSON.stringify(model[name]).slice(0, 60)}, and only tokenizers without are read`,
    );
  }
  const vocabulary = new Array<string | undefined>(rows).fill(undefined);
  const pairs = readVocabulary(model.vocab);
  for (const [token, id] of [
    ...pairs,
    ...(given ?? []).map(({ content, id }) => [content, id] as const),
  ]) {
    if (id >= rows || (vocabulary[id] ?? token) !== token) {
      throw new AgentFileError(
        id >= rows
          ? `its tokenizer gives ${JSON.stringify(token.slice(0, 60))} the id ${id}, and its network has ${rows} tokens`
          : `its tokenizer has two tokens with the id ${id}`,
      );
    }
    vocabulary[id] = token;
  }
  const ids = new Map(
    vocabulary.flatMap((token, id) => (token === undefined ? [] : [[token, id]])),
  );
  const tokens = vocabulary.map((token, id) => token ?? `<unused_${id}>`);

  const added: string[] = [];
  const find = (role: keyof typeof specialNames, hinted: number | undefined): number => {
    const name = specialNames[role];
    const known = hinted ?? ids.get(name);
    if (known !== undefined && known < rows) return known;
    added.push(name);
    return rows + added.length - 1;
  };
  const named = (name: unknown) => (typeof name === 'string' ? ids.get(name) : undefined);
  const special = {
    pad: find('pad', named(hints.names.pad) ?? hints.ids.pad),
    unk: find('unk', named(hints.names.unk) ?? named(model.unk_token)),
    obs: find('obs', undefined),
    act: find('act', undefined),
    end: find('end', named(hints.names.end) ?? hints.ids.end),
  };
  const all = [...tokens, ...added];
  const listed = new Set((given ?? []).map(({ id }) => id));
  const more = [...new Set(Object.values(special))].filter((id) => !listed.has(id));
  const rules = {
    ...file,
    ...model,
    added_tokens: [
      ...(given ?? []),
      ...more
        .toSorted((a, b) => a - b)
        .map((id) => ({ id, content: all[id], special: true, normalized: false })),
    ],
    special,
  };
  return { vocabulary: all, bpe: rulesOf(rules, all), added };
}
