import type { FamilyCard } from '../types.ts';
import { birdId, birdOptions } from './options.ts';

/** Questions to databases, after the BIRD-SQL environment of AgentGym (arXiv:2406.04151). */
export const birdCard = {
  id: birdId,
  title: 'BIRD: SQL queries',
  explanation:
    'The agent reads how the tables of a small database are built and a question in words, and writes one SQL statement that answers it. SQLite runs the statement, and the answer is right if its rows are those of the right statement, in whatever order. The agent does not see the rows before. Evaluation asks questions that training never has, about tables that it knows.',
  options: birdOptions,
} as const satisfies FamilyCard;
