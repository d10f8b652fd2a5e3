import { birdId } from '../../envs/bird/options.ts';
import { afterMark, type Dialect, pairReplies, withTexts } from '../dialect.ts';

/** The schema, up to the question. */
const TABLES = /^(.*(?:is the primary key|is the foreign key of id of \w+)[.]) /s;
const RESULT = /^Result: /;
const VERDICT = / The answer is (?:right|wrong)[.]$/;
const FENCES = /^```(?:sql)?|```$/gi;

/** One line without the marks of a code block; quoted texts keep single spaces. */
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
  parseAction: statement,
  original: withTexts(
    (question) => question.replace(TABLES, '$1\n\n'),
    (reply) => reply.replace(RESULT, '').replace(VERDICT, ''),
  ),
};
