import type { FamilyCard } from '../types.ts';
import { birdId, birdOptions } from './options.ts';

/** Questions about databases, after the BIRD-SQL environment of AgentGym (arXiv:2406.04151). */
export const birdCard = {
  id: birdId,
  title: 'BIRD: SQL queries',
  explanation:
    'The agent reads the schema of a small database and a question in words, and writes one SQL statement that answers it. SQLite runs the statement. The answer is right if its rows equal those of the right statement, in any order. The agent does not see the rows before it answers. Evaluation asks questions that training never contains, about the same tables.',
  options: birdOptions,
} as const satisfies FamilyCard;
