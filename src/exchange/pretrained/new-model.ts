/** Files of a new Llama model with a byte-level BPE tokenizer, in the layout of transformers. */
import type { PolicyShape, WeightTensor } from '../../policy/types.ts';
import { encodeSafeTensors } from '../../runs/safetensors.ts';
import type { AgentFiles } from '../agent-files.ts';
import { llamaConfig } from '../llama-config.ts';
import { toLlama } from '../llama-tensors.ts';
import { byteLetters, type Merge } from './byte-pair-training.ts';

const END_OF_TEXT = '<|endoftext|>';
const START = '<|im_start|>';
const END = '<|im_end|>';
const special = [END_OF_TEXT, START, END];

/** Names of all files of a new model. */
export const newModelNames: readonly string[] = [
  ...['config.json', 'generation_config.json', 'model.safetensors'],
  ...['tokenizer.json', 'tokenizer_config.json'],
];

/** ChatML without a system message. */
const chatTemplate = `{% for message in messages %}{{ '${START}' + message['role'] + '\\n' + message['content'] + '${END}\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '${START}assistant\\n' }}{% endif %}`;

/** Number of tokens that do not come from merges: special tokens and bytes. */
export const FIXED_TOKENS = special.length + byteLetters.length;

const byteLevel = {
  ...{ type: 'ByteLevel', add_prefix_space: false },
  ...{ trim_offsets: true, use_regex: true },
};

const json = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);

/** `tokenizer.json` and `tokenizer_config.json`. */
export function newTokenizerFiles(merges: readonly Merge[]): AgentFiles {
  const tokens = new Set([...special, ...byteLetters, ...merges.map((pair) => pair.join(''))]);
  return new Map([
    [
      'tokenizer.json',
      json({
        version: '1.0',
        truncation: null,
        padding: null,
        added_tokens: special.map((content, id) => ({
          ...{ id, content, special: true, normalized: false },
          ...{ single_word: false, lstrip: false, rstrip: false },
        })),
        normalizer: null,
        pre_tokenizer: {
          type: 'Sequence',
          pretokenizers: [{ type: 'Digits', individual_digits: true }, byteLevel],
        },
        post_processor: null,
        decoder: byteLevel,
        model: {
          ...{ type: 'BPE', dropout: null, unk_token: null, fuse_unk: false },
          ...{ continuing_subword_prefix: null, end_of_word_suffix: null },
          ...{ byte_fallback: false, ignore_merges: false },
          vocab: Object.fromEntries([...tokens].map((token, id) => [token, id])),
          merges,
        },
      }),
    ],
    [
      'tokenizer_config.json',
      json({
        tokenizer_class: 'PreTrainedTokenizerFast',
        eos_token: END,
        pad_token: END_OF_TEXT,
        chat_template: chatTemplate,
      }),
    ],
  ]);
}

/** Number of tokens of the vocabulary; different pairs may merge into the same token. */
export function vocabularySize(merges: readonly Merge[]): number {
  return FIXED_TOKENS + new Set(merges.map((pair) => pair.join(''))).size;
}

/**
 * `config.json`, `generation_config.json` and `model.safetensors`, in float32.
 *
 * @param weights by the policy's parameter names
 */
export function newWeightFiles(
  shape: PolicyShape,
  weights: ReadonlyMap<string, WeightTensor>,
  contextLength: number,
): AgentFiles {
  const [padToken, endToken] = [special.indexOf(END_OF_TEXT), special.indexOf(END)];
  return new Map([
    ['config.json', json(llamaConfig(shape, { contextLength, padToken, endToken }))],
    ['generation_config.json', json({ eos_token_id: endToken, pad_token_id: padToken })],
    [
      'model.safetensors',
      encodeSafeTensors({
        tensors: toLlama(shape, weights),
        metadata: new Map([['format', 'pt']]),
      }),
    ],
  ]);
}
