/** The tools of the film database. */

import type { Json } from '../core/json.ts';
import { PEOPLE } from '../core/names.ts';
import { text, tool } from '../core/tool.ts';
import { FILM_IDS, type Film, type MovieWorld, PERSON_IDS, type Person, TITLES } from './world.ts';

export const errors = {
  film: 'Error: there is no film with this id.',
  person: 'Error: there is no person with this id.',
} as const;

const personOf = ({ people }: MovieWorld, id: string): Person | undefined =>
  people.find((person) => person.id === id);

/** A tool that returns a fact about the film with the given id. */
const ofFilm = (
  name: string,
  description: string,
  tell: (film: Film, nameOf: (person: string) => string) => Json,
) =>
  tool({
    name: `get_movie_${name}`,
    description,
    parameters: { movie_id: text('id of a film', FILM_IDS) },
    run(world: MovieWorld, { movie_id }) {
      const film = world.films.find(({ id }) => id === movie_id);
      const nameOf = (id: string) => personOf(world, id)?.name ?? '';
      return film === undefined ? { error: errors.film } : { reply: tell(film, nameOf) };
    },
  });

/** A tool that returns a fact about the person with the given id. */
const ofPerson = (
  name: string,
  description: string,
  tell: (person: Person, films: readonly Film[]) => Json,
) =>
  tool({
    name: `get_person_${name}`,
    description,
    parameters: { person_id: text('id of a person', PERSON_IDS) },
    run(world: MovieWorld, { person_id }) {
      const person = personOf(world, person_id);
      return person === undefined ? { error: errors.person } : { reply: tell(person, world.films) };
    },
  });

export const film = tool({
  name: 'get_search_movie',
  description: 'finds a film by its title',
  parameters: { movie_name: text('title of a film', TITLES) },
  run: ({ films }: MovieWorld, { movie_name }) => ({
    reply: films
      .filter(({ title }) => title === movie_name)
      .map(({ id, overview, title }) => ({ id, overview, title })),
  }),
});

export const filmDetails = ofFilm(
  'details',
  'tells title, budget and revenue in millions, genres, votes and the day of release of a film',
  ({ title, budget, genres, revenue, vote_average, release_date }) => ({
    ...{ title, budget, genres, revenue, vote_average, release_date },
  }),
);

export const companies = ofFilm(
  'production_companies',
  'tells which companies made a film',
  (found) => found.companies.map((name) => ({ name })),
);

export const countries = ofFilm(
  'production_countries',
  'tells in which countries a film was made',
  (found) => found.countries.map((name) => ({ name })),
);

export const cast = ofFilm('cast', 'tells who plays whom in a film', (found, nameOf) =>
  found.cast.map(({ person, character }) => ({ id: person, name: nameOf(person), character })),
);

export const crew = ofFilm('crew', 'tells who else made a film, and as what', (found, nameOf) =>
  found.crew.map(({ person, job }) => ({ id: person, name: nameOf(person), job })),
);

export const keywords = ofFilm('keywords', 'tells what a film is about, in single words', (found) =>
  found.keywords.map((name) => ({ name })),
);

export const otherTitle = ofFilm(
  'alternative_titles',
  'tells what a film is called elsewhere',
  (found) => [{ title: found.other_title }],
);

export const translation = ofFilm(
  'translation',
  'tells into which language a film was translated',
  ({ language, other_title }) => [{ language, title: other_title }],
);

export const person = tool({
  name: 'get_search_person',
  description: 'finds a person by name',
  parameters: { person_name: text('name of a person', PEOPLE) },
  run: ({ people }: MovieWorld, { person_name }) => ({
    reply: people.filter(({ name }) => name === person_name).map(({ id, name }) => ({ id, name })),
  }),
});

export const personDetails = ofPerson(
  'details',
  'tells name, life, birthday and place of birth of a person',
  ({ name, biography, birthday, place_of_birth }) => ({
    ...{ name, biography, birthday, place_of_birth },
  }),
);

export const roles = ofPerson('cast', 'tells in which films a person plays whom', ({ id }, films) =>
  films.flatMap(({ id: film_id, title, cast: played }) =>
    played
      .filter((role) => role.person === id)
      .map(({ character }) => ({ id: film_id, title, character })),
  ),
);

export const posts = ofPerson(
  'crew',
  'tells which films a person made, and as what',
  ({ id }, films) =>
    films.flatMap(({ id: film_id, title, crew: makers }) =>
      makers.filter((post) => post.person === id).map(({ job }) => ({ id: film_id, title, job })),
    ),
);

export const externalIds = ofPerson(
  'external_ids',
  'tells the id of a person elsewhere',
  ({ imdb_id }) => ({ imdb_id }),
);

export const movieTools = [
  ...[film, filmDetails, companies, countries, cast, crew, keywords, otherTitle, translation],
  ...[person, personDetails, roles, posts, externalIds],
];
