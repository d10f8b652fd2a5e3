import { NO_TURNS_LEFT } from '../../envs/pages/core/environment.ts';
import { webarenaId, webshopId } from '../../envs/pages/options.ts';
import { afterMark, type Dialect, pairReplies, withTexts } from '../dialect.ts';

/** The message that precedes a page which an action did not change. */
const SHOP_FAULT = /^Invalid action: .*? \[SEP\] /;

export const webshop: Dialect = {
  ...pairReplies,
  path: 'webshop',
  choices: [webshopId],
  environments: [webshopId],
  options: {},
  taskKey: 'session_id',
  wraps: false,
  parseAction: afterMark,
  original: withTexts(
    (page) => page,
    (page) => page.replace(SHOP_FAULT, ''),
  ),
};

const PART = / (?=\[\d+\] (?:heading|link|button|textbox|StaticText) ')/g;
const HEADS = / (?=(?:URL|OBJECTIVE|PREVIOUS ACTION): )/g;

/** An observation with each part of the page on its own line, after an empty line. */
const pageLines = (page: string): string =>
  page
    .replace('OBSERVATION: ', 'OBSERVATION:\n')
    .replace(PART, '\n')
    .replace('\n[1] ', '\n\n[1] ')
    .replace(HEADS, '\n');

const FENCE = '```';

/** The first text between triple backticks, otherwise the text after `Action:`. */
function fenced(sent: string): string {
  const at = sent.indexOf(FENCE);
  const end = at === -1 ? -1 : sent.indexOf(FENCE, at + FENCE.length);
  return end === -1 ? afterMark(sent) : sent.slice(at + FENCE.length, end).trim();
}

export const webarena: Dialect = {
  path: 'webarena',
  choices: [webarenaId],
  environments: [webarenaId],
  options: {},
  taskKey: 'idx',
  wraps: false,
  parseAction: fenced,
  original: withTexts(pageLines, pageLines),
  idKey: 'env_idx',
  created: (id) => ({ env_idx: id }),
  began: (_id, { result }) => ({ observation: result.observation, info: {} }),
  stepped: ({ result: { observation, reward, done } }) => ({
    observation,
    reward,
    // The client reads only this field.
    terminated: done,
    truncated: observation.endsWith(NO_TURNS_LEFT),
    info: {},
  }),
};
