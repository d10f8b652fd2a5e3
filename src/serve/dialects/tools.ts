import { toolsCards } from '../../envs/tools/cards.ts';
import { afterMark, bareReplies, type Dialect, retold } from '../dialect.ts';

const original = retold(
  (goal) => goal.replace(/^(Now new trial starts[.]) (.*) (Give me one action[.])$/s, '$1\n$2\n$3'),
  (reply) => reply.replace(/ (Give me one action[.])$/, '\n$1'),
);

/** Weather, films, papers, sheets and the to-do list differ in their tools alone. */
export const tools: readonly Dialect[] = toolsCards.map(({ id }) => ({
  ...bareReplies,
  path: id.replace(/^tools\/(.*)-v\d+$/, '$1'),
  choices: [id],
  environments: [id],
  options: {},
  taskKey: 'id',
  wraps: false,
  hears: afterMark,
  original,
}));
