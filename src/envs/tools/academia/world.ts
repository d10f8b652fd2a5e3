/** Papers that cite each other and their authors, drawn for every goal. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf, someOf } from '../../draws.ts';
import { PEOPLE } from '../core/names.ts';

export type Paper = {
  readonly title: string;
  readonly year: number;
  readonly venue: string;
  readonly n_citation: number;
  readonly keywords: readonly string[];
  readonly doc_type: string;
  /** Titles. */
  readonly cites: readonly string[];
  /** Names. */
  readonly authors: readonly string[];
};

export type Author = { readonly name: string; readonly org: string };

export type AcademiaWorld = {
  /** The loaded graphs. */
  readonly loaded: readonly string[];
  readonly papers: readonly Paper[];
  readonly authors: readonly Author[];
};

export const PAPER_NET = 'PaperNet';
export const AUTHOR_NET = 'AuthorNet';

export const PAPERS = [
  ...['On Sparse Trees', 'Counting Paths', 'A Note on Locks', 'Learning to Wait'],
  ...['Small Worlds', 'Parsing by Touch', 'The Cost of Doubt', 'Lazy Graphs', 'Echo and Cache'],
  ...['Proofs for Free', 'Noise as a Guide', 'Sorting in the Dark', 'Two Kinds of Time'],
  ...['Maps without Edges', 'Asking Twice', 'Words and Weights', 'Deep Ponds', 'Fair Queues'],
  ...['The Last Byte', 'Colours of Risk', 'Folding Tables', 'Rules that Move', 'Slow Search'],
  ...['Bounds and Bridges', 'Trust by Number', 'Hidden Rooms', 'Streams of Keys'],
  ...['A Shorter Walk', 'Mirrors of Code', 'The Shape of Errors'],
];

export const VENUES = ['Journal of Trees', 'Northern Days', 'Graph Letters', 'Open Systems'];
export const TOPICS = ['search', 'proofs', 'graphs', 'language', 'risk', 'queues', 'memory'];
export const TYPES = ['Journal', 'Conference', 'Report'];
export const ORGS = [
  ...['Arvel University', 'Institute of Norwell', 'Calder College', 'Selby Laboratories'],
];
export const YEARS = Array.from({ length: 30 }, (_, n) => 1990 + n);
export const MOST_CITATIONS = 60;
export const MOST_CITED = 3;

const PAPER_COUNT = 8;
const AUTHOR_COUNT = 8;

export function drawAcademia(random: RandomGenerator): AcademiaWorld {
  const titles = someOf(PAPERS, PAPER_COUNT, random);
  const names = someOf(PEOPLE, AUTHOR_COUNT, random);
  const years = someOf(YEARS, PAPER_COUNT, random);
  return {
    loaded: [],
    papers: titles.map((title, i) => {
      const others = titles.filter((other) => other !== title);
      return {
        title,
        year: years[i] ?? 0,
        venue: oneOf(VENUES, random),
        n_citation: uniformInt(random, 0, MOST_CITATIONS),
        keywords: someOf(TOPICS, 2, random),
        doc_type: oneOf(TYPES, random),
        cites: someOf(others, uniformInt(random, 1, MOST_CITED), random),
        authors: someOf(names, uniformInt(random, 1, 3), random),
      };
    }),
    authors: names.map((name) => ({ name, org: oneOf(ORGS, random) })),
  };
}

/** Papers written by both. */
export const shared = ({ papers }: AcademiaWorld, one: string, other: string): readonly string[] =>
  papers
    .filter(({ authors }) => authors.includes(one) && authors.includes(other))
    .map(({ title }) => title);

/** Everyone with whom an author wrote a paper. */
export const coauthors = (world: AcademiaWorld, name: string): readonly string[] =>
  world.authors
    .map((author) => author.name)
    .filter((other) => other !== name && shared(world, name, other).length > 0);
