/**
 * Rules of a byte-pair tokenizer: the parts of a Hugging Face `tokenizer.json`, besides the vocabulary,
 * that the project uses. `readBpeRules` checks everything from a file before the library receives it.
 */
import { z } from 'zod';
import { tokenizerLimits } from '../files/limits.ts';
import { firstFault, list, pathText } from '../files/schema.ts';
import { TokenizerError } from './tokenizer-error.ts';

const limits = tokenizerLimits;

/**
 * The regular expressions that pre-tokenizers may split at. An arbitrary one could take exponential
 * time, so only these linear ones are accepted.
 */
export const splitPatterns = {
  'GPT-2': "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  'Llama 3':
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  'Qwen 2':
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
} as const;
const knownPatterns: ReadonlySet<string> = new Set(Object.values(splitPatterns));

/** Name of the regular expression that a step splits at; undefined for other steps. */
export function splitName(step: Step | undefined): string | undefined {
  if (step?.type !== 'Split') return undefined;
  const { Regex: regex } = (step.pattern ?? {}) as { readonly Regex?: unknown };
  return Object.entries(splitPatterns).find(([, pattern]) => pattern === regex)?.[0];
}

const short = z.string().max(limits.stepCharacters);
const character = z.string().refine((text) => [...text].length === 1, 'must be one character');
/** A replacement text without dollar signs, which the library would interpret. */
const replacement = short.refine((text) => !text.includes('$'), 'must not contain $');
const literal = z.object({ String: short.min(1) });
const byteLevel = z.object({
  type: z.literal('ByteLevel'),
  add_prefix_space: z.boolean().default(true),
  trim_offsets: z.boolean().default(true),
  use_regex: z.boolean().default(true),
});
const metaspace = z
  .object({
    type: z.literal('Metaspace'),
    replacement: character.default('▁'),
    prepend_scheme: z.enum(['always', 'first', 'never']).optional(),
    // Predecessor of `prepend_scheme` in older files.
    add_prefix_space: z.boolean().optional(),
    split: z.boolean().default(true),
  })
  .transform(({ add_prefix_space, prepend_scheme, ...rest }) => ({
    ...rest,
    prepend_scheme: prepend_scheme ?? (add_prefix_space === false ? 'never' : 'always'),
  }));
const named = <T extends string>(type: T) => z.object({ type: z.literal(type) });
const replace = z.object({
  type: z.literal('Replace'),
  pattern: literal,
  content: replacement,
});

/** Schemas of the supported steps, by type. */
const steps = {
  normalizer: {
    NFC: named('NFC'),
    NFD: named('NFD'),
    NFKC: named('NFKC'),
    NFKD: named('NFKD'),
    Lowercase: named('Lowercase'),
    Prepend: z.object({ type: z.literal('Prepend'), prepend: short }),
    Replace: replace,
  },
  pre_tokenizer: {
    ByteLevel: byteLevel,
    Metaspace: metaspace,
    Digits: z.object({ type: z.literal('Digits'), individual_digits: z.boolean().default(false) }),
    Split: z.object({
      type: z.literal('Split'),
      pattern: z.object({
        Regex: z
          .string()
          .refine(
            (pattern) => knownPatterns.has(pattern),
            `must be that of ${listed(Object.keys(splitPatterns))}: others could take exponential time`,
          ),
      }),
      behavior: z.literal('Isolated'),
      invert: z.literal(false).default(false),
    }),
  },
  decoder: {
    ByteLevel: byteLevel,
    Metaspace: metaspace,
    ByteFallback: named('ByteFallback'),
    Fuse: named('Fuse'),
    Replace: replace,
    Strip: z.object({
      type: z.literal('Strip'),
      content: character,
      start: z.int().min(0).max(limits.stepCharacters),
      stop: z.int().min(0).max(limits.stepCharacters),
    }),
  },
} as const;
type Part = keyof typeof steps;
/** Field of a sequence's steps in `tokenizer.json`. */
const sequenceKeys = {
  normalizer: 'normalizers',
  pre_tokenizer: 'pretokenizers',
  decoder: 'decoders',
} as const;

/** One step of a tokenizer, with the fields that its type has. */
export interface Step {
  readonly type: string;
  readonly [field: string]: unknown;
}

