/** Detects problems of single episodes from their text. Batch means hide such problems. */

import { promptText, type RolloutEpisode, sampledText } from './episode.ts';

export const episodeFlags = [
  'repetition',
  'truncated',
  'format_error',
  'empty',
  'copied_prompt',
  'reward_without_success',
] as const;
export type EpisodeFlag = (typeof episodeFlags)[number];

export const flagTitles: Readonly<Record<EpisodeFlag, string>> = {
  repetition: 'Repeats itself',
  truncated: 'Cut off',
  format_error: 'Wrong format',
  empty: 'Empty answer',
  copied_prompt: 'Copies its prompt',
  reward_without_success: 'Reward without success',
};

/** Number of characters inspected per text. */
const MOST = 60_000;
/** Words per shingle, and minimum number of words for a text to be judged by its shingles. */
const SHINGLE = 6;
const LONG_ENOUGH = 48;
/** Minimum share of shingles that occurred earlier in the text. */
const REPEATED = 0.5;
/** Minimum share of shingles that also occur in the prompt, and minimum number of words. */
const COPIED = 0.7;
const COPIED_WORDS = 24;
/** Minimum number of repetitions at the end of a text, and of characters that they cover. */
const LOOPS = 4;
const LOOP_LENGTH = 60;
/** Minimum number of consecutive turns with the same observation and action. */
const SAME_ACTIONS = 5;
/** Minimum share of turns that repeat an earlier one, and minimum number of turns. */
const IN_CIRCLES = 0.5;
const FEWEST_TURNS = 6;

/** FNV-1a of each word, in lower case; other characters separate words. */
function wordsOf(text: string): number[] {
  const words: number[] = [];
  let [hash, length] = [FNV, 0];
  for (let i = 0; i <= text.length; i++) {
    const code = i === text.length ? 0x20 : text.charCodeAt(i);
    const upper = code >= 0x41 && code <= 0x5a;
    const inWord =
      upper ||
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x30 && code <= 0x39) ||
      code > 0xbf ||
      code === 0x5f;
    if (inWord) {
      hash = Math.imul(hash ^ (upper ? code + 32 : code), 0x01000193);
      length++;
    } else if (length > 0) {
      words.push(hash);
      [hash, length] = [FNV, 0];
    }
  }
  return words;
}

const FNV = 0x811c9dc5 | 0;

