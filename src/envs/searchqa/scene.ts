import { resolveOptions } from '../options.ts';
import type { EnvironmentOptions } from '../types.ts';
import { corpusOf, queryWords } from './corpus.ts';
import {
  hasRead,
  isTaskNumber,
  rememberQuestions,
  type SearchQaState,
  TURN_LIMIT,
} from './environment.ts';
import { type Hops, MAX_FOUND, SEARCHQA_ID, searchqaOptions } from './options.ts';
import type { Hop, Question, QuestionPart } from './questions.ts';
import { formsOf } from './relations.ts';
import { MAX_WORDS_LENGTH, normalised } from './text.ts';
import { world } from './world.ts';

/** A piece of a passage: plain text, a word of the query, or the value that the question needs. */
export interface Segment {
  readonly text: string;
  readonly mark: 'none' | 'match' | 'evidence';
}

/** A passage that the last search found. */
export interface Card {
  readonly title: readonly Segment[];
  readonly text: readonly Segment[];
  /** Whether it is on the path from the question to its answer. */
  readonly onTheWay: boolean;
}

/** An entity or value on the path to the answer, and the relation that leads to it. */
export interface Link {
  /** Null at the start. */
  readonly relation: string | null;
  readonly value: string;
  /**
   * `given` by the question, `found` in a passage that was read, `hidden` from the agent so far, or `missed`:
   * never found, and revealed because the episode is over.
   */
  readonly status: 'given' | 'found' | 'hidden' | 'missed';
}

/** A search for an answer, ready to draw. */
export interface SearchQaScene {
  readonly question: readonly QuestionPart[];
  /** Subject, bridge (if there are two hops) and answer. */
  readonly chain: readonly Link[];
  /** All queries, oldest first. */
  readonly queries: readonly string[];
  /** The results of the last search; null before the first. */
  readonly cards: readonly Card[] | null;
  /** Maximum number of passages per search. */
  readonly documents: number;
  readonly answers: readonly { readonly text: string; readonly right: boolean }[];
  /** The correct answer once the episode is over; null before. */
  readonly truth: string | null;
  /** Turns spent on actions that were not understood. */
  readonly wasted: number;
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: 'running' | 'success' | 'wrong' | 'out of turns';
}

const isArrayOf = <T>(value: unknown, is: (item: unknown) => item is T): value is T[] =>
  Array.isArray(value) && value.length <= TURN_LIMIT && value.every(is);

const isWords = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_WORDS_LENGTH;

const isNumber = (value: unknown): value is number => typeof value === 'number';

function isSearch(value: unknown): value is SearchQaState['searches'][number] {
  if (typeof value !== 'object' || value === null) return false;
  const { query, found } = value as Record<string, unknown>;
  return isWords(query) && isArrayOf(found, isNumber) && found.length <= MAX_FOUND;
}

/** Whether a value from storage or a worker is a state of this environment. */
export function isSearchQaState(value: unknown): value is SearchQaState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, turn, searches, answers, solved } = value as Record<string, unknown>;
  return (
    isTaskNumber(task) &&
    isNumber(turn) &&
    isArrayOf(searches, isSearch) &&
    isArrayOf(answers, isWords) &&
    typeof solved === 'boolean'
  );
}

// Cached, because views query the same few settings repeatedly.
const questions = new Map<Hops, (n: number) => Question>();

function questionOf(hops: Hops, task: number): Question {
  const remembered = questions.get(hops) ?? rememberQuestions(hops);
  questions.set(hops, remembered);
  return remembered(task);
}

/**
 * The scene of an episode.
 * @param options the options that the environment was created with
 * Throws `EnvironmentOptionError`.
 */