const addedToken = z.object({
  id: z.int().min(0),
  content: z.string().min(1).max(limits.tokenCharacters),
  single_word: z.literal(false).default(false),
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
  normalized: z.boolean().default(false),
  special: z.boolean().default(false),
});
/** A token that is matched before the text is split. */
export type AddedToken = z.output<typeof addedToken>;

const id = z.int().min(0);
const fields = z.object({
  merges: list(z.unknown(), { max: limits.merges }),
  added_tokens: list(addedToken, { max: limits.added }).default([]),
  normalizer: z.unknown().optional(),
  pre_tokenizer: z.unknown().optional(),
  decoder: z.unknown().optional(),
  unk_token: z.string().nullish(),
  fuse_unk: z.boolean().default(false),
  byte_fallback: z.boolean().default(false),
  ignore_merges: z.boolean().default(false),
  special: z.object({ pad: id, unk: id, obs: id, act: id, end: id }),
});

export interface BpeRules {
  /** Pairs of tokens to merge, in order of priority. */
  readonly merges: readonly (readonly [string, string])[];
  readonly added_tokens: readonly AddedToken[];
  /** In order; empty if the file has null. */
  readonly normalizer: readonly Step[];
  readonly pre_tokenizer: readonly Step[];
  readonly decoder: readonly Step[];
  /** The model's token for unknown characters; null if it drops them. */
  readonly unk_token: string | null;
  readonly fuse_unk: boolean;
  readonly byte_fallback: boolean;
  readonly ignore_merges: boolean;
  /** Ids of the tokens that a dialogue needs. */
  readonly special: Readonly<Record<'pad' | 'unk' | 'obs' | 'act' | 'end', number>>;
}

/**
 * Checks the rules of a byte-pair tokenizer from a file: sizes, that merges and special tokens are in the
 * vocabulary, and that each step has a supported type and cannot hang.
 *
 * @param data the fields of `BpeRules`; normalizer, pre-tokenizer and decoder may also have the form of
 *   `tokenizer.json`, and a merge may be one text with a space
 * @param vocabulary (V) the text of every token by id
 * @throws {TokenizerError}
 */
export function readBpeRules(data: unknown, vocabulary: readonly string[]): BpeRules {
  const { merges, unk_token = null, ...rest } = parse(fields, data, 'its byte-pair rules');
  if (vocabulary.length > limits.tokens) {
    throw new TokenizerError(`it has ${vocabulary.length} tokens; the limit is ${limits.tokens}`);
  }
  const long = vocabulary.findIndex(
    (token) => token.length > limits.tokenCharacters || token === '',
  );
  if (long !== -1) {
    throw new TokenizerError(`token ${long} must have 1 to ${limits.tokenCharacters} characters`);
  }
  const known = new Set(vocabulary);
  if (unk_token !== null && !known.has(unk_token)) {
    throw new TokenizerError(`its unknown token ${shown(unk_token)} is not in the vocabulary`);
  }
  const names = new Set<string>();
  for (const { id, content } of rest.added_tokens) {
    if (vocabulary[id] !== content || names.has(content)) {
      throw new TokenizerError(
        `its added token ${shown(content)} is not token ${id} of the vocabulary`,
      );
    }
    names.add(content);
  }
  for (const [role, id] of Object.entries(rest.special)) {
    const name = vocabulary[id];
    if (name === undefined || !names.has(name)) {
      throw new TokenizerError(`token ${id}, its ${role} token, is not among its added tokens`);
    }
  }
  if (rest.special.obs === rest.special.act) {
    throw new TokenizerError('observations and actions must start with separate tokens');
  }
  const rules = {
    ...rest,
    unk_token,
    merges: merges.map((merge, rank) => readMerge(merge, rank, known)),
    normalizer: readSteps('normalizer', rest.normalizer),
    pre_tokenizer: readSteps('pre_tokenizer', rest.pre_tokenizer),
    decoder: readSteps('decoder', rest.decoder),
  };
  for (const growth of [readGrowth(rules), growthOf(rules.decoder)]) {
    if (growth <= limits.growth) continue;
    throw new TokenizerError(
      `its steps could make a text ${growth} times as long; the limit is ${limits.growth} times`,
    );
  }
  return rules;
}

