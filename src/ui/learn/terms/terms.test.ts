import { describe, expect, it } from 'vitest';
import { cutAtTerms, termNames } from '../../shell/terms/terms.ts';
import { relatedTerms } from './texts.ts';

describe('cutAtTerms', () => {
  it('finds German terms, even if inflected', () => {
    const pieces = cutAtTerms('Die Norm des Gradienten und der Vorteile.', 'de');
    expect(
      pieces.flatMap(({ name, text: word }) => (name === undefined ? [] : [[name, word]])),
    ).toEqual([
      ['gradient', 'Gradienten'],
      ['advantage', 'Vorteile'],
    ]);
  });

  it('keeps the whole text and marks each term once, in any form', () => {
    const text = 'Tokens with an advantage move; most tokens of the policy have no Advantage.';
    const pieces = cutAtTerms(text, 'en');
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    expect(
      pieces.flatMap(({ name, text: word }) => (name === undefined ? [] : [[name, word]])),
    ).toEqual([
      ['token', 'Tokens'],
      ['advantage', 'advantage'],
      ['policy', 'policy'],
    ]);
  });

  it('ignores terms within words', () => {
    expect(cutAtTerms('A rational natural klaxon.', 'en')).toEqual([
      { text: 'A rational natural klaxon.' },
    ]);
  });

  it('prefers the longer form', () => {
    expect(cutAtTerms('its gradient norm', 'en')).toEqual([
      { text: 'its ' },
      { text: 'gradient norm', name: 'gradient' },
    ]);
  });
});

it('every definition links only to other existing terms', () => {
  for (const name of termNames) {
    expect(
      relatedTerms[name].filter((other) => other === name || !termNames.includes(other)),
    ).toEqual([]);
  }
});