export function searchQaScene(options: EnvironmentOptions, state: SearchQaState): SearchQaScene {
  const { hops, documents, passage, wrong_answer } = resolveOptions(
    SEARCHQA_ID,
    searchqaOptions,
    options,
  );
  const question = questionOf(hops, state.task);
  const { turn, answers, solved } = state;
  const lost = wrong_answer === 'ends' && answers.length > 0;
  const outcome = solved
    ? 'success'
    : lost
      ? 'wrong'
      : turn >= TURN_LIMIT
        ? 'out of turns'
        : 'running';
  const over = outcome !== 'running';

  const { passages } = corpusOf(passage);
  const last = state.searches.at(-1);
  const matched = new Set(last === undefined ? [] : queryWords(last.query));
  const card = (number: number): Card[] => {
    const found = passages[number];
    if (found === undefined) return [];
    const hop = question.hops.find(({ thing }) => thing === number);
    return [
      {
        title: segments(found.title, matched, undefined),
        text: segments(found.text, matched, hop?.value),
        onTheWay: hop !== undefined,
      },
    ];
  };

  return {
    question: question.parts,
    chain: chainOf(question, state, over),
    queries: state.searches.map(({ query }) => query),
    cards: last === undefined ? null : last.found.flatMap(card),
    documents,
    answers: answers.map((text) => ({
      text,
      right: normalised(text) === normalised(question.answer),
    })),
    truth: over ? question.answer : null,
    wasted: turn - state.searches.length - answers.length,
    turn,
    turnLimit: TURN_LIMIT,
    outcome,
  };
}

function chainOf({ hops }: Question, state: SearchQaState, over: boolean): Link[] {
  const subject = world()[hops[0]?.thing ?? -1]?.name ?? '';
  // A value counts as found if all values before it are: the town in a passage that was found by chance is
  // not yet known to be the town of the question.
  let found = true;
  const step = ({ thing, relation, value }: Hop): Link => {
    found &&= hasRead(state, thing);
    const status = found ? 'found' : over ? 'missed' : 'hidden';
    return { relation: formsOf(relation).label, value, status };
  };
  return [{ relation: null, value: subject, status: 'given' }, ...hops.map(step)];
}

/** Splits a text at the boundaries of marked parts. */
function segments(
  text: string,
  matched: ReadonlySet<string>,
  evidence: string | undefined,
): Segment[] {
  const at = evidence === undefined ? -1 : text.indexOf(evidence);
  if (evidence !== undefined && at !== -1) {
    return [
      ...segments(text.slice(0, at), matched, undefined),
      { text: evidence, mark: 'evidence' },
      ...segments(text.slice(at + evidence.length), matched, undefined),
    ];
  }
  return text
    .split(/(?<=\P{L})(?=\p{L})|(?<=\p{L})(?=\P{L})/u)
    .filter((piece) => piece !== '')
    .map((piece) => ({
      text: piece,
      mark: matched.has(piece.toLowerCase()) ? 'match' : 'none',
    }));
}

/** The scene in words, for screen readers. */
export function describeScene(scene: SearchQaScene): string {
  const { question, chain, queries, cards, answers, outcome, truth, turn, turnLimit } = scene;
  const sentences = [`Question: ${question.map(({ text }) => text).join('')}`];
  const query = queries.at(-1);
  if (query !== undefined && cards !== null) {
    const titles = cards.map(({ title }) => title.map(({ text }) => text).join(''));
    const found = titles.length === 0 ? 'nothing' : titles.join(', ');
    sentences.push(`Search ${queries.length} was for “${query}” and found ${found}.`);
  }
  for (const [i, { relation, value, status }] of chain.entries()) {
    if (status === 'found') sentences.push(`${chain[i - 1]?.value}, ${relation}: ${value}.`);
  }
  const answer = answers.at(-1);
  if (answer !== undefined) {
    sentences.push(
      `The agent answered “${answer.text}”, which is ${answer.right ? 'correct' : 'wrong'}.`,
    );
  }
  if (outcome === 'out of turns') sentences.push('No turns are left.');
  if (truth !== null && outcome !== 'success') sentences.push(`The correct answer was ${truth}.`);
  sentences.push(`Turn ${turn} of ${turnLimit}.`);
  return sentences.join(' ');
}
