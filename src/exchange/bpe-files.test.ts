import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import { TokenizerError } from '../policy/tokenizer-error.ts';
import { leastProcessorMs } from '../testing/processor-time.ts';
import { AgentFileError } from './errors.ts';
import { readTokenizerJson } from './tokenizer-json.ts';

type Json = Readonly<Record<string, unknown>>;

/** The tokenizers of two checkpoints made by Hugging Face's libraries, and their vocabulary sizes. */
const [gpt2, llama2] = (['byte-level', 'llama-2'] as const).map((kind) => {
  const bytes = readFileSync(join(import.meta.dirname, `testing/elsewhere/${kind}.zip`));
  const files = unzipSync(new Uint8Array(bytes));
  const parse = (name: string): Json => JSON.parse(new TextDecoder().decode(files[name]));
  return { json: parse('tokenizer.json'), rows: Number(parse('config.json').vocab_size) };
}) as [File, File];
interface File {
  readonly json: Json;
  readonly rows: number;
}

const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const read = ({ json, rows }: File, hints: Parameters<typeof readTokenizerJson>[2] = none) =>
  readTokenizerJson(encoded(json), rows, hints);
const none = { names: {}, ids: {} };

/** A copy with the value at a path replaced. */
function changed(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): Json {
  if (key === undefined) return to as Json;
  const inner = (value as Record<string | number, unknown>)[key];
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = changed(inner, rest, to);
  return copy;
}

describe('a byte-pair vocabulary', () => {
  const byName = (file: File, hints: Parameters<typeof readTokenizerJson>[2] = none) => {
    const { vocabulary, bpe, added } = read(file, hints);
    const special = Object.entries(bpe?.special ?? {}).map(([role, id]) => [role, vocabulary[id]]);
    return { added, ...Object.fromEntries(special) };
  };

  it('uses the model’s special tokens if its files name them, else appends them', () => {
    const own = ['<pad>', '<unk>', '<obs>', '<act>', '<end>'];
    expect(byName(gpt2)).toMatchObject({ added: own, end: '<end>', pad: '<pad>' });
    const named = { names: { end: '<|end|>', pad: '<|end|>' }, ids: {} };
    expect(byName(gpt2, named)).toMatchObject({
      ...{ added: ['<unk>', '<obs>', '<act>'], pad: '<|end|>', unk: '<unk>', end: '<|end|>' },
    });
    expect(byName(llama2, { names: {}, ids: { end: 2 } })).toMatchObject({
      ...{ added: ['<pad>', '<obs>', '<act>'], unk: '<unk>', end: '</s>' },
    });
    // A name that no token has, or an id beyond the vocabulary, is ignored.
    expect(byName(llama2, { names: { end: '<eos>' }, ids: { end: 9999 } }).end).toBe('<end>');
  });

  it('names the rows without a token, and appends special tokens after them', () => {
    const { vocabulary, added } = read({ ...gpt2, rows: gpt2.rows + 2 });
    expect(vocabulary.slice(gpt2.rows)).toEqual([
      ...[`<unused_${gpt2.rows}>`, `<unused_${gpt2.rows + 1}>`],
      ...added,
    ]);
  });
});

/** A file with the steps of its normalizer replaced. */
const normalizing = (file: File, ...normalizers: readonly Json[]): File => ({
  ...file,
  json: changed(file.json, ['normalizer'], { type: 'Sequence', normalizers }),
});
const grow = (from: string, to: string): Json => ({
  ...{ type: 'Replace', pattern: { String: from }, content: to },
});

