import { describe, expect, it } from 'vitest';
import { elementMark, translator } from './translate.ts';

const translate = translator({
  Stop: 'Anhalten',
  'It solves most tasks.': 'Er löst die meisten Aufgaben.',
  'about half of its tasks': 'etwa die Hälfte seiner Aufgaben',
  'It solves {a} and is still improving.': 'Er löst {a} und wird noch besser.',
  'It solves {a}.': 'Er löst {a}.',
  '{a} turns': '{a} Züge',
  'An episode takes {a} turns on average.': 'Eine Episode dauert im Mittel {a} Züge.',
  '{a} of {b}': '{a} von {b}',
  'Open the file <0> in {a}': '{a}: die Datei <0> öffnen',
  'Gallery, {a}': 'Galerie, {a}',
  '{a} environments': '{a} Umgebungen',
  'One agent for five environments': 'Ein Agent für fünf Umgebungen',
  reward: 'Belohnung',
  entropy: 'Entropie',
});

describe('translator', () => {
  it('translates whole texts and keeps the whitespace around them', () => {
    expect(translate(' Stop ')).toBe(' Anhalten ');
  });

  it('returns null for a text that the catalog lacks', () => {
    expect(translate('move up')).toBeNull();
  });

  it('translates the values inserted into a pattern', () => {
    expect(translate('It solves about half of its tasks and is still improving.')).toBe(
      'Er löst etwa die Hälfte seiner Aufgaben und wird noch besser.',
    );
  });

  it('prefers a pattern whose inserted values it can translate', () => {
    expect(translate('Gallery, One agent for five environments')).toBe(
      'Galerie, Ein Agent für fünf Umgebungen',
    );
  });

  it('prefers the pattern with more letters', () => {
    expect(translate('An episode takes 1,234.5 turns on average.')).toBe(
      'Eine Episode dauert im Mittel 1.234,5 Züge.',
    );
  });

  it('translates a paragraph sentence by sentence and keeps the unknown ones', () => {
    expect(translate('It solves most tasks. Nobody knows this. It solves 7 turns.')).toBe(
      'Er löst die meisten Aufgaben. Nobody knows this. Er löst 7 Züge.',
    );
  });

  it('keeps the case of the first letter and the punctuation at the end', () => {
    expect(translate('About half of its tasks:')).toBe('Etwa die Hälfte seiner Aufgaben:');
    expect(translate('Stop …')).toBe('Anhalten …');
    expect(translate('(stop)')).toBe('(Anhalten)');
    expect(translate(': stop')).toBe(': Anhalten');
  });

  it('moves an element to its place in the translation', () => {
    expect(translate(`Open the file ${elementMark(0)} in maze`)).toBe(
      `maze: die Datei ${elementMark(0)} öffnen`,
    );
  });

  it('translates an enumeration if it can translate all members', () => {
    expect(translate('reward, entropy and reward')).toBe('Belohnung, Entropie und Belohnung');
    expect(translate('reward · entropy')).toBe('Belohnung · Entropie');
    expect(translate('PPO and GRPO')).toBe('PPO und GRPO');
    expect(translate('reward and cheese')).toBeNull();
  });

  it('does not translate a very long sentence', () => {
    expect(translate(`It solves ${'turns '.repeat(500)}.`)).toBeNull();
  });

  it('does not apply a short pattern to unknown words', () => {
    expect(translate('3 of 10')).toBe('3 von 10');
    expect(translate('slice of bread')).toBeNull();
  });

  it('writes numbers with decimal commas, but not versions or addresses', () => {
    expect(translate('0.05')).toBe('0,05');
    expect(translate('12,345.6 s')).toBe('12.345,6 s');
    expect(translate('−1.5e−5')).toBe('−1,5e−5');
    expect(translate('<1%')).toBe('<1\u202f%');
    expect(translate('0.2.0')).toBe('0.2.0');
  });
});