/** A hash of each shingle, a run of `SHINGLE` words. */
function shingles(words: readonly number[]): number[] {
  const found: number[] = [];
  for (let i = 0; i + SHINGLE <= words.length; i++) {
    let hash = FNV;
    for (let j = i; j < i + SHINGLE; j++)
      hash = Math.imul(hash ^ (words[j] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    found.push(hash);
  }
  return found;
}

/** Whether the end of a text is periodic. */
export function endsInLoop(text: string): boolean {
  const end = text.slice(-4000).trimEnd();
  const last = end.length - 1;
  for (let period = 1; period <= 400 && LOOPS * period <= end.length; period++) {
    const needed = Math.max(LOOPS * period, LOOP_LENGTH) - period;
    if (needed + period > end.length) continue;
    let same = 0;
    while (same < needed && end.charCodeAt(last - same) === end.charCodeAt(last - same - period))
      same++;
    if (same >= needed && /[\p{L}\p{N}]/u.test(end.slice(-period))) return true;
  }
  return false;
}

/** Whether any answer repeats itself. */
function repeats(texts: readonly string[]): boolean {
  const whole = texts.join('\n').slice(0, MOST);
  if (texts.some(endsInLoop)) return true;
  const words = wordsOf(whole);
  if (words.length < LONG_ENOUGH || texts.length > 2) return false;
  const seen = new Set<number>();
  let [all, again] = [0, 0];
  for (const one of shingles(words)) {
    all++;
    if (seen.has(one)) again++;
    seen.add(one);
  }
  return again >= REPEATED * all;
}

/** A sentence at the start of an observation that says that the action had no effect. */
const NO_EFFECT =
  /^[^.!?\n]{0,200}\b(invalid|unknown|illegal|nothing happen|cannot do|can't do|no effect)[^.!?\n]{0,200}[.!?\n]\s*/i;

/**
 * Whether the episode goes in circles: the same action after the same observation, in many turns or
 * many times in a row. Repeating only the action may be correct, for example when walking straight ahead.
 */
function circles(messages: RolloutEpisode['messages']): boolean {
  const tried = new Set<string>();
  let [turns, again, run, observation, last] = [0, 0, 0, '', ''];
  for (const { sampled, text } of messages) {
    if (!sampled) {
      observation = text.slice(0, MOST).replace(NO_EFFECT, '');
      continue;
    }
    const action = text.slice(0, MOST).trim();
    if (action === '') continue;
    turns++;
    const turn = wordsOf(observation).concat(-1, wordsOf(action)).join();
    run = turn === last ? run + 1 : 1;
    if (run >= SAME_ACTIONS) return true;
    if (tried.has(turn)) again++;
    tried.add(turn);
    last = turn;
  }
  return turns >= FEWEST_TURNS && again >= IN_CIRCLES * turns;
}

function copies(prompt: string, text: string): boolean {
  const words = wordsOf(text.slice(0, MOST));
  if (words.length < COPIED_WORDS) return false;
  const known = new Set(shingles(wordsOf(prompt.slice(0, 4 * MOST))));
  let [all, copied] = [0, 0];
  for (const one of shingles(words)) {
    all++;
    if (known.has(one)) copied++;
  }
  return copied >= COPIED * all;
}

const TAGS = ['think', 'answer', 'tool_call', 'action', 'search', 'code'];

/** Whether a tag or code fence is opened and never closed. */
function unclosed(text: string): boolean {
  if (TAGS.some((tag) => text.includes(`<${tag}>`) && !text.includes(`</${tag}>`))) return true;
  // Not `\s`: it includes line breaks, which makes the search quadratic.
  return (text.match(/^[ \t]*```/gm) ?? []).length % 2 === 1;
}

/** Replies of environments and tools to input that they could not parse. */
const COMPLAINT =
  /\b(invalid|illegal|unknown|unrecogni[sz]ed|malformed|unparsable|unsupported) (action|command|format|tool|move|input|syntax|json|function|argument|response)s?\b|\b(could not|cannot|can't|failed to|unable to) (parse|understand|decode|interpret)\b|\b(not (a )?valid|not an? allowed|no such (tool|action|command))\b|\bparse error\b|JSONDecodeError|\bformat (is )?(incorrect|wrong|error)\b|\bplease (use|follow) the (correct|required) format\b/i;

/** Names of graders' format scores. */
const FORMAT = /(^|[/_])(format(_reward|_score|_correct|_acc)?|valid_action|is_valid)$/i;

function wrongFormat({ messages, numbers }: RolloutEpisode): boolean {
  const formatReward = Object.entries(numbers).find(([key]) => FORMAT.test(key));
  if (formatReward !== undefined) return formatReward[1] <= 0;
  const firstSampled = messages.findIndex(({ sampled }) => sampled);
  const answered = messages.slice(firstSampled + 1).filter(({ sampled }) => !sampled);
  return firstSampled !== -1 && answered.some(({ text }) => COMPLAINT.test(text.slice(0, MOST)));
}

const isEmpty = (text: string) =>
  text.replaceAll(/<\|?[\w/ -]+\|?>/g, '').replaceAll(/[\s\p{P}\p{S}]+/gu, '') === '';

/** Statistics over all episodes of a file. */
export interface RolloutLevels {
  /** Length in tokens or characters at which many episodes end; null if there is none. */
  readonly cap: number | null;
  /** Mean reward of episodes that succeed; null if there is none. */
  readonly successReward: number | null;
  /** Upper quartile of the rewards. */
  readonly highReward: number;
  readonly lowReward: number;
}

/** Flags that depend on the episode alone. */
export function flagsOf(episode: RolloutEpisode): readonly EpisodeFlag[] {
  const own = episode.messages.filter(({ sampled }) => sampled).map(({ text }) => text);
  const text = sampledText(episode);
  const flags: EpisodeFlag[] = [];
  const [last = ''] = own.slice(-1);
  if (own.length === 0 || isEmpty(last)) flags.push('empty');
  if (repeats(own) || circles(episode.messages)) flags.push('repetition');
  if (episode.truncated ?? (last !== '' && unclosed(last))) flags.push('truncated');
  if (wrongFormat(episode)) flags.push('format_error');
  if (copies(promptText(episode), text)) flags.push('copied_prompt');
  return flags;
}

/** Length in tokens if known, else in characters. */
export const lengthOf = (episode: RolloutEpisode): number =>
  episode.tokens ?? sampledText(episode).length;

/** Whether an unsuccessful episode has a high reward, compared with the other episodes. */
export function rewardedWithoutSuccess(
  { reward, success }: Pick<RolloutEpisode, 'reward' | 'success'>,
  { successReward, highReward, lowReward }: RolloutLevels,
): boolean {
  if (success !== false || reward === null || !(reward > lowReward)) return false;
  return successReward === null
    ? reward >= highReward && reward > 0
    : reward >= 0.9 * successReward;
}