describe('a tokenizer whose steps lengthen a text', () => {
  it('is rejected on opening if each of sixteen steps doubles the text', () => {
    const doubling = Array.from({ length: 16 }, () => grow('a', 'aa'));
    const rejected = () =>
      expect(() => read(normalizing(gpt2, ...doubling))).toThrow(
        'its steps could make a text 196608 times as long; the limit is 256 times',
      );
    expect(leastProcessorMs(1000, rejected)).toBeLessThan(1000);
  });

  it.each([
    [
      'replacements that turn one character into sixteen',
      [grow('a', 'b'.repeat(16)), grow('b', 'a'.repeat(16))],
    ],
    ['a prefix for each piece', Array(3).fill({ type: 'Prepend', prepend: 'aaaaaaa' })],
    ['repeated decomposition', Array(3).fill({ type: 'NFKD' })],
  ])('is rejected: %s', (_, steps) => {
    expect(() => read(normalizing(gpt2, ...steps))).toThrow(/could make a text \d+ times as long/);
  });

  it('is rejected if decoding lengthens the text', () => {
    const decoders = Array.from({ length: 9 }, () => grow('a', 'aa'));
    const json = changed(gpt2.json, ['decoder'], { type: 'Sequence', decoders });
    expect(() => read({ ...gpt2, json })).toThrow('512 times as long');
  });

  it('rejects a text that could become too long', async () => {
    const { vocabulary, bpe } = read(normalizing(gpt2, grow('a', 'aaaaaaaa'), { type: 'NFC' }));
    const tokenizer = await openTokenizer(vocabulary, bpe);
    expect(tokenizer.encode('a'.repeat(1000)).length).toBeGreaterThan(100);
    expect(() => tokenizer.encode('a'.repeat(100_000))).toThrow('is too long to be read');
  });
});

describe('a byte-pair tokenizer', () => {
  it.each([gpt2, llama2])('round-trips a text except for surrounding spaces', async (file) => {
    const { vocabulary, bpe } = read(file);
    const tokenizer = await openTokenizer(vocabulary, bpe);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        // The symbol that stands for a space decodes to a space.
        const wanted = text.replaceAll('▁', bpe?.byte_fallback ? ' ' : '▁').trim();
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(wanted);
      }),
      { numRuns: 500 },
    );
    expect(tokenizer.decode([])).toBe('');
    expect(tokenizer.encode('')).toEqual([]);
    expect(() => tokenizer.decode([tokenizer.size])).toThrow(RangeError);
    const labels = vocabulary.map((_, id) => tokenizer.label(id));
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.some((label) => label.startsWith('␣'))).toBe(true);
    expect(labels.every((label) => label.trim() === label && label !== '')).toBe(true);
  });
});

