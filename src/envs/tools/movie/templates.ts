/** The goals of the film database, rung by rung. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { greatest, oneOf, someOf } from '../../draws.ts';
import type { Plan, Template } from '../core/kit.ts';
import { toTell } from '../core/plans.ts';
import type { Answer, PlannedCall } from '../core/tool.ts';
import * as tools from './tools.ts';
import type { Film, MovieWorld, Person } from './world.ts';

const why = {
  given: 'The goal gives all that the call needs.',
  filmOf: 'I need the id of the film {title}.',
  personOf: 'I need the id of {name}.',
  film: 'The film {title} has the id {id}.',
  person: '{name} has the id {id}.',
  found: 'The reply says {answer}.',
  most: 'The greater one belongs to {answer}.',
  first: 'The first one is {answer}.',
  count: 'I count {answer}.',
  rest: 'The difference is {answer}.',
  both: 'Only {answer} stands in both.',
} as const;

export const thoughts: readonly string[] = Object.values(why);

type Draw = Template<MovieWorld>['plan'];

const ofFilm =
  (plan: (film: Film, world: MovieWorld, random: RandomGenerator) => Plan | null): Draw =>
  (world, random) =>
    plan(oneOf(world.films, random), world, random);

const ofPerson =
  (plan: (person: Person, world: MovieWorld, random: RandomGenerator) => Plan | null): Draw =>
  (world, random) =>
    plan(oneOf(world.people, random), world, random);

const ofTwo =
  (plan: (one: Film, other: Film, world: MovieWorld) => Plan | null): Draw =>
  (world, random) => {
    const [one, other] = someOf(world.films, 2, random);
    return one === undefined || other === undefined ? null : plan(one, other, world);
  };

const findFilm = ({ title }: Film): PlannedCall =>
  tools.film.plan({ movie_name: title }, why.filmOf, { title });

const findPerson = ({ name }: Person): PlannedCall =>
  tools.person.plan({ person_name: name }, why.personOf, { name });

type FilmTool = typeof tools.filmDetails;
type PersonTool = typeof tools.personDetails;

const askFilm = (tool: FilmTool, { id, title }: Film): PlannedCall =>
  tool.plan({ movie_id: id }, why.film, { title, id });

const askPerson = (tool: PersonTool, { id, name }: Person): PlannedCall =>
  tool.plan({ person_id: id }, why.person, { name, id });

/** The name of a person by id. */
const nameIn = ({ people }: MovieWorld, id: string | undefined): string | undefined =>
  people.find((person) => person.id === id)?.name;

const maker = (world: MovieWorld, { crew }: Film, job: string): Person | undefined => {
  const id = crew.find((post) => post.job === job)?.person;
  return world.people.find((person) => person.id === id);
};

const only = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

// --- Rungs one and two: a fact about a film or a person, by id and by name -------------------------

/** Facts about a film: the question before and after the film, the tool to call, and the answer. */
const filmFacts: readonly (readonly [
  string,
  string,
  FilmTool,
  (film: Film) => Answer | undefined,
])[] = [
  ['When was', 'released?', tools.filmDetails, (film) => film.release_date],
  ['What is the average vote of', '?', tools.filmDetails, (film) => film.vote_average],
  ['How many millions did', 'cost?', tools.filmDetails, (film) => film.budget],
  ['Which genres has', '?', tools.filmDetails, (film) => film.genres],
  ['Which company made', '?', tools.companies, (film) => only(film.companies)],
  ['In which country was', 'made?', tools.countries, (film) => film.countries[0]],
  ['Which keywords has', '?', tools.keywords, (film) => film.keywords],
  ['What is another title of', '?', tools.otherTitle, (film) => film.other_title],
  ['Into which language was', 'translated?', tools.translation, (film) => film.language],
];

