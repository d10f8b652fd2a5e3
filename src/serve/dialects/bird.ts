import { birdId } from '../../envs/bird/options.ts';
import { afterMark, type Dialect, pairReplies, retold } from '../dialect.ts';

/** How the tables are built, up to the question. */
const TABLES = /^(.*(?:is the primary key|is the foreign key of id of \w+)[.]) /s;
const RESULT = /^Result: /;
const VERDICT = / The answer is (?:right|wrong)[.]$/;
const FENCES = /^```(?:sql)?|```$/gi;

/** One line without the marks of a block; texts in quotes keep their spaces as far as they are single. */
const statement = (sent: string): string =>
  afterMark(sent).replace(FENCES, '').trim().replace(/\s+/g, ' ').replace(/ ?;$/, '');

export const bird: Dialect = {
  ...pairReplies,
  path: 'bird',
  choices: [birdId],
  environments: [birdId],
  options: {},
  taskKey: 'item_id',
  wraps: false,
  hears: statement,
  original: retold(
    (question) => question.replace(TABLES, '$1\n\n'),
    (reply) => reply.replace(RESULT, '').replace(VERDICT, ''),
  ),
};