describe('an invalid byte-pair tokenizer.json', () => {
  it.each<[readonly (string | number)[], unknown, string]>([
    [['model', 'type'], 'Unigram', 'has the type "Unigram"; supported types: WordLevel, BPE'],
    [['model', 'merges'], null, 'merges'],
    [['model', 'merges', 3], 'a b c', 'merge 3 must name two tokens, got "a b c"'],
    [
      ['model', 'merges', 3],
      ['q', 'qqq'],
      'merge 3 needs the token "qqq", which is not in the vocabulary',
    ],
    [['model', 'vocab', 'a'], 1e9, '"a" the id 1000000000, but its network has 340 tokens'],
    [['model', 'vocab', 'a'], 'b', 'has no valid id for'],
    [['model', 'vocab', 'a'.repeat(600)], 339, 'two tokens with the id 339'],
    [['model', 'dropout'], 0.1, 'has dropout 0.1'],
    [['model', 'end_of_word_suffix'], '</w>', 'has end_of_word_suffix "</w>"'],
    [['model', 'unk_token'], 'zzz', 'its unknown token "zzz" is not in the vocabulary'],
    [['added_tokens', 0, 'single_word'], true, 'added_tokens.0.single_word'],
    [['added_tokens', 0, 'content'], '', 'added_tokens.0.content: Too small'],
    [['normalizer'], { type: 'Precompiled' }, 'its normalizer has the type "Precompiled"'],
    [
      ['pre_tokenizer'],
      { type: 'Split', pattern: { Regex: '(a+)+$' }, behavior: 'Isolated' },
      'must be that of GPT-2, Llama 3 and Qwen 2: others could take exponential time',
    ],
    [['pre_tokenizer'], { type: 'Whitespace' }, 'has the type "Whitespace"; supported types:'],
    [['pre_tokenizer'], { type: 'constructor' }, 'its pre_tokenizer has the type "constructor"'],
    [
      ['normalizer'],
      { type: 'Replace', pattern: { String: 'a' }, content: '$&$&' },
      'its normalizer Replace, content: must not contain $',
    ],
    [
      ['normalizer'],
      { type: 'Prepend', prepend: 'x'.repeat(1000) },
      'its normalizer Prepend, prepend: Too big',
    ],
    [
      ['normalizer'],
      { type: 'Sequence', normalizers: new Array(99).fill({ type: 'NFC' }) },
      'its normalizer has 99 steps; the limit is 16',
    ],
    [['decoder'], { type: 'CTC' }, 'its decoder has the type "CTC"'],
    [['decoder'], { type: 'Strip', content: ' ', start: 1e9, stop: 0 }, 'Strip, start'],
  ])('is rejected with a reason: %j', (path, to, reason) => {
    const json = changed(gpt2.json, path, to);
    expect(() => read({ ...gpt2, json })).toThrow(AgentFileError);
    expect(() => read({ ...gpt2, json })).toThrow(reason);
  });

  it('is rejected above the token limit', () => {
    expect(() => read({ ...gpt2, rows: 300_000 })).toThrow('the limit is 262144');
  });

  /** Paths of all values in the file, up to twelve per list or object. */
  const places = (value: unknown, path: (string | number)[] = []): (string | number)[][] =>
    typeof value !== 'object' || value === null
      ? [path]
      : [
          path,
          ...Object.entries(value)
            .slice(0, 12)
            .flatMap(([key, inner]) =>
              places(inner, [...path, Array.isArray(value) ? Number(key) : key]),
            ),
        ];
  /** Replacements: random values, or values from elsewhere in the file. */
  const values = ({ json }: File) =>
    fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.integer({ min: -2, max: 400 }),
      fc.constantFrom('Sequence', 'ByteLevel', 'Split', 'Replace', 'Strip', '▁', ' ', '$&', ''),
      fc.constantFrom(...places(json)).map((path) => path.reduce(inside, json as unknown)),
    );
  const inside = (value: unknown, key: string | number) =>
    (value as Record<string | number, unknown>)[key];

  it.each([gpt2, llama2])('is rejected with a reason or works after mutation: %#', async (file) => {
    let [refused, opened] = [0, 0];
    const change = fc.tuple(fc.constantFrom(...places(file.json)), values(file));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        let json: Json = file.json;
        for (const [path, to] of changes) {
          // An earlier change may have removed the path.
          const there = path.slice(0, -1).reduce<unknown>((v, key) => {
            return typeof v === 'object' && v !== null ? inside(v, key) : null;
          }, json);
          if (typeof there === 'object' && there !== null) json = changed(json, path, to);
        }
        const before = process.cpuUsage();
        try {
          const { vocabulary, bpe } = read({ ...file, json });
          const tokenizer = await openTokenizer(vocabulary, bpe);
          for (const text of ['move up', ' a  b\n', '東京 <obs> ▁', 'x'.repeat(500)]) {
            const ids = tokenizer.encode(text);
            expect(ids.every((id) => id >= 0 && id < tokenizer.size)).toBe(true);
            expect(typeof tokenizer.decode(ids)).toBe('string');
          }
          opened++;
        } catch (error) {
          if (!(error instanceof AgentFileError || error instanceof TokenizerError)) throw error;
          expect(error.message).toMatch(/^This agent cannot be read: [^\n]+\.$/);
          expect(error.message.length).toBeLessThan(500);
          refused++;
        }
        const { user, system } = process.cpuUsage(before);
        // CPU time in microseconds.
        expect(user + system).toBeLessThan(5_000_000);
      }),
      { numRuns: 1000 },
    );
    // Both outcomes must be common, or one of them is not tested.
    expect(refused).toBeGreaterThan(100);
    expect(opened).toBeGreaterThan(20);
  });
});