const personFacts: readonly (readonly [string, string, PersonTool, (person: Person) => Answer])[] =
  [
    ['When was', 'born?', tools.personDetails, (person) => person.birthday],
    ['Where was', 'born?', tools.personDetails, (person) => person.place_of_birth],
    ['What is told of the life of', '?', tools.personDetails, (person) => person.biography],
    ['Which id elsewhere has', '?', tools.externalIds, (person) => person.imdb_id],
  ];

/** The question around a name, with punctuation attached. */
const question = (before: string, thing: string, after: string): string =>
  after === '?' ? `${before} ${thing}?` : `${before} ${thing} ${after}`;

const facts: readonly Template<MovieWorld>[] = [
  ...filmFacts.flatMap(([before, after, tool, of]): Template<MovieWorld>[] => [
    {
      rung: 'one',
      goal: question(before, 'the film with the id {id}', after),
      plan: ofFilm((film) => {
        const answer = of(film);
        const calls = [tool.plan({ movie_id: film.id }, why.given)];
        return answer === undefined ? null : toTell({ id: film.id }, calls, answer, why.found);
      }),
    },
    {
      rung: 'two',
      goal: question(before, 'the film {title}', after),
      plan: ofFilm((film) => {
        const answer = of(film);
        const calls = [findFilm(film), askFilm(tool, film)];
        return answer === undefined
          ? null
          : toTell({ title: film.title }, calls, answer, why.found);
      }),
    },
  ]),
  ...personFacts.flatMap(([before, after, tool, of]): Template<MovieWorld>[] => [
    {
      rung: 'one',
      goal: question(before, 'the person with the id {id}', after),
      plan: ofPerson((person) => {
        const calls = [tool.plan({ person_id: person.id }, why.given)];
        return toTell({ id: person.id }, calls, of(person), why.found);
      }),
    },
    {
      rung: 'two',
      goal: question(before, '{name}', after),
      plan: ofPerson((person) => {
        const calls = [findPerson(person), askPerson(tool, person)];
        return toTell({ name: person.name }, calls, of(person), why.found);
      }),
    },
  ]),
  {
    rung: 'one',
    goal: 'What is the film {title} about?',
    plan: ofFilm((film) =>
      toTell({ title: film.title }, [findFilm(film)], film.overview, why.found),
    ),
  },
  {
    rung: 'two',
    goal: 'Who plays {character} in the film {title}?',
    plan: ofFilm((film, world, random) => {
      const { person, character } = oneOf(film.cast, random);
      const calls = [findFilm(film), askFilm(tools.cast, film)];
      const name = nameIn(world, person) ?? '';
      return toTell({ character, title: film.title }, calls, name, why.found);
    }),
  },
  {
    rung: 'two',
    goal: 'Where was the director of the film {title} born?',
    plan: ofFilm((film, world) => {
      const director = maker(world, film, 'Director');
      if (director === undefined) return null;
      const calls = [
        findFilm(film),
        askFilm(tools.crew, film),
        askPerson(tools.personDetails, director),
      ];
      return toTell({ title: film.title }, calls, director.place_of_birth, why.found);
    }),
  },
];

// --- Rung three: comparing, counting, subtracting --------------------------------------------------

const detailsOf = (films: readonly Film[]): readonly PlannedCall[] =>
  films.flatMap((film) => [findFilm(film), askFilm(tools.filmDetails, film)]);

