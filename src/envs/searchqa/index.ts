import { resolveOptions } from '../options.ts';
import type { EnvironmentFamily } from '../types.ts';
import { createSearchQa, SEARCHQA_ID, type SearchQaState } from './environment.ts';
import { searchqaOptions } from './options.ts';

/** Question answering by search, after the SearchQA environment of AgentGym-RL (arXiv:2509.08755). */
export const searchqa: EnvironmentFamily<SearchQaState> = {
  id: SEARCHQA_ID,
  title: 'Question answering by search',
  explanation:
    'The agent answers questions about an invented world of people, books, companies and towns. It knows none of the facts: it writes search queries, reads the passages that a search index finds, and follows what they say to the next search or to the answer. It is evaluated on people, books and companies that no training question names; a second hop may lead to towns, teams and mayors that training asks about too.',
  options: searchqaOptions,
  create: (given) => {
    const { hops, documents, passage, wrong_answer } = resolveOptions(
      SEARCHQA_ID,
      searchqaOptions,
      given,
    );
    return createSearchQa({ hops, documents, passage, wrongAnswer: wrong_answer });
  },
};
