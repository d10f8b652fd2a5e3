import { toolsCards } from '../../envs/tools/cards.ts';
import { createWithOriginalTools } from '../../envs/tools/original-tools.ts';
import { afterMark, bareReplies, type Dialect, withTexts } from '../dialect.ts';

const original = withTexts(
  (goal) => goal.replace(/^(Now new trial starts[.]) (.*) (Give me one action[.])$/s, '$1\n$2\n$3'),
  (reply) => reply.replace(/ (Give me one action[.])$/, '\n$1'),
);

/** Weather, films, papers, sheets and the to-do list differ only in their tools. */
export const tools: readonly Dialect[] = toolsCards.map(({ id }) => ({
  ...bareReplies,
  path: id.replace(/^tools\/(.*)-v\d+$/, '$1'),
  choices: [id],
  environments: [id],
  options: {},
  create: createWithOriginalTools,
  taskKey: 'id',
  wraps: false,
  parseAction: afterMark,
  original,
}));
