import { afterEach, beforeEach, expect, it } from 'vitest';
import { current, rendered } from './current.ts';
import { translated } from './rendered.ts';
import { translator } from './translate.ts';

beforeEach(() => {
  current.translate = translator({
    Stop: 'Anhalten',
    'Stop the run': 'Den Lauf anhalten',
    'Press <0> to stop': 'Zum Anhalten <0> drücken',
    'Press <0> or <1>': '<1> oder <0> drücken',
    '{a} of {b}': '{a} von {b}',
  });
});
afterEach(() => {
  current.translate = null;
});

const key = <kbd>S</kbd>;
const other = <kbd>T</kbd>;

it('translates the content and the labels of an element', () => {
  expect(translated('button', { 'aria-label': 'Stop the run', children: 'Stop' })).toEqual({
    'aria-label': 'Den Lauf anhalten',
    children: 'Anhalten',
  });
});

it('does not change the properties of a component', () => {
  const properties = { title: 'Stop', children: 'Stop' };
  expect(translated(() => null, properties)).toBe(properties);
});

it('does not change an element with translate="no"', () => {
  const properties = { translate: 'no', children: 'Stop' };
  expect(translated('span', properties)).toBe(properties);
});

it('joins the pieces of a text before translating it', () => {
  const { children } = translated('p', { children: [3, ' of ', 10] });
  expect(children).toEqual(['3 von 10', null, null]);
});

it('moves elements to their position in the German sentence', () => {
  const one = translated('p', { children: ['Press ', key, ' to stop'] });
  expect(one.children).toEqual(['Zum Anhalten ', key, ' drücken']);
  const two = translated('p', { children: ['Press ', key, ' or ', other] });
  expect(two.children).toEqual(['', other, ' oder ', key, ' drücken']);
});

it('translates the texts before and after an element separately if the sentence is unknown', () => {
  const { children } = translated('p', { children: [key, ' Stop', null, other, 'Stop'] });
  expect(children).toEqual([key, ' Anhalten', null, other, 'Anhalten']);
  const values = translated('dd', { children: ['3 of 10', key] });
  expect(values.children).toEqual(['3 von 10', key]);
});

it('translates the chosen option of a select, not what a user has typed', () => {
  expect(translated('input', { readOnly: true, value: 'Stop' })).toMatchObject({
    value: 'Anhalten',
  });
  expect(translated('input', { value: 'Stop' })).toMatchObject({ value: 'Stop' });
});

it('changes nothing in English', () => {
  const properties = { children: 'Stop' };
  expect(rendered('p', properties)).toBe(properties);
});
