/** Films and their cast and crew, drawn for every goal. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf, someOf } from '../../draws.ts';
import { PEOPLE } from '../core/names.ts';

export type Role = { readonly person: string; readonly character: string };
export type Post = { readonly person: string; readonly job: string };

export type Film = {
  readonly id: string;
  readonly title: string;
  readonly overview: string;
  readonly genres: readonly string[];
  /** Millions. */
  readonly budget: number;
  readonly revenue: number;
  readonly vote_average: number;
  readonly release_date: string;
  readonly companies: readonly string[];
  readonly countries: readonly string[];
  readonly keywords: readonly string[];
  /** Its title in another language. */
  readonly other_title: string;
  readonly language: string;
  /** By person id. */
  readonly cast: readonly Role[];
  readonly crew: readonly Post[];
};

export type Person = {
  readonly id: string;
  readonly name: string;
  readonly biography: string;
  readonly birthday: string;
  readonly place_of_birth: string;
  readonly imdb_id: string;
};

export type MovieWorld = {
  readonly films: readonly Film[];
  readonly people: readonly Person[];
};

const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

export const FILM_IDS = numbered('m', 40);
export const PERSON_IDS = numbered('n', 40);
export const IMDB_IDS = numbered('nm', 40);

export const TITLES = [
  ...['The Salt Road', 'Night Ferry', 'A Borrowed Coat', 'Seven Lanterns', 'The Quiet Mill'],
  ...['Paper Harbour', 'Winter Orchard', 'The Glass Bridge', 'Blue Gravel', 'Under the Viaduct'],
  ...['The Last Tram', 'Honey and Rust', 'A Map of Rain', 'The Ninth Bell', 'Copper Sky'],
  ...['The Clockmaker', 'Two Rivers', 'Falling Chalk', 'The Long Table', 'Amber Line'],
  ...['Cold Harvest', 'The Red Kite', 'Stone Lullaby', 'Letters to Ostby', 'The Tin Whistle'],
  ...['Half a Moon', 'Nobody Waits', 'The Ice Cellar', 'Small Thunder', 'The Empty Stage'],
  ...['River of Ash', 'The Other Twin', 'Green Ink', 'Last Post', 'The Tall Grass'],
  ...['Midnight Bakery', 'A House of Wind', 'The Forger', 'Sleeping Signals', 'White Noise Hill'],
];

export const CHARACTERS = [
  ...['the captain', 'the baker', 'the widow', 'the thief', 'the teacher', 'the brother'],
  ...['the mayor', 'the stranger', 'the pilot', 'the doctor', 'the clerk', 'the singer'],
  ...['the guard', 'the painter', 'the aunt', 'the judge'],
];

export const OVERVIEWS = [
  ...['a journey home', 'a theft at sea', 'an unlikely friendship', 'a town in winter'],
  ...['a trial', 'a lost letter', 'a family at war', 'a summer apart', 'a strange guest'],
  ...['a race against time', 'a secret in the attic', 'a wedding'],
];

export const GENRES = ['drama', 'comedy', 'thriller', 'western', 'romance', 'mystery', 'musical'];
export const COMPANIES = [
  ...['Lantern Pictures', 'Northlight', 'Oak Street Films', 'Meridian', 'Paper Moon'],
  ...['Tall Ship', 'Grindstone', 'Silver Gate', 'Owl House', 'Ferry Lane'],
];
export const FILM_COUNTRIES = ['Norway', 'Italy', 'Poland', 'Canada', 'Spain', 'Japan', 'Chile'];
export const KEYWORDS = [
  ...['snow', 'trains', 'letters', 'harbour', 'revenge', 'music', 'childhood', 'city at night'],
];
export const OTHER_TITLES = numbered('Titre ', 20);
export const LANGUAGES = ['fr', 'de', 'it', 'pl', 'es'];
export const BIOGRAPHIES = [
  ...['began on the stage', 'came from radio', 'studied law first', 'was a dancer'],
  ...['worked as a nurse', 'grew up on a farm'],
];
export const JOBS = ['Director', 'Writer', 'Composer'] as const;

/** Whole millions, and ratings with one decimal. */
export const MILLIONS = Array.from({ length: 101 }, (_, n) => n);
export const VOTES = Array.from({ length: 50 }, (_, n) => (40 + n) / 10);

const date = (n: number, from: number) =>
  `${from + (n % 40)}-${String(1 + ((n * 5) % 12)).padStart(2, '0')}-${String(1 + ((n * 7) % 28)).padStart(2, '0')}`;

/** One for each year. */
export const RELEASES = Array.from({ length: 40 }, (_, n) => date(n, 1980));
export const BIRTHDAYS = Array.from({ length: 40 }, (_, n) => date(n, 1925));

const FILM_COUNT = 8;
const PERSON_COUNT = 10;
const FEWEST_ROLES = 2;
const MOST_ROLES = 4;

export function drawMovies(places: readonly string[], random: RandomGenerator): MovieWorld {
  const names = someOf(PEOPLE, PERSON_COUNT, random);
  const personIds = someOf(PERSON_IDS, PERSON_COUNT, random);
  const imdb = someOf(IMDB_IDS, PERSON_COUNT, random);
  const birthdays = someOf(BIRTHDAYS, PERSON_COUNT, random);
  const people = names.map((name, i) => ({
    id: personIds[i] ?? '',
    name,
    biography: oneOf(BIOGRAPHIES, random),
    birthday: birthdays[i] ?? '',
    place_of_birth: oneOf(places, random),
    imdb_id: imdb[i] ?? '',
  }));
  const titles = someOf(TITLES, FILM_COUNT, random);
  const filmIds = someOf(FILM_IDS, FILM_COUNT, random);
  const releases = someOf(RELEASES, FILM_COUNT, random);
  const others = someOf(OTHER_TITLES, FILM_COUNT, random);
  const films = titles.map((title, i): Film => {
    const actors = someOf(personIds, uniformInt(random, FEWEST_ROLES, MOST_ROLES), random);
    const characters = someOf(CHARACTERS, MOST_ROLES, random);
    const makers = someOf(personIds, JOBS.length, random);
    return {
      id: filmIds[i] ?? '',
      title,
      overview: oneOf(OVERVIEWS, random),
      genres: someOf(GENRES, uniformInt(random, 1, 2), random),
      budget: uniformInt(random, 2, 40),
      revenue: uniformInt(random, 42, 100),
      vote_average: oneOf(VOTES, random),
      release_date: releases[i] ?? '',
      companies: someOf(COMPANIES, uniformInt(random, 1, 2), random),
      countries: someOf(FILM_COUNTRIES, 1, random),
      keywords: someOf(KEYWORDS, 2, random),
      other_title: others[i] ?? '',
      language: oneOf(LANGUAGES, random),
      cast: actors.map((person, a) => ({ person, character: characters[a] ?? '' })),
      crew: JOBS.map((job, j) => ({ person: makers[j] ?? '', job })),
    };
  });
  return { films, people };
}