/** Maximum factor by which normalizer and pre-tokenizer together can lengthen a text. */
export function readGrowth({
  normalizer,
  pre_tokenizer,
}: Pick<BpeRules, 'normalizer' | 'pre_tokenizer'>): number {
  return growthOf([...normalizer, ...pre_tokenizer]);
}

/**
 * Maximum number of UTF-16 code units into which the steps can turn one: the product over all steps.
 * A step that prepends something to each piece can do so at most once per code unit.
 */
function growthOf(all: readonly Step[]): number {
  return all.reduce((growth, step) => growth * growthOfStep(step), 1);
}

function growthOfStep(step: Step): number {
  switch (step.type) {
    // Maximum expansion factors: https://unicode.org/faq/normalization.html#12.
    case 'NFC':
      return 3;
    case 'NFD':
      return 4;
    case 'NFKC':
    case 'NFKD':
      return 18;
    case 'Lowercase':
      return 3;
    case 'Prepend':
      return 1 + String(step.prepend).length;
    case 'Replace': {
      const { pattern, content } = replace.parse(step);
      return Math.max(1, Math.ceil(content.length / pattern.String.length));
    }
    case 'Metaspace':
      return 1 + String(step.replacement).length;
    case 'ByteLevel':
      // A UTF-16 code unit takes up to three bytes in UTF-8, each of which becomes a character. A
      // prefix space is counted as another code unit.
      return step.add_prefix_space === true ? 6 : 3;
    default:
      return 1;
  }
}

function readMerge(merge: unknown, rank: number, known: ReadonlySet<string>): [string, string] {
  const parts: readonly unknown[] = typeof merge === 'string' ? merge.split(' ') : asArray(merge);
  const [left, right] = parts;
  if (parts.length !== 2 || typeof left !== 'string' || typeof right !== 'string') {
    throw new TokenizerError(`merge ${rank} must name two tokens, got ${shown(merge)}`);
  }
  for (const token of [left, right, left + right]) {
    if (!known.has(token)) {
      throw new TokenizerError(
        `merge ${rank} needs the token ${shown(token)}, which is not in the vocabulary`,
      );
    }
  }
  return [left, right];
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The steps of a part: none, one, or a sequence. */
function readSteps(part: Part, value: unknown): Step[] {
  if (value === null || value === undefined) return [];
  const sequence = z.object({ type: z.literal('Sequence'), [sequenceKeys[part]]: z.unknown() });
  const parsed = sequence.safeParse(value);
  const list = parsed.success ? parsed.data[sequenceKeys[part]] : value;
  const all = Array.isArray(list) ? list : [list];
  if (all.length > limits.steps) {
    throw new TokenizerError(`its ${part} has ${all.length} steps; the limit is ${limits.steps}`);
  }
  return all.map((step) => readStep(part, step));
}

function readStep(part: Part, value: unknown): Step {
  const schemas: Readonly<Record<string, z.ZodType<Step>>> = steps[part];
  const { type } = parse(z.object({ type: z.string() }), value, `its ${part}`);
  const schema = Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (schema === undefined) {
    throw new TokenizerError(
      `its ${part} has the type ${shown(type)}; supported types: ${listed(Object.keys(schemas))}`,
    );
  }
  return parse(schema, value, `its ${part} ${type}`);
}

function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = firstFault(parsed.error);
  const where = path.length === 0 ? '' : `, ${pathText(path)}`;
  throw new TokenizerError(`in ${what}${where}: ${message}`);
}

/** The `tokenizer.json` of a vocabulary and its rules, without a post-processor. */
export function bpeJson(
  vocabulary: readonly string[],
  { merges, added_tokens, normalizer, pre_tokenizer, decoder, special: _, ...model }: BpeRules,
): Readonly<Record<string, unknown>> {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens,
    normalizer: written('normalizer', normalizer),
    pre_tokenizer: written('pre_tokenizer', pre_tokenizer),
    post_processor: null,
    decoder: written('decoder', decoder),
    model: {
      type: 'BPE',
      dropout: null,
      ...model,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
      merges,
    },
  };
}

function written(part: Part, all: readonly Step[]): unknown {
  if (all.length <= 1) return all[0] ?? null;
  return { type: 'Sequence', [sequenceKeys[part]]: all };
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
