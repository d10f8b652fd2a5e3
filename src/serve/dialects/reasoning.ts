import { reasoningCards } from '../../envs/reasoning/cards.ts';
import { afterMark, type Dialect, fieldReplies, own } from '../dialect.ts';

/** AgentGym has no such environments; they speak as most of its servers do. */
export const reasoning: readonly Dialect[] = reasoningCards.map(({ id }) => ({
  ...fieldReplies,
  path: id.replace(/^reasoning\/(.*)-v\d+$/, '$1'),
  choices: [id],
  environments: [id],
  options: {},
  taskKey: 'data_idx',
  wraps: false,
  hears: afterMark,
  original: own,
}));
