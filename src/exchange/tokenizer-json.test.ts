import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thorough } from '../../scripts/tier.mjs';
import { dialogueLexicon } from '../agents/format.ts';
import { createEnvironment, environmentFamilies } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import { WordTokenizer } from '../policy/tokenizer.ts';
import { readTokenizerJson, tokenizerConfig, wordsJson } from './tokenizer-json.ts';

/** Ids from Hugging Face's own library. */
function library(tokenizer: WordTokenizer): (text: string) => number[] {
  const loaded = new LibraryTokenizer(
    JSON.parse(JSON.stringify(wordsJson(tokenizer.tokens))),
    tokenizerConfig(tokenizer.tokens, null, 64, true),
  );
  return (text) => loaded.encode(text).ids;
}

const read = (bytes: Uint8Array) => readTokenizerJson(bytes, 0, { names: {}, ids: {} });

/** All texts of a few expert episodes, each with one unknown action. */
function texts(environment: Environment, tasks: number): string[] {
  const found: string[] = [];
  for (const task of environment.trainTasks.slice(0, tasks)) {
    let { state, observation } = environment.reset(task);
    found.push(observation, ...environment.admissibleActions(state));
    let terminated = false;
    for (let turn = 0; !terminated && turn < environment.turnLimit; turn++) {
      const { thought, action } = environment.expert(state);
      const said = turn === 1 ? 'say something else' : action;
      ({ state, observation, terminated } = environment.step(state, said));
      found.push(`Thought: ${thought} Action: ${action}`, observation);
    }
  }
  return [...new Set(found)];
}

describe('tokenizer.json', () => {
  it.each(environmentFamilies.map(({ id }) => id))(
    'gives the same ids as WordTokenizer in %s',
    (id) => {
      const environment = createEnvironment(id);
      const tokenizer = new WordTokenizer(dialogueLexicon(environment, 'react'));
      const encode = library(tokenizer);
      const all = texts(environment, thorough ? 4 : 2);
      expect(all.length).toBeGreaterThan(3);
      for (const text of all) expect(encode(text), text).toEqual(tokenizer.encode(text));
    },
  );

  it('gives the same ids as WordTokenizer for random words and punctuation', () => {
    const lexicon = [
      'planks',
      'planks.',
      'move',
      'move up',
      '.',
      ',',
      '(',
      ')',
      '[',
      '?',
      'a (b) c',
    ];
    const tokenizer = new WordTokenizer([
      ...lexicon,
      '<search>',
      '</search>',
      '(planks',
      '1.5',
      'up)',
    ]);
    const encode = library(tokenizer);
    const piece = fc.constantFrom(
      ...['planks', 'move', 'up', '.', ',', '!', '(', ')', '[', ']', '{', '?', 'stone', '1.5', 'b'],
      ...['<search>', '</search>', '<unknown>', 'a', 'c', '-', '*', '<', '>'],
    );
    const word = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    const sentence = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(sentence, (text) => {
        expect(encode(text), text).toEqual(tokenizer.encode(text));
      }),
      { numRuns: thorough ? 5000 : 1500 },
    );
  });

  it('splits off the special tokens of a dialogue', () => {
    const tokenizer = new WordTokenizer(['move up', 'a wall']);
    expect(library(tokenizer)('<obs> a wall <act> move up <end> <obs> lava <act>')).toEqual([
      ...[tokenizer.obs, 6, tokenizer.act, 5, tokenizer.end],
      ...[tokenizer.obs, tokenizer.unk, tokenizer.act],
    ]);
  });

  it('round-trips the vocabulary', () => {
    const { tokens } = new WordTokenizer(['move up', '12', '1', '__proto__', 'constructor']);
    const bytes = new TextEncoder().encode(JSON.stringify(wordsJson(tokens)));
    expect(read(bytes).vocabulary).toEqual(tokens);
  });

  it.each([
    [{ model: { type: 'Unigram', vocab: {} } }, 'the type "Unigram"'],
    [{ model: { type: 'WordLevel', vocab: { a: 0, b: 0 } } }, '"b" has 0'],
    [{ model: { type: 'WordLevel', vocab: { a: 0, b: 2 } } }, '"b" has 2'],
    [{ model: { type: 'WordLevel', vocab: { a: 'b' } } }, 'has no valid id for "a"'],
    [{ model: { type: 'WordLevel' } }, 'tokens, got 0'],
    [{}, 'contains no model'],
  ])('is rejected if it contains %j', (value, reason) => {
    const bytes = new TextEncoder().encode(JSON.stringify(value));
    expect(() => read(bytes)).toThrow(reason);
  });
});
