/** Definitions of terms, by language. */

import type { Language } from '../../shell/language/store.ts';
import type { TermName } from '../../shell/terms/terms.ts';
import { termTexts as de } from './texts/de.ts';
import { termTexts as en } from './texts/en.ts';
import type { TermTexts } from './texts/types.ts';

export const termTexts: Readonly<Record<Language, TermTexts>> = { en, de };

/** Terms that a definition links to. */
export const relatedTerms: Readonly<Record<TermName, readonly TermName[]>> = {
  token: ['policy', 'entropy'],
  policy: ['token', 'entropy', 'greedy'],
  episode: ['horizon', 'reward'],
  reward: ['advantage', 'episode'],
  horizon: ['episode', 'reward'],
  evaluation: ['greedy', 'episode'],
  greedy: ['policy', 'evaluation', 'entropy'],
  imitation: ['policy', 'reward'],
  update: ['gradient', 'objective'],
  gradient: ['update', 'objective'],
  advantage: ['reward', 'value', 'ratio'],
  value: ['advantage', 'reward'],
  objective: ['ratio', 'advantage', 'clipping'],
  ratio: ['clipping', 'policy'],
  clipping: ['ratio', 'objective'],
  entropy: ['nat', 'policy', 'greedy'],
  nat: ['entropy', 'kl'],
  kl: ['nat', 'ratio', 'update'],
};
