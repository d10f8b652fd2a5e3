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

/** A passage's number is its index in `passages` and the index of its entity in `world()`. */
interface Corpus {
  readonly passages: readonly Passage[];
  /**
   * Numbers of the `count` (at most 5) passages that match a query best, best first; none if no word matches.
   */
  search(query: string, count: number): readonly number[];
}

/** Words too common to distinguish passages. Queries may contain them. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and as at by did do does for from has he her his how in into is it its of on she that the
  their they to was were what when where which who whom whose why with`.split(/\s+/),
);
/** Weight of a match in the title, relative to one in the text. */
const TITLE_BOOST = 4;
/** Maximum number of words looked up per query; a name has two. */
const MAX_QUERY_TERMS = 16;
/**
 * A word in more than this share of the passages, such as `born`, is only looked up if a query has no rarer
 * one: it hardly changes the ranking but takes most of the time.
 */
const COMMON_SHARE = 0.1;
/** Size of the cache of results, by set of words. It is cleared when full. */
const REMEMBERED = 20_000;
const SEED = 77_031;

/** The words that a search uses: letters and digits, in lower case, without stop words. */
export function queryWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word));
}

/** How later sentences refer to the entity: a person by the family name, a book or company by `It`. */
function calledAgain({ kind, name }: Thing): string {
  if (kind === 'person') return name.slice(name.indexOf(' ') + 1);
  return kind === 'book' || kind === 'company' ? 'It' : name;
}

/** One to three sentences with an entity's facts, in random order and grouping. */
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

/** Scores are compared at this precision, because engines may differ in the last digits of a logarithm. */
const SCORE_STEPS = 1e6;

function buildCorpus(length: PassageLength): Corpus {
  const passages = writePassages(length);
  const index = new MiniSearch<Passage & { readonly id: number }>({
    fields: ['title', 'text'],
    tokenize: queryWords,
    // `queryWords` has already normalized the terms.
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
  /** The terms of a query: known words, without duplicates, in alphabetical order. */
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
 * The passages and their index: BM25+ (Lv and Zhai, CIKM 2011, "Lower-bounding term frequency normalization")
 * over title and text, with MiniSearch. Built on first use.
 */
export function corpusOf(length: PassageLength): Corpus {
  let corpus = corpora.get(length);
  if (corpus === undefined) {
    corpus = buildCorpus(length);
    corpora.set(length, corpus);
  }
  return corpus;
}
