/**
 * Reads and writes the `tokenizer.json` of Hugging Face tokenizers. A closed vocabulary is written as a
 * word-level model with a pre-tokenizer that splits a text into the lexemes of `WordTokenizer`.
 */
import { z } from 'zod';
import { jsonLimits, tokenizerLimits } from '../files/limits.ts';
import { list } from '../files/schema.ts';
import type { BpeRules } from '../policy/bpe-rules.ts';
import { specialTokens } from '../policy/tokenizer.ts';
import { rulesOf } from './agent.ts';
import { AgentFileError, agentJson } from './errors.ts';

/** @param vocabulary (V) the text of every token by id, including special tokens */
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
      // Spaces do not match the pattern and are removed.
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
/** A lexeme ends before closing punctuation, a space, a tag or the end. */
const BOUNDARY = `(?=[.,:;!?)\\]}]*(?: |${TAG}|(?![\\s\\S])))`;
/** Opening punctuation, a tag, or the shortest run up to a boundary. */
const PIECE = `(?:[(\\[{](?=[^ ])|${TAG}|[^ ]+?${BOUNDARY})`;

/**
 * One pattern for all lexemes, longest first, with unknown pieces of words as fallback.
 */
function lexemePattern(lexemes: readonly string[]): string {
  const alternatives = lexemes
    .toSorted((a, b) => b.length - a.length)
    .map((lexeme) => escaped(lexeme) + (endsAnywhere(lexeme) ? '' : BOUNDARY));
  const known = `(?:${alternatives.join('|')})`;
  return `${known}|${PIECE}(?:(?!${known})${PIECE})*`;
}

