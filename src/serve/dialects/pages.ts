import { NO_TURNS_LEFT } from '../../envs/pages/core/environment.ts';
import { webarenaId, webshopId } from '../../envs/pages/options.ts';
import { afterMark, type Dialect, pairReplies, retold } from '../dialect.ts';

/** Stands before a page that an action did not change. */
const SHOP_FAULT = /^Invalid action: .*? \[SEP\] /;

export const webshop: Dialect = {
  ...pairReplies,
  path: 'webshop',
  choices: [webshopId],
  environments: [webshopId],
  options: {},
  taskKey: 'session_id',
  wraps: false,
  hears: afterMark,
  original: retold(
    (page) => page,
    (page) => page.replace(SHOP_FAULT, ''),
  ),
};

const PART = / (?=\[\d+\] (?:heading|link|button|textbox|StaticText) ')/g;
const HEADS = / (?=(?:URL|OBJECTIVE|PREVIOUS ACTION): )/g;

/** A line for each part of the page, an empty one before them. */
const pageLines = (page: string): string =>
  page
    .replace('OBSERVATION: ', 'OBSERVATION:\n')
    .replace(PART, '\n')
    .replace('\n[1] ', '\n\n[1] ')
    .replace(HEADS, '\n');

const FENCE = '```';

/** The first text between triple backticks, else what follows `Action:`. */
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
  hears: fenced,
  original: retold(pageLines, pageLines),
  idKey: 'env_idx',
  created: (id) => ({ env_idx: id }),
  began: (_id, { told }) => ({ observation: told.observation, info: {} }),
  stepped: ({ told: { observation, reward, done } }) => ({
    observation,
    reward,
    // The client asks for nothing but this one.
    terminated: done,
    truncated: observation.endsWith(NO_TURNS_LEFT),
    info: {},
  }),
};
