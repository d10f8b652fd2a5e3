import { reasoningCards } from '../../envs/reasoning/cards.ts';
import { afterMark, type Dialect, fieldReplies, own } from '../dialect.ts';

/** AgentGym has no such environments; they use the protocol of most of its servers. */
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
