/** Small pretrained models with random weights, as the files that transformers saves. */
import { randomWeights, smallArchitectures } from '../../policy/testing/architectures.ts';
import type { ModelType, PolicyShape } from '../../policy/types.ts';
import { encodeSafeTensors } from '../../runs/safetensors.ts';
import { llamaConfig } from '../llama-config.ts';
import { toLlama } from '../llama-tensors.ts';
import { byteLetters } from '../pretrained/byte-pair-training.ts';
import type { ModelFolder } from '../pretrained/model-files.ts';

export type ModelFiles = Map<string, Uint8Array>;

/** Words that are merged letter by letter, so that some merges build on others. */
const WORDS = ['the', 'word', 'guess', 'Action', 'Thought', 'move', 'user', 'assistant'];

function mergesOf(words: readonly string[], before: string): [string, string][] {
  const seen = new Set<string>();
  const merges: [string, string][] = [];
  for (const word of words.flatMap((text) => [text, before + text])) {
    const letters = [...word];
    for (let i = 1; i < letters.length; i++) {
      const pair: [string, string] = [letters.slice(0, i).join(''), letters[i] ?? ''];
      if (seen.has(pair.join(' '))) continue;
      seen.add(pair.join(' '));
      merges.push(pair);
    }
  }
  return merges;
}

/** Differences between the tokenizers and templates of the model families. */
interface Texts {
  readonly letters: readonly string[];
  readonly before: string;
  readonly special: readonly string[];
  readonly parts: Readonly<Record<string, unknown>>;
  readonly names: Readonly<Record<string, string>>;
  readonly end: string;
  readonly template: string;
}

const CHAT_ML = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true };
const QWEN =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

const chatMl = (system: string, answer: string) =>
  `{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '${system}' }}{% endif %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n${answer}' }}{% endif %}`;

const system = '<|im_start|>system\\nYou are a small model.<|im_end|>\\n';

const qwenSteps = {
  normalizer: { type: 'NFC' },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: QWEN }, behavior: 'Isolated', invert: false },
      { ...byteLevel, use_regex: false },
    ],
  },
  decoder: { ...byteLevel, use_regex: false },
};

const ofBytes = {
  letters: byteLetters,
  before: 'Ġ',
  special: CHAT_ML,
  names: { eos_token: '<|im_end|>', pad_token: '<|endoftext|>' },
  end: '<|im_end|>',
};

const texts: Readonly<Record<ModelType, Texts>> = {
  llama: {
    ...ofBytes,
    parts: {
      normalizer: null,
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [
          { type: 'Digits', individual_digits: true },
          { ...byteLevel, use_regex: true },
        ],
      },
      decoder: { ...byteLevel, use_regex: true },
    },
    template: chatMl(system, ''),
  },
  qwen2: { ...ofBytes, parts: qwenSteps, template: chatMl(system, '') },
  // Without thinking, the newest answer begins with an empty thought.
  qwen3: {
    ...ofBytes,
    parts: qwenSteps,
    special: [...CHAT_ML, '<think>', '</think>'],
    template: chatMl(
      '',
      "' }}{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}{{ '",
    ),
  },
  gemma3_text: {
    letters: [
      ...Array.from(
        { length: 256 },
        (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, '0')}>`,
      ),
      ...Array.from({ length: 94 }, (_, i) => String.fromCodePoint(33 + i)),
      ...['▁', '\n', '\n\n'],
    ],
    before: '▁',
    special: ['<pad>', '<eos>', '<bos>', '<unk>', '<start_of_turn>', '<end_of_turn>'],
    parts: {
      normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      pre_tokenizer: {
        ...{ type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious' },
        invert: false,
      },
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
          { type: 'ByteFallback' },
          { type: 'Fuse' },
        ],
      },
    },
    names: { bos_token: '<bos>', eos_token: '<eos>', pad_token: '<pad>', unk_token: '<unk>' },
    end: '<end_of_turn>',
    template:
      "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}",
  },
};

const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** Tokens of a tokenizer (special ones, then letters, then the results of merges) and its merges. */
function tokensOf({ special, letters, before }: Texts) {
  const merges = mergesOf(WORDS, before);
  const known = new Set([...letters]);
  const joined = merges.map((pair) => pair.join('')).filter((token) => !known.has(token));
  return { tokens: [...new Set([...special, ...letters, ...joined])], merges };
}

/** A small shape of a model type; input widths are multiples of 32, so that every base precision fits. */
export function testShape(modelType: ModelType): PolicyShape {
  const found = smallArchitectures.find(({ shape }) => shape.architecture?.modelType === modelType);
  const architecture = found?.shape.architecture;
  if (found === undefined || architecture === undefined) throw new RangeError(modelType);
  const { shape } = found;
  return {
    ...shape,
    vocabulary: tokensOf(texts[modelType]).tokens.length,
    ...{ width: 32, heads: 4, kvHeads: 2, ffnWidth: 64 },
    architecture: {
      ...architecture,
      headDim: modelType === 'qwen3' ? 16 : 8,
      embeddingScale: architecture.embeddingScale === 1 ? 1 : Math.sqrt(32),
    },
  };
}

/** The files of a small model with random weights. */
export function testModel(modelType: ModelType, seed = 1): ModelFiles {
  const shape = testShape(modelType);
  const own = texts[modelType];
  const { tokens, merges } = tokensOf(own);
  const id = (token: string) => tokens.indexOf(token);
  const end = id(own.end);
  const config = llamaConfig(shape, { contextLength: 4096, padToken: 0, endToken: end });
  const weights = toLlama(shape, randomWeights(shape, seed));
  return new Map([
    ['config.json', json(config)],
    [
      'tokenizer.json',
      json({
        version: '1.0',
        added_tokens: own.special.map((content) => ({
          ...{ id: id(content), content, special: true, normalized: false },
          ...{ single_word: false, lstrip: false, rstrip: false },
        })),
        ...own.parts,
        post_processor: null,
        model: {
          type: 'BPE',
          dropout: null,
          unk_token: own.names.unk_token ?? null,
          fuse_unk: modelType === 'gemma3_text',
          byte_fallback: modelType === 'gemma3_text',
          vocab: Object.fromEntries(tokens.map((token, i) => [token, i])),
          merges,
        },
      }),
    ],
    ['tokenizer_config.json', json({ ...own.names, chat_template: own.template })],
    ['generation_config.json', json({ eos_token_id: [end, 0] })],
    ['model.safetensors', encodeSafeTensors({ tensors: weights, metadata: new Map() })],
  ]);
}

/** A folder of files in memory. */
export function folderOf(files: ReadonlyMap<string, Uint8Array>): ModelFolder {
  return (name) => {
    const bytes = files.get(name);
    return bytes === undefined ? null : new Blob([new Uint8Array(bytes)]);
  };
}
