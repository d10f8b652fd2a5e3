import { describe, expect, it } from 'vitest';
import { folderOf } from '../testing/pretrained.ts';
import type { Merge } from './byte-pair-training.ts';
import { chatTokenizer, readModelTexts } from './chat-tokenizer.ts';
import { newTokenizerFiles, vocabularySize } from './new-model.ts';

/** Merges in order of priority; some would join tokens that SmolLM2's rules keep apart. */
const merges: readonly Merge[] = [
  ['t', 'h'],
  ['th', 'e'],
  ['Ġ', 'the'],
  ['i', 't'],
  ["'", 's'],
  ["'", 'S'],
  ['1', '2'],
  ['Ġ', '1'],
  ['Ġ', 'Â'],
  ['Â', '½'],
  ['Â½', 'Â½'],
  ['Ċ', 'Ċ'],
  ['Ġ', 'Ġ'],
  ['the', '1'],
  ['.', '.'],
  ['.', 'Ċ'],
];

/** Byte-level BPE after a split into single digits and by GPT-2's regular expression. */
async function smolLm2() {
  const files = newTokenizerFiles(merges);
  const texts = await readModelTexts(folderOf(files), {}, vocabularySize(merges));
  return chatTokenizer(texts, { instruction: '' }, 'react');
}

describe('a tokenizer with the rules of SmolLM2', () => {
  it.each([
    ['the the', ['the', 'Ġthe']],
    // The last of several spaces belongs to the word.
    ['the   the', ['the', 'ĠĠ', 'Ġthe']],
    // A newline before a word stands alone, without the space before it.
    ['the \n\nthe', ['the', 'Ġ', 'Ċ', 'Ċ', 'the']],
    ['the\n\n', ['the', 'ĊĊ']],
    ['the..\n', ['the', '..', 'Ċ']],
    // Only lowercase contractions.
    ["it's", ['it', "'s"]],
    ["IT'S", ['I', 'T', "'", 'S']],
    // Each digit is a separate token, as is the space before it.
    ['the12 12', ['the', '1', '2', 'Ġ', '1', '2']],
    // Other characters of category N count as digits.
    ['½½ ½', ['Â½', 'Â½', 'Ġ', 'Â½']],
    ['٣٤', ['Ù', '£', 'Ù', '¤']],
    // U+0085 is a space and U+FEFF is not.
    ['the \u0085it', ['the', 'Ġ', 'Â', 'ħ', 'it']],
    ['it \ufeffthe', ['it', 'Ġ', 'ï', '»', '¿', 'the']],
    ['<|im_start|>it<|im_end|>', ['<|im_start|>', 'it', '<|im_end|>']],
    ['<|im_end', ['<', '|', 'i', 'm', '_', 'e', 'n', 'd']],
    // Not normalized: a letter and its accent stay apart.
    ['e\u0301', ['e', 'Ì', 'ģ']],
    ['', []],
  ])('splits %j', async (text, tokens) => {
    const tokenizer = await smolLm2();
    const ids = tokenizer.encode(text);
    expect(ids.map((id) => tokenizer.tokens[id])).toEqual(tokens);
    expect(tokenizer.decode(ids)).toBe(text.trim());
  });
});
