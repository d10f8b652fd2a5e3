import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  createEnvironment,
  environmentFamilies,
  loadEnvironments,
} from '../../../envs/registry.ts';
import type { EnvironmentOptions } from '../../../envs/types.ts';
import { catalog } from './de/catalog.ts';
import { sourceFiles, textsIn } from './testing/source-texts.ts';
import { sentencesOf, slot, translator } from './translate.ts';

const translate = translator(catalog);
const isKnown = (text: string) => text in catalog || translate(text) !== null;
const slotsOf = (text: string) => [...text.matchAll(slot)].map(([found]) => found).sort();
const textsBelow = (folders: readonly string[]) =>
  folders.flatMap(sourceFiles).flatMap((file) => textsIn(file).map((text) => ({ file, ...text })));

/** Texts without words to translate. */
const formulas =
  /^(?:r_dis|pass@|mean|std|clip\(|min\(|max_episode_steps|https?:|wss:|npm |____|&nbsp;)/;

it('the German catalog contains every text that an element shows', () => {
  const missing = textsBelow(['src/ui', 'src/envs']).filter(
    ({ text, rendered }) => rendered && !formulas.test(text) && !isKnown(text),
  );
  expect(missing).toEqual([]);
});

/** Sentences in these files are not shown, or have their own translation. */
const apart = /\/terms\/texts\/|\/logs\/report\.ts$|\/terms\.ts$/;
const isTitle = (text: string) =>
  text === 'What Matters In On-Policy Reinforcement Learning?' || text === 'Yao et al.';

it('the German catalog contains every sentence of the page, the settings and the diagnosis', () => {
  const missing = textsBelow(['src/ui', 'src/config', 'src/diagnosis']).filter(
    ({ file, text }) =>
      /^[A-Z“{].* .*[.!?…:]$/.test(text) && !apart.test(file) && !isTitle(text) && !isKnown(text),
  );
  expect(missing).toEqual([]);
});

it('the German catalog contains the title, explanation and holdout of every environment', async () => {
  await loadEnvironments();
  const texts = environmentFamilies.flatMap(({ id, title, explanation, options }) => {
    // Some options change what is held out.
    const choices = Object.entries(options).flatMap(([name, option]): EnvironmentOptions[] =>
      option.type === 'choice' ? option.choices.map((choice) => ({ [name]: choice })) : [],
    );
    const holdouts = [{}, ...choices].map((given) => createEnvironment(id, given).holdout.sentence);
    return [title, ...[explanation, ...new Set(holdouts)].flatMap(sentencesOf)];
  });
  expect(texts.filter((text) => translate(text) === null)).toEqual([]);
});

it('a German text inserts the same values and elements as the English text', () => {
  const wrong = Object.entries(catalog).filter(
    ([english, german]) => slotsOf(english).join() !== slotsOf(german).join(),
  );
  expect(wrong).toEqual([]);
});

it('the German catalog contains no entry without an English text in the source', () => {
  const source = new Set(textsBelow(['src']).map(({ text }) => text));
  const composed: Readonly<Record<string, string>> = JSON.parse(
    readFileSync('src/ui/shell/language/de/composed.json', 'utf8'),
  );
  const lost = Object.keys(catalog).filter((text) => !source.has(text) && !(text in composed));
  expect(lost).toEqual([]);
});

it('translate="no" marks no text of the page itself', () => {
  const own = ['src/ui', 'src/envs'].flatMap(sourceFiles).flatMap((file) => {
    // A child with literal words, such as a sentence, directly after the opening tag.
    const marked = /translate="no"[^<>{}]*>\s*([A-Za-z][^<>{}]* [^<>{}]*)/g;
    return [...readFileSync(file, 'utf8').matchAll(marked)].map(([, text]) => [file, text]);
  });
  expect(own).toEqual([]);
});