/** The rest of a word may follow a tag or opening punctuation directly. */
function endsAnywhere(lexeme: string): boolean {
  return /<\/?[a-z_]+>$/.test(lexeme) || /(?:^| |>)[([{]+$/.test(lexeme);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** `tokenizer_config.json`: special tokens and chat template. */
export function tokenizerConfig(
  vocabulary: readonly string[],
  bpe: BpeRules | null,
  contextLength: number,
  endsActions: boolean,
) {
  const { pad, unk, obs, act, end } = specialIds(bpe);
  const named = (id: number) => vocabulary[id] ?? '';
  // Words are separated by spaces; byte-pair tokens contain theirs.
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

/** Ids of the dialogue's special tokens. */
export function specialIds(bpe: BpeRules | null): BpeRules['special'] {
  return bpe?.special ?? { pad: 0, unk: 1, obs: 2, act: 3, end: 4 };
}

/** The tokenizer of an imported Llama checkpoint. */
export interface ReadTokenizer {
  /** (V) the text of every token by id. */
  readonly vocabulary: readonly string[];
  readonly bpe: BpeRules | null;
  /** Tokens appended to the files' vocabulary. */
  readonly added: readonly string[];
}

/** Special tokens named by the files of a Llama checkpoint. */
export interface SpecialTokenHints {
  /** From `tokenizer_config.json`. */
  readonly names: Readonly<Partial<Record<'pad' | 'unk' | 'end', string>>>;
  /** From `config.json`. */
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
 * @param rows vocabulary size of the network; ids without a token are named `<unused_ID>`
 * @throws {AgentFileError} for a tokenizer that is neither word-level nor BPE, has unsupported parts, or
 *   does not match the network
 */
export function readTokenizerJson(
  bytes: Uint8Array,
  rows: number,
  hints: SpecialTokenHints,
): ReadTokenizer {
  const file = readFile(bytes);
  const type = typeOf(file);
  if (type === 'WordLevel') {
    return { vocabulary: readWords(file.model.vocab), bpe: null, added: [] };
  }
  if (type === 'BPE') return readBpe(file, rows, hints);
  throw unreadType(type, 'supported types: WordLevel, BPE');
}

function readFile(bytes: Uint8Array): TokenizerFile {
  const parsed = tokenizerFile.safeParse(agentJson('tokenizer.json', bytes, jsonLimits.tokenizer));
  if (!parsed.success) throw new AgentFileError('tokenizer.json contains no model');
  return parsed.data;
}

/** Old files omit the type. */
function typeOf({ model }: TokenizerFile): string {
  return model.type ?? (model.merges === undefined ? 'WordLevel' : 'BPE');
}

function unreadType(type: string, known: string): AgentFileError {
  return new AgentFileError(
    `its tokenizer has the type ${JSON.stringify(type.slice(0, 60))}; ${known}`,
  );
}

/**
 * The byte-pair tokenizer of a model that is used with its chat template. No tokens are added.
 *
 * @param rows number of rows of the embedding; added tokens with larger ids are ignored
 * @param names special tokens named in `tokenizer_config.json`
 * @throws {AgentFileError} for another kind of tokenizer, or unsupported parts
 */
export function readChatTokenizer(
  bytes: Uint8Array,
  rows: number,
  names: Readonly<Record<'pad' | 'unk' | 'end', string | undefined>>,
): { readonly vocabulary: readonly string[]; readonly rules: BpeRules } {
  const read = readFile(bytes);
  if (typeOf(read) !== 'BPE') throw unreadType(typeOf(read), 'a pretrained model needs BPE');
  const added_tokens = (read.added_tokens ?? []).filter(({ id }) => id < rows);
  const file = { ...read, added_tokens, pre_tokenizer: withoutIdleSplit(read) };
  checkPlain(file);
  const { vocabulary, ids } = rowTexts(file, rows);
  const listed = added_tokens.filter(({ special }) => special === true).map(({ id }) => id);
  const named = (name: string | undefined) => {
    const id = name === undefined ? undefined : ids.get(name);
    return id !== undefined && listed.includes(id) ? id : undefined;
  };
  const [first] = listed;
  const end = named(names.end) ?? first;
  // BpeTokenizer encodes each text after a special token. Any will do, because the template
  // contains the real ones.
  const other = listed.find((id) => id !== end);
  if (end === undefined || other === undefined) {
    throw new AgentFileError('tokenizer.json has fewer than two special tokens');
  }
  const pad = named(names.pad) ?? end;
  const special = { pad, unk: named(names.unk) ?? pad, obs: end, act: other, end };
  const rules = rulesOf({ ...file, ...file.model, special }, vocabulary);
  if (rules === null) throw new RangeError('no rules');
  return { vocabulary, rules };
}

const idleSplit = z.object({
  type: z.literal('Split'),
  pattern: z.object({ String: z.literal(' ') }),
  behavior: z.literal('MergedWithPrevious'),
});
const replacesSpaces = z.object({
  type: z.literal('Replace'),
  pattern: z.object({ String: z.literal(' ') }),
});

/** Drops Gemma's split at spaces, which has no effect: its normalizer replaces all spaces. */
function withoutIdleSplit({ normalizer, pre_tokenizer }: TokenizerFile): unknown {
  const idle = idleSplit.safeParse(pre_tokenizer).success;
  return idle && replacesSpaces.safeParse(normalizer).success ? null : pre_tokenizer;
}

/** Pairs of token and id. */
function readVocabulary(vocab: unknown): readonly (readonly [string, number])[] {
  const pairs: (readonly [string, number])[] = [];
  for (const [token, id] of Object.entries(vocab ?? {})) {
    if (!Number.isSafeInteger(id) || id < 0) {
      throw new AgentFileError(
        `the vocabulary in tokenizer.json has no valid id for ${JSON.stringify(token.slice(0, 60))}`,
      );
    }
    pairs.push([token, id]);
  }
  const most = tokenizerLimits.tokens;
  if (pairs.length === 0 || pairs.length > most) {
    throw new AgentFileError(
      `the vocabulary in tokenizer.json must have 1 to ${most} tokens, got ${pairs.length}`,
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
        `the ids in tokenizer.json must be 0 to ${tokens.length - 1}, each once: ${JSON.stringify(token.slice(0, 60))} has ${id}`,
      );
    }
    tokens[id] = token;
  }
  return tokens.filter((token) => token !== undefined);
}

/** Default names of missing special tokens. */
const specialNames = { pad: '<pad>', unk: '<unk>', obs: '<obs>', act: '<act>', end: '<end>' };

/** @throws {AgentFileError} for unsupported options of a BPE model */
function checkPlain({ model }: TokenizerFile): void {
  for (const name of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix'] as const) {
    if (!model[name]) continue;
    throw new AgentFileError(
      `its tokenizer has ${name} ${JSON.stringify(model[name]).slice(0, 60)}, which is not supported`,
    );
  }
}

/** The text of every row, and the ids of rows with a token. */
function rowTexts({ model, added_tokens: given }: TokenizerFile, rows: number) {
  const vocabulary = new Array<string | undefined>(rows).fill(undefined);
  const pairs = readVocabulary(model.vocab);
  for (const [token, id] of [
    ...pairs,
    ...(given ?? []).map(({ content, id }) => [content, id] as const),
  ]) {
    if (id >= rows || (vocabulary[id] ?? token) !== token) {
      throw new AgentFileError(
        id >= rows
          ? `its tokenizer gives ${JSON.stringify(token.slice(0, 60))} the id ${id}, but its network has ${rows} tokens`
          : `its tokenizer has two tokens with the id ${id}`,
      );
    }
    vocabulary[id] = token;
  }
  const ids = new Map(
    vocabulary.flatMap((token, id) => (token === undefined ? [] : [[token, id]])),
  );
  const tokens = vocabulary.map((token, id) => token ?? `<unused_${id}>`);
  return { vocabulary: tokens, ids };
}

function readBpe(file: TokenizerFile, rows: number, hints: SpecialTokenHints): ReadTokenizer {
  const { model, added_tokens: given } = file;
  checkPlain(file);
  const { vocabulary: tokens, ids } = rowTexts(file, rows);
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
