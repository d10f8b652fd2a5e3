import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTokenizer } from './open-tokenizer.ts';
import { specialTokens, WordTokenizer } from './tokenizer.ts';

describe('WordTokenizer', () => {
  const tokenizer = new WordTokenizer(['move', 'move up', 'move up again', 'up', 'wall.', 'move']);

  it('assigns ids to the special tokens, then to each distinct lexeme in order', () => {
    expect(tokenizer.tokens).toEqual([
      ...specialTokens,
      'move',
      'move up',
      'move up again',
      'up',
      'wall.',
    ]);
    for (const name of ['pad', 'unk', 'obs', 'act', 'end'] as const) {
      expect(tokenizer.tokens[tokenizer[name]]).toBe(`<${name}>`);
    }
  });

  it('matches the longest lexeme from the left', () => {
    expect(tokenizer.encode('move up again up')).toEqual([7, 8]);
    expect(tokenizer.encode('move up move')).toEqual([6, 5]);
    expect(tokenizer.encode('move move up')).toEqual([5, 6]);
    expect(tokenizer.encode('move up wall.')).toEqual([6, 9]);
    expect(tokenizer.encode('')).toEqual([]);
  });

  it('encodes unknown words as <unk>, including names of special tokens', () => {
    expect(tokenizer.encode('move sideways')).toEqual([5, tokenizer.unk]);
    expect(tokenizer.encode('<end> up')).toEqual([tokenizer.unk, 8]);
    expect(tokenizer.encode('wall')).toEqual([tokenizer.unk]);
  });

  it('round-trips every text that consists of lexemes', () => {
    const lexeme = fc.constantFrom('move', 'move up', 'move up again', 'up', 'wall.');
    fc.assert(
      fc.property(fc.array(lexeme), (parts) => {
        const text = parts.join(' ');
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      }),
    );
  });

  it('splits off punctuation and tags unless the lexeme includes them', () => {
    const marks = new WordTokenizer([
      'oak planks',
      'craft',
      '.',
      ',',
      '[',
      ']',
      '<search>',
      '</search>',
      'Mara Olin',
      '1',
      'you,',
    ]);
    const roundTrip = (text: string) => marks.decode(marks.encode(text));
    const words = (text: string) => marks.encode(text).map((id) => marks.tokens[id]);
    expect(words('craft oak planks.')).toEqual(['craft', 'oak planks', '.']);
    expect(words('<search>Mara Olin</search>')).toEqual(['<search>', 'Mara Olin', '</search>']);
    expect(words('you, 1, [oak planks] (1)')).toEqual([
      'you,',
      '1',
      ',',
      '[',
      'oak planks',
      ']',
      '<unk>',
      '1',
      '<unk>',
    ]);
    for (const text of ['craft oak planks.', '<search>Mara Olin</search>', '[1, 1] craft']) {
      expect(roundTrip(text)).toBe(text);
    }
    // Decoding removes the spaces that a policy may generate around tags.
    expect(marks.decode(marks.encode('<search> Mara Olin </search>'))).toBe(
      '<search>Mara Olin</search>',
    );
  });

  it('rejects lexemes with stray spaces, lexemes named like special tokens, and ids out of range', () => {
    expect(() => new WordTokenizer(['a  b'])).toThrow(/single spaces/);
    expect(() => new WordTokenizer([''])).toThrow(/single spaces/);
    expect(() => new WordTokenizer(['<end>'])).toThrow(/special token/);
    expect(() => tokenizer.decode([99])).toThrow(/vocabulary of 10/);
  });
});

it('rejects a vocabulary that contains a token twice', async () => {
  const vocabulary = [...specialTokens, 'a', 'b', 'a'];
  await expect(openTokenizer(vocabulary, null)).rejects.toThrow('a token occurs twice');
});
