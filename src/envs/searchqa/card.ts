import type { FamilyCard } from '../types.ts';
import { SEARCHQA_ID, searchqaOptions } from './options.ts';

/** Question answering by search, after the SearchQA environment of AgentGym-RL (arXiv:2509.08755). */
export const searchqaCard: FamilyCard = {
  id: SEARCHQA_ID,
  title: 'Question answering by search',
  explanation:
    'The agent answers questions about invented people, books, companies and towns. It knows none of the facts. It writes search queries, reads the passages that a search index returns, and uses them for the next search or the answer. Evaluation asks about people, books and companies that no training question names; a second hop may lead to towns, teams and mayors that training also asks about.',
  options: searchqaOptions,
};
