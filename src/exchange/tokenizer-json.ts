/**
 * The vocabulary as the `tokenizer.json` of Hugging Face's tokenizers: a word-level model behind a
 * pre-tokenizer that cuts a text into the same lexemes as `Tokenizer` does.
 */
import { z } from 'zod';
import { specialTokens } from '../policy/tokenizer.ts';
import { AgentFileError, readJson } from './errors.ts';

/** @param vocabulary (V) the text of every token by id, the special ones included */
export function tokenizerJson(vocabulary: readonly string[]): Readonly<Record<string, unknown>> {
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
export function tokenizerConfig(contextLength: number, endsActions: boolean) {
  const assistant = endsActions ? '<act> {{ content }} <end>' : '<act> {{ content }}';
  return {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '<pad>',
    unk_token: '<unk>',
    eos_token: '<end>',
    model_max_length: contextLength,
    model_input_names: ['input_ids', 'attention_mask'],
    clean_up_tokenization_spaces: false,
    chat_template: `{% for message in messages %}{% set content = message['content'] %}{% if message['role'] == 'user' %}<obs> {{ content }} {% else %}${assistant} {% endif %}{% endfor %}{% if add_generation_prompt %}<act>{% endif %}`,
  };
}

const tokenizerFile = z.object({
  model: z.object({ type: z.string(), vocab: z.unknown().optional() }),
});

/**
 * (V) the text of every token by id.
 *
 * @throws {AgentFileError} for a tokenizer that is not word-level, or whose ids have gaps.
 */
export function readTokenizerJson(bytes: Uint8Array): readonly string[] {
  const parsed = tokenizerFile.safeParse(readJson('tokenizer.json', bytes));
  if (!parsed.success) throw new AgentFileError('tokenizer.json describes no model');
  const { type, vocab } = parsed.data.model;
  if (type !== 'WordLevel') {
    throw new AgentFileError(
      `its tokenizer is of the type ${JSON.stringify(type)}, and an agent here reads and writes whole words: it takes a WordLevel vocabulary that begins with ${specialTokens.join(', ')}`,
    );
  }
  const pairs = z
    .array(z.tuple([z.string(), z.int().min(0)]))
    .safeParse(Object.entries(vocab ?? {}));
  if (!pairs.success || pairs.data.length === 0) {
    throw new AgentFileError('the vocabulary in tokenizer.json does not give each token a number');
  }
  const tokens = new Array<string | undefined>(pairs.data.length).fill(undefined);
  for (const [token, id] of pairs.data) {
    if (id >= tokens.length || tokens[id] !== undefined) {
      throw new AgentFileError(
        `the ids in tokenizer.json are not 0 to ${tokens.length - 1}, each once: ${JSON.stringify(token)} has ${id}`,
      );
    }
    tokens[id] = token;
  }
  return tokens.filter((token) => token !== undefined);
}