const comparisons: readonly Template<MovieWorld>[] = [
  {
    rung: 'three',
    goal: 'Which has the better average vote, the film {one} or the film {other}?',
    plan: ofTwo((one, other) => {
      const better = greatest([one, other], ({ vote_average }) => vote_average);
      const fillings = { one: one.title, other: other.title };
      return better && toTell(fillings, detailsOf([one, other]), better.title, why.most);
    }),
  },
  {
    rung: 'three',
    goal: 'Which was released first, the film {one} or the film {other}?',
    plan: ofTwo((one, other) => {
      const first = one.release_date < other.release_date ? one : other;
      const fillings = { one: one.title, other: other.title };
      return toTell(fillings, detailsOf([one, other]), first.title, why.first);
    }),
  },
  {
    rung: 'three',
    goal: 'In how many films does {name} play?',
    plan: ofPerson((person, { films }) => {
      const count = films.filter(({ cast }) =>
        cast.some((role) => role.person === person.id),
      ).length;
      const calls = [findPerson(person), askPerson(tools.roles, person)];
      return toTell({ name: person.name }, calls, count, why.count);
    }),
  },
  {
    rung: 'three',
    goal: 'How many people play in the film {title}?',
    plan: ofFilm((film) =>
      toTell(
        { title: film.title },
        [findFilm(film), askFilm(tools.cast, film)],
        film.cast.length,
        why.count,
      ),
    ),
  },
  {
    rung: 'three',
    goal: 'How many millions more did the film {title} earn than it cost?',
    plan: ofFilm((film) =>
      toTell(
        { title: film.title },
        [findFilm(film), askFilm(tools.filmDetails, film)],
        film.revenue - film.budget,
        why.rest,
      ),
    ),
  },
];

// --- Rung four: the overlap of two lists, and the first of several ---------------------------------

const several: readonly Template<MovieWorld>[] = [
  {
    rung: 'four',
    goal: 'Who plays both in the film {one} and in the film {other}?',
    plan: ofTwo((one, other, world) => {
      const cast = new Set(other.cast.map(({ person }) => person));
      const shared = only(one.cast.filter(({ person }) => cast.has(person)));
      const name = nameIn(world, shared?.person);
      const calls = [one, other].flatMap((film) => [findFilm(film), askFilm(tools.cast, film)]);
      const fillings = { one: one.title, other: other.title };
      return name === undefined ? null : toTell(fillings, calls, name, why.both);
    }),
  },
  {
    rung: 'four',
    goal: 'Which company made both the film {one} and the film {other}?',
    plan: ofTwo((one, other) => {
      const shared = only(one.companies.filter((company) => other.companies.includes(company)));
      const calls = [one, other].flatMap((film) => [
        findFilm(film),
        askFilm(tools.companies, film),
      ]);
      const fillings = { one: one.title, other: other.title };
      return shared === undefined ? null : toTell(fillings, calls, shared, why.both);
    }),
  },
  {
    rung: 'four',
    goal: 'Which of the films in which {name} plays was released first?',
    plan: ofPerson((person, { films }) => {
      const played = films.filter(({ cast }) => cast.some((role) => role.person === person.id));
      const [first] = [...played].sort((a, b) => (a.release_date < b.release_date ? -1 : 1));
      if (first === undefined || played.length < 2) return null;
      const calls = [
        findPerson(person),
        askPerson(tools.roles, person),
        ...played.map((film) => askFilm(tools.filmDetails, film)),
      ];
      return toTell({ name: person.name }, calls, first.title, why.first);
    }),
  },
  {
    rung: 'four',
    goal: 'In which film that {director} directed does {name} play?',
    plan: ofTwo((film, _, world) => {
      const director = maker(world, film, 'Director');
      const actor = world.people.find(({ id }) => id === film.cast[0]?.person);
      if (director === undefined || actor === undefined || director === actor) return null;
      const plays = ({ cast }: Film) => cast.some(({ person }) => person === actor.id);
      const fits = world.films.filter((other) => maker(world, other, 'Director') === director);
      if (fits.filter(plays).length !== 1) return null;
      const calls = [
        ...[findPerson(director), askPerson(tools.posts, director)],
        ...[findPerson(actor), askPerson(tools.roles, actor)],
      ];
      const fillings = { director: director.name, name: actor.name };
      return toTell(fillings, calls, film.title, why.both);
    }),
  },
];

export const templates: readonly Template<MovieWorld>[] = [...facts, ...comparisons, ...several];
