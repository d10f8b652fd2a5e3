import { expect, it } from 'vitest';
import { modeNames } from '../../../runs/mode-names.ts';
import { cardTexts } from './card-texts.ts';

it.each(modeNames)('%s has a card', (mode) => {
  const card = cardTexts[mode];
  if (card === undefined) throw new Error(`${mode} has no card`);
  const { what, signs, causes, remedies, sources } = card;
  for (const text of [what, ...signs, ...remedies]) expect(text).toMatch(/\.$/);
  expect(signs.length).toBeGreaterThan(1);
  expect(causes.length).toBeGreaterThan(0);
  expect(remedies.length).toBeGreaterThan(1);
  expect(sources.length).toBeGreaterThan(0);
  for (const { url } of sources) expect(url).toMatch(/^https:/);
});
