import {
  COLOURS,
  EPITHETS,
  FAMILY_NAMES,
  GIVEN_NAMES,
  HOUSES,
  PRODUCTS,
  PROFESSIONS,
  REGIONS,
  RIVERS,
  SEAS,
  TEAMS,
  THINGS,
  TOWNS,
} from './names.ts';
import { MAX_FOUND } from './options.ts';

/** An action, written in the original's tags. */
export type Action =
  | { readonly type: 'search'; readonly query: string }
  | { readonly type: 'answer'; readonly answer: string };

/** Maximum length of a query or an answer; the rest is cut. */
export const MAX_WORDS_LENGTH = 120;

export const searchAction = (query: string): string => `<search>${query}</search>`;
export const answerAction = (answer: string): string => `<answer>${answer}</answer>`;

const THINK = '<think>';
const THINK_END = '</think>';

/**
 * Parses `<search>query</search>` and `<answer>answer</answer>`, optionally after `<think>…</think>`. Null if
 * anything else precedes or follows, and for any other text.
 */
export function parseAction(text: string): Action | null {
  const action = withoutThought(text);
  const query = between(action, '<search>', '</search>');
  if (query !== null) return { type: 'search', query };
  const answer = between(action, '<answer>', '</answer>');
  return answer === null ? null : { type: 'answer', answer };
}

function withoutThought(text: string): string {
  if (!text.startsWith(THINK)) return text;
  const end = text.indexOf(THINK_END);
  if (end === -1) return text;
  const rest = text.slice(end + THINK_END.length);
  return rest.startsWith(' ') || rest.startsWith('\n') ? rest.slice(1) : rest;
}

/** The words between two tags that enclose the whole text, cut to length; null if they do not. */
function between(text: string, open: string, close: string): string | null {
  if (!text.startsWith(open)) return null;
  const end = text.length - close.length;
  if (text.indexOf(close, open.length) !== end || end < open.length) return null;
  return presentable(text.slice(open.length, Math.min(end, open.length + MAX_WORDS_LENGTH)));
}

/** Replaces control characters and lone surrogates, which searches and pages cannot handle, with spaces. */
function presentable(words: string): string {
  return words.replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}

/**
 * The normal form for comparing answers: lower case, no punctuation, no articles, single spaces. This is the
 * normalization of SQuAD's exact match (Rajpurkar et al., arXiv:1606.05250).
 */
export function normalised(answer: string): string {
  return answer
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, '')
    .replace(/\b(?:a|an|the)\b/g, ' ')
    .trim()
    .replace(/\s+/g, ' ');
}

// --- Observations -----------------------------------------------------------------------------

const NOTHING_FOUND = '<information>No passage has these words.</information>';
export const RIGHT = 'The answer is right.';
export const WRONG = 'The answer is wrong.';
export const INVALID = 'Invalid action. Only a search or an answer counts.';
export const NO_TURNS_LEFT = 'No turns are left.';

/** `<information>Doc 1(Title: Mara Olin) Mara Olin was born in Tarsk.</information>` */
export function information(found: readonly { title: string; text: string }[]): string {
  if (found.length === 0) return NOTHING_FOUND;
  const documents = found.map(({ title, text }, i) => `Doc ${i + 1}(Title: ${title}) ${text}`);
  return `<information>${documents.join(' ')}</information>`;
}

// --- Lexemes ----------------------------------------------------------------------------------

/**
 * Words and phrases of questions and passages. The words of a relation are one lexeme, the same in both, so
 * that they can be compared.
 */
const PHRASES = [
  'What',
  'Who',
  'Which town',
  'Which team',
  'Which river',
  'Which colour',
  'is',
  'was',
  'does',
  'a',
  'and',
  'the',
  'The',
  'It',
  'the town that',
  'the team that',
  'born in',
  'by profession',
  'a member of',
  'the author of',
  'set in',
  'the founder of',
  'based in',
  'known for',
  'flows through',
  'the region of',
  'the mayor of',
  'the home of',
  'wear',
  'flows into',
  'has friends in',
  'once played against',
  'read aloud in',
  'a reader of',
  'has a shop in',
  'a customer of',
  'a guest of',
  'once lost in',
] as const;

/** The same for all options, so that an agent can continue in another setting. */
export const LEXICON: readonly string[] = [
  '<search>',
  '</search>',
  '<answer>',
  '</answer>',
  '<information>',
  '</information>',
  ...Array.from({ length: MAX_FOUND }, (_, i) => `Doc ${i + 1}(Title:`),
  ')',
  '.',
  '?',
  'No passage has these words',
  RIGHT,
  WRONG,
  INVALID,
  NO_TURNS_LEFT,
  ...PHRASES,
  ...GIVEN_NAMES,
  ...FAMILY_NAMES,
  ...EPITHETS,
  ...THINGS,
  ...HOUSES,
  ...TOWNS,
  ...RIVERS,
  ...TEAMS,
  ...REGIONS,
  ...COLOURS,
  ...PROFESSIONS,
  ...PRODUCTS,
  ...SEAS,
];

// --- Thoughts ---------------------------------------------------------------------------------

export const THE_QUESTION_NAMES = 'The question names';
export const I_SEARCH_FOR = 'I search for';
export const I_ANSWER = 'I answer';
export const THOUGHT_LEXICON: readonly string[] = [THE_QUESTION_NAMES, I_SEARCH_FOR, I_ANSWER];
