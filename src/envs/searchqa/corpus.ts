import MiniSearch from 'minisearch';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { shuffled } from '../shuffled.ts';
import { MAX_FOUND, type PassageLength } from './options.ts';
import { fill, formsOf } from './relations.ts';
import { type Fact, type Thing, world } from './world.ts';

export interface Passage {
  readonly title: string;
  readonly text: string;
}

/** A passage's number is its place in `passages`, the same as its thing's in the world. */
export interface Corpus {
  readonly passages: readonly Passage[];
  /**
   * Numbers of the passages that match a query best, `count` (at most 5) of them, best first; none
   * where no word matches.
   */
  search(query: string, count: number): readonly number[];
}

/** Words too common to tell passages apart; a query may have them. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and as at by did do does for from has he her his how in into is it its of on she that the
  their they to was were what when where which who whom whose why with`.split(/\s+/),
);
/** A match in the title counts this many times one in the text. */
const TITLE_BOOST = 4;
/** Words of a query that are looked up; a name has two. */
const MAX_QUERY_TERMS = 16;
/**
 * A word in more than this share of the passages, such as `born`, is looked up only where a query
 * has no rarer one: it hardly changes the order of what is found, but takes most of the time.
 */
const COMMON_SHARE = 0.1;
/** Distinct sets of words whose best passages are remembered; then the memory is emptied. */
const REMEMBERED = 20_000;
const SEED = 77_031;

/** The words that a search looks at: of letters and digits, in lower case, no stop words. */
export function queryWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word));
}

/** What a later sentence calls its thing: a person by the family name, a work or house by `It`. */
function calledAgain({ kind, name }: Thing): string {
  if (kind === 'person') return name.slice(name.indexOf(' ') + 1);
  return kind === 'book' || kind === 'company' ? 'It' : name;
}

/** One to three sentences of a thing's facts, in an order and joined as the generator draws. */
function writeFacts(thing: Thing, random: RandomGenerator): string {
  const sentences: string[] = [];
  let joined = false;
  const joins = uniformInt(random, 0, 1) === 1;
  for (const { relation, value } of shuffled<Fact>(thing.facts, random)) {
    const { sentence } = formsOf(relation);
    const subjectFirst = sentence.startsWith('{s}');
    const before = sentences.at(-1);
    if (joins && !joined && subjectFirst && before?.startsWith(thing.name)) {
      sentences[sentences.length - 1] = `${before.slice(0, -1)} and${fill(sentence, '', value)}`;
      joined = true;
      continue;
    }
    const again = subjectFirst && before?.startsWith(thing.name);
    sentences.push(fill(sentence, again ? calledAgain(thing) : thing.name, value));
  }
  return sentences.join(' ');
}

function writePassages(length: PassageLength): readonly Passage[] {
  const random = mersenne(SEED);
  return world().map((thing) => {
    const facts = writeFacts(thing, random);
    const asideFirst = uniformInt(random, 0, 1) === 1;
    const { name: title, aside } = thing;
    if (length === 'short' || aside === '') return { title, text: facts };
    return { title, text: asideFirst ? `${aside} ${facts}` : `${facts} ${aside}` };
  });
}

/** Scores are compared at this precision: engines may differ in the last digits of a logarithm. */
const SCORE_STEPS = 1e6;

function buildCorpus(length: PassageLength): Corpus {
  const passages = writePassages(length);
  const index = new MiniSearch<Passage & { readonly id: number }>({
    fields: ['title', 'text'],
    tokenize: queryWords,
    // `queryWords` has done it.
    processTerm: (term) => term,
    searchOptions: { boost: { title: TITLE_BOOST } },
  });
  index.addAll(passages.map((passage, id) => ({ id, ...passage })));
  const rank = (query: string): readonly number[] =>
    index
      .search(query, { tokenize: (words) => words.split(' ') })
      .map(({ id, score }) => ({ id: Number(id), score: Math.round(score * SCORE_STEPS) }))
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, MAX_FOUND)
      .map(({ id }) => id);

  const frequency = new Map<string, number>();
  for (const { title, text } of passages) {
    for (const word of new Set(queryWords(`${title} ${text}`))) {
      frequency.set(word, (frequency.get(word) ?? 0) + 1);
    }
  }
  const rare = (word: string) => (frequency.get(word) ?? 0) <= COMMON_SHARE * passages.length;
  /** What is looked up for a query: known words, each once, in alphabetical order. */
  const lookedUp = (query: string): string => {
    const known = [...new Set(queryWords(query))].filter((word) => frequency.has(word));
    const telling = known.some(rare) ? known.filter(rare) : known;
    return telling.slice(0, MAX_QUERY_TERMS).sort().join(' ');
  };

  const remembered = new Map<string, readonly number[]>();
  return {
    passages,
    search(query, count) {
      const words = lookedUp(query);
      let found = remembered.get(words);
      if (found === undefined) {
        found = words === '' ? [] : rank(words);
        if (remembered.size >= REMEMBERED) remembered.clear();
        remembered.set(words, found);
      }
      return found.slice(0, count);
    },
  };
}

const corpora = new Map<PassageLength, Corpus>();

/**
 * The passages and their index: BM25+ (Lv and Zhai, CIKM 2011, "Lower-bounding term frequency
 * normalization") over title and text, by MiniSearch. Built at the first call.
 */
export function corpusOf(length: PassageLength): Corpus {
  let corpus = corpora.get(length);
  if (corpus === undefined) {
    corpus = buildCorpus(length);
    corpora.set(length, corpus);
  }
  return corpus;
}
