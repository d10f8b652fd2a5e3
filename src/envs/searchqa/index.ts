import { resolveOptions } from '../options.ts';
import type { EnvironmentFamily } from '../types.ts';
import { searchqaCard } from './card.ts';
import { createSearchQa, type SearchQaState } from './environment.ts';
import { SEARCHQA_ID, searchqaOptions } from './options.ts';

/** The family with its implementation. */
export const searchqa: EnvironmentFamily<SearchQaState> = {
  ...searchqaCard,
  create: (given) => {
    const { hops, documents, passage, wrong_answer } = resolveOptions(
      SEARCHQA_ID,
      searchqaOptions,
      given,
    );
    return createSearchQa({ hops, documents, passage, wrongAnswer: wrong_answer });
  },
};

export const families: readonly EnvironmentFamily[] = [searchqa];
