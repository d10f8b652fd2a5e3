import { reasoningCards } from '../../envs/reasoning/cards.ts';
import { afterMark, type Dialect, fieldReplies, own } from '../dialect.ts';

/** AgentGym has no such environments. The protocol is the one that most of its servers use. */
export const reasoning: readonly Dialect[] = reasoningCards.map(({ id }) => ({
  ...fieldReplies,
  path: id.replace(/^reasoning\/(.*)-v\d+$/, '$1'),
  choices: [id],
  environments: [id],
  options: {},
  taskKey: 'data_idx',
  wraps: false,
  parseAction: afterMark,
  original: own,
}));
