import { describe, expect, it } from 'vitest';
import { plansFor, runnerOf } from '../testing/plans.ts';
import { templates } from './templates.ts';
import { errors, movieTools } from './tools.ts';
import type { Film, MovieWorld, Person } from './world.ts';

const person = (id: string, name: string, place_of_birth: string): Person => ({
  id,
  name,
  place_of_birth,
  biography: 'began on the stage',
  birthday: '1931-07-15',
  imdb_id: `nm${id.slice(1)}`,
});

const film = (id: string, title: string, rest: Partial<Film>): Film => ({
  id,
  title,
  overview: 'a trial',
  genres: ['drama', 'western'],
  budget: 10,
  revenue: 50,
  vote_average: 6.5,
  release_date: '1990-11-13',
  companies: ['Meridian'],
  countries: ['Italy'],
  keywords: ['snow', 'trains'],
  other_title: 'Titre 1',
  language: 'fr',
  cast: [],
  crew: [{ person: 'n1', job: 'Director' }],
  ...rest,
});

const world: MovieWorld = {
  people: [
    person('n1', 'Ada Brandt', 'Arvel'),
    person('n2', 'Boris Keel', 'Calder'),
    person('n3', 'Clara Voss', 'Garrow'),
  ],
  films: [
    film('m1', 'Night Ferry', {
      cast: [
        { person: 'n2', character: 'the baker' },
        { person: 'n3', character: 'the thief' },
      ],
      companies: ['Meridian', 'Owl House'],
    }),
    film('m2', 'Cold Harvest', {
      cast: [{ person: 'n2', character: 'the judge' }],
      crew: [{ person: 'n3', job: 'Director' }],
      vote_average: 8,
      release_date: '1984-03-01',
      revenue: 42,
    }),
  ],
};

const run = runnerOf<MovieWorld>(movieTools, world);
const plans = (goal: string) => plansFor(templates, goal, world);

describe('film database API', () => {
  it('searches by title or name, and returns an empty list if nothing matches', () => {
    expect(run('get_search_movie', { movie_name: 'Night Ferry' })).toEqual({
      reply: [{ id: 'm1', overview: 'a trial', title: 'Night Ferry' }],
    });
    expect(run('get_search_movie', { movie_name: 'Jaws' })).toEqual({ reply: [] });
    expect(run('get_search_person', { person_name: 'Ada Brandt' })).toEqual({
      reply: [{ id: 'n1', name: 'Ada Brandt' }],
    });
    expect(run('get_search_person', { person_name: 'Nobody' })).toEqual({ reply: [] });
  });

  it('describes films and people by id', () => {
    expect(run('get_movie_details', { movie_id: 'm2' })).toEqual({
      reply: {
        title: 'Cold Harvest',
        budget: 10,
        genres: ['drama', 'western'],
        revenue: 42,
        vote_average: 8,
        release_date: '1984-03-01',
      },
    });
    expect(run('get_movie_cast', { movie_id: 'm2' })).toEqual({
      reply: [{ id: 'n2', name: 'Boris Keel', character: 'the judge' }],
    });
    expect(run('get_movie_crew', { movie_id: 'm2' })).toEqual({
      reply: [{ id: 'n3', name: 'Clara Voss', job: 'Director' }],
    });
    expect(run('get_person_cast', { person_id: 'n2' })).toEqual({
      reply: [
        { id: 'm1', title: 'Night Ferry', character: 'the baker' },
        { id: 'm2', title: 'Cold Harvest', character: 'the judge' },
      ],
    });
    expect(run('get_person_crew', { person_id: 'n2' })).toEqual({ reply: [] });
    expect(run('get_movie_translation', { movie_id: 'm1' })).toEqual({
      reply: [{ language: 'fr', title: 'Titre 1' }],
    });
    expect(run('get_movie_cast', { movie_id: 'n1' })).toEqual({ error: errors.film });
    expect(run('get_person_details', { person_id: 'm1' })).toEqual({ error: errors.person });
  });
});

describe('film database goal', () => {
  const find = (title: string) => `get_search_movie ${title}`;

  it('gives the id on rung one', () => {
    expect(plans('Which genres has the film with the id {id}?').get('m1')).toEqual({
      calls: ['get_movie_details m1'],
      answer: ['drama', 'western'],
    });
    // Two companies made the other film, so there is no such question about it.
    expect([...plans('Which company made the film with the id {id}?').keys()]).toEqual(['m2']);
  });

  it('requires looking up the id on rung two', () => {
    const plays = plans('Who plays {character} in the film {title}?');
    expect(plays.get('the thief Night Ferry')).toEqual({
      calls: [find('Night Ferry'), 'get_movie_cast m1'],
      answer: 'Clara Voss',
    });
    const born = plans('Where was the director of the film {title} born?');
    expect(born.get('Cold Harvest')).toEqual({
      calls: [find('Cold Harvest'), 'get_movie_crew m2', 'get_person_details n3'],
      answer: 'Garrow',
    });
  });

  it('requires comparing, counting and subtracting on rung three', () => {
    const pair = 'Night Ferry Cold Harvest';
    const better = plans('Which has the better average vote, the film {one} or the film {other}?');
    expect(better.get(pair)?.answer).toBe('Cold Harvest');
    const first = plans('Which was released first, the film {one} or the film {other}?');
    expect(first.get(pair)?.answer).toBe('Cold Harvest');
    expect(plans('In how many films does {name} play?').get('Boris Keel')?.answer).toBe(2);
    expect(plans('How many people play in the film {title}?').get('Night Ferry')?.answer).toBe(2);
    const more = plans('How many millions more did the film {title} earn than it cost?');
    expect(more.get('Cold Harvest')?.answer).toBe(32);
  });

  it('requires intersecting or comparing lists on rung four', () => {
    const pair = 'Night Ferry Cold Harvest';
    const both = plans('Who plays both in the film {one} and in the film {other}?');
    expect(both.get(pair)?.answer).toBe('Boris Keel');
    const made = plans('Which company made both the film {one} and the film {other}?');
    expect(made.get(pair)?.answer).toBe('Meridian');
    const earliest = plans('Which of the films in which {name} plays was released first?');
    expect([...earliest]).toEqual([
      [
        'Boris Keel',
        {
          calls: [
            ...['get_search_person Boris Keel', 'get_person_cast n2'],
            ...['get_movie_details m1', 'get_movie_details m2'],
          ],
          answer: 'Cold Harvest',
        },
      ],
    ]);
    const directed = plans('In which film that {director} directed does {name} play?');
    expect(directed.get('Clara Voss Boris Keel')?.answer).toBe('Cold Harvest');
  });
});
