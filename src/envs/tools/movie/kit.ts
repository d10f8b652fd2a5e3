import type { Kit, Table } from '../core/kit.ts';
import { PEOPLE } from '../core/names.ts';
import { TOWNS } from '../core/user.ts';
import { movieId } from '../options.ts';
import { templates, thoughts } from './templates.ts';
import { errors, movieTools } from './tools.ts';
import * as world from './world.ts';

/** The films with their cast and crew, and the people. */
function tables({ films, people }: world.MovieWorld): readonly Table[] {
  const nameOf = (id: string) => people.find((person) => person.id === id)?.name ?? '';
  return [
    {
      key: 'films',
      title: 'Films',
      columns: ['id', 'title', 'released', 'vote', 'directed by'],
      rows: films.map(({ id, title, release_date, vote_average, crew }) => ({
        key: id,
        marks: [title],
        cells: [
          ...[id, title, release_date, String(vote_average)],
          nameOf(crew.find(({ job }) => job === 'Director')?.person ?? ''),
        ],
      })),
    },
    {
      key: 'people',
      title: 'People',
      columns: ['id', 'name', 'born', 'in', 'plays in'],
      rows: people.map(({ id, name, birthday, place_of_birth }) => ({
        key: id,
        marks: [name],
        cells: [
          ...[id, name, birthday, place_of_birth],
          films
            .filter(({ cast }) => cast.some(({ person }) => person === id))
            .map((film) => film.id)
            .join(' '),
        ],
      })),
    },
  ];
}

export const movie: Kit<world.MovieWorld> = {
  id: movieId,
  name: 'movie',
  role: 'answer questions about films and those who made them',
  turnLimit: 12,
  tools: movieTools,
  templates,
  draw: (random) => world.drawMovies(TOWNS, random),
  errors: Object.values(errors),
  thoughts,
  replies: [
    ['id', 'overview', 'title'],
    ['title', 'budget', 'genres', 'revenue', 'vote_average', 'release_date'],
    ['name', 'biography', 'birthday', 'place_of_birth'],
    ['id', 'name', 'character', 'job'],
    ['language', 'title'],
    ['imdb_id'],
  ],
  values: [
    ...new Set([...world.MILLIONS, ...world.VOTES]),
    ...world.FILM_IDS,
    ...world.PERSON_IDS,
    ...world.IMDB_IDS,
    ...world.TITLES,
    ...world.OTHER_TITLES,
    ...PEOPLE,
    ...world.CHARACTERS,
    ...world.OVERVIEWS,
    ...world.GENRES,
    ...world.COMPANIES,
    ...world.FILM_COUNTRIES,
    ...world.KEYWORDS,
    ...world.LANGUAGES,
    ...world.BIOGRAPHIES,
    ...world.JOBS,
    ...new Set([...world.RELEASES, ...world.BIRTHDAYS]),
    ...TOWNS,
  ],
  answers: [],
  tables,
};
