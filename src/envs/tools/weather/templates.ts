/** Goals of the weather environment, by rung. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { greatest, oneOf, someOf } from '../../draws.ts';
import type { Plan, Template } from '../core/kit.ts';
import type { Fillings } from '../core/pattern.ts';
import { toTell } from '../core/plans.ts';
import type { PlannedCall } from '../core/tool.ts';
import * as tools from './tools.ts';
import {
  airQualityLevel,
  distance,
  MEASURES,
  type Measure,
  type Town,
  type WeatherWorld,
} from './world.ts';

const why = {
  given: 'The goal gives all that the call needs.',
  where: 'I need to know where {town} lies.',
  lies: '{town} lies at {latitude} and {longitude}.',
  today: 'I need to know which day is today.',
  here: 'I need to know where I am.',
  index: 'The index is {index}.',
  apart: 'I compare the two places.',
  found: 'The reply says {answer}.',
  most: 'The greatest number belongs to {answer}.',
  sum: 'Together that is {answer}.',
  count: 'I count {answer}.',
  nearest: 'The nearest one is {answer}.',
} as const;

export const thoughts: readonly string[] = Object.values(why);

type World = WeatherWorld;
type Draw = Template<World>['plan'];

const at = ({ latitude, longitude }: Town) => ({ latitude, longitude });

const find = (town: Town): PlannedCall =>
  tools.coordinates.plan({ name: town.name }, why.where, { town: town.name });

/** A town's measurement on a day. */
const on = (world: World, town: Town, measure: Measure, date: string): number =>
  town.days[measure][world.dates.indexOf(date)] ?? 0;

const over = (world: World, town: Town, measure: Measure, days: readonly string[]) =>
  days.map((date) => on(world, town, measure, date));

const pastDays = ({ dates, today }: World) => dates.filter((date) => date < today);
const nextDays = ({ dates, today }: World) => dates.filter((date) => date > today);

/** Three or four consecutive days. */
function stretch(days: readonly string[], random: RandomGenerator): readonly string[] {
  const count = uniformInt(random, 3, 4);
  const from = uniformInt(random, 0, days.length - count);
  return days.slice(from, from + count);
}

/** The call for a measurement on past days in a town whose coordinates are known. */
function history(
  town: Town,
  measure: Measure,
  days: readonly string[],
  reason: string = why.lies,
): PlannedCall {
  const span = { start_date: days[0] ?? '', end_date: days.at(-1) ?? '' };
  return tools.past[measure].plan({ ...at(town), ...span }, reason, {
    town: town.name,
    ...at(town),
  });
}

function outlook(town: Town, measure: Measure, date: string, reason: string): PlannedCall {
  const args = { ...at(town), start_date: date, end_date: date };
  return tools.ahead[measure].plan(args, reason, { town: town.name, ...at(town) });
}

/** Draws a goal about a town. */
const ofTown =
  (plan: (town: Town, world: World, random: RandomGenerator) => Plan | null): Draw =>
  (world, random) =>
    plan(oneOf(world.towns, random), world, random);

/** Draws a goal about two towns. */
const ofTwo =
  (plan: (one: Town, other: Town, world: World, random: RandomGenerator) => Plan | null): Draw =>
  (world, random) => {
    const [one, other] = someOf(world.towns, 2, random);
    return one === undefined || other === undefined ? null : plan(one, other, world, random);
  };

// --- Rung one: the goal gives the coordinates -----------------------------------------------------

/** Questions about a measurement, for a past day and for a future one. */
const questions = {
  temperature_2m_max: ['What was the highest temperature', 'What will the highest temperature be'],
  temperature_2m_min: ['What was the lowest temperature', 'What will the lowest temperature be'],
  rain_sum: ['How many millimetres of rain fell', 'How many millimetres of rain will fall'],
  snowfall_sum: ['How many centimetres of snow fell', 'How many centimetres of snow will fall'],
} as const;

const asked = Object.keys(questions) as readonly (keyof typeof questions)[];

const given: readonly Template<World>[] = [
  {
    rung: 'one',
    goal: 'How many metres above the sea lies latitude {latitude}, longitude {longitude}?',
    plan: ofTown((town) =>
      toTell(at(town), [tools.elevation.plan(at(town), why.given)], town.elevation, why.found),
    ),
  },
  {
    rung: 'one',
    goal: 'At which latitude lies {town}?',
    plan: ofTown((town) => toTell({ town: town.name }, [find(town)], town.latitude, why.found)),
  },
  {
    rung: 'one',
    goal: 'In which country lies {town}?',
    plan: ofTown((town) => toTell({ town: town.name }, [find(town)], town.country_code, why.found)),
  },
  {
    rung: 'one',
    goal: 'What does the air quality index {index} mean?',
    plan(_, random) {
      const [least, most] = MEASURES.air_quality_index;
      const index = uniformInt(random, least, most);
      const call = tools.level.plan({ air_quality_index: index }, why.given);
      return toTell({ index }, [call], airQualityLevel(index), why.found);
    },
  },
  ...asked.flatMap((measure): Template<World>[] => [
    {
      rung: 'one',
      goal: `${questions[measure][0]} at latitude {latitude}, longitude {longitude} on {date}, before today?`,
      plan: ofTown((town, world, random) => {
        const date = oneOf(pastDays(world), random);
        const call = history(town, measure, [date], why.given);
        return toTell({ ...at(town), date }, [call], on(world, town, measure, date), why.found);
      }),
    },
    {
      rung: 'one',
      goal: `${questions[measure][1]} at latitude {latitude}, longitude {longitude} on {date}, after today?`,
      plan: ofTown((town, world, random) => {
        const date = oneOf(nextDays(world), random);
        const call = outlook(town, measure, date, why.given);
        return toTell({ ...at(town), date }, [call], on(world, town, measure, date), why.found);
      }),
    },
  ]),
];

// --- Rung two: by the names of towns ---------------------------------------------------------------

const chains: readonly Template<World>[] = [
  {
    rung: 'two',
    goal: 'How many metres above the sea lies {town}?',
    plan: ofTown((town) => {
      const lies = { town: town.name, ...at(town) };
      const call = tools.elevation.plan(at(town), why.lies, lies);
      return toTell({ town: town.name }, [find(town), call], town.elevation, why.found);
    }),
  },
  {
    rung: 'two',
    goal: 'How many kilometres is {town} from {other}?',
    plan: ofTwo((one, other) =>
      toTell(
        { town: one.name, other: other.name },
        [find(one), find(other), wayBetween(one, other)],
        between(one, other),
        why.found,
      ),
    ),
  },
  {
    rung: 'two',
    goal: 'What was the air like in {town} on {date}, before today?',
    plan: ofTown((town, world, random) => {
      const date = oneOf(pastDays(world), random);
      const index = on(world, town, 'air_quality_index', date);
      const level = tools.level.plan({ air_quality_index: index }, why.index, { index });
      const calls = [find(town), history(town, 'air_quality_index', [date]), level];
      return toTell({ town: town.name, date }, calls, airQualityLevel(index), why.found);
    }),
  },
  ...asked.flatMap((measure): Template<World>[] => [
    {
      rung: 'two',
      goal: `${questions[measure][0]} in {town} on {date}, before today?`,
      plan: ofTown((town, world, random) => {
        const date = oneOf(pastDays(world), random);
        const calls = [find(town), history(town, measure, [date])];
        return toTell({ town: town.name, date }, calls, on(world, town, measure, date), why.found);
      }),
    },
  ]),
];

function wayBetween(one: Town, other: Town): PlannedCall {
  const args = {
    latitude1: one.latitude,
    longitude1: one.longitude,
    latitude2: other.latitude,
    longitude2: other.longitude,
  };
  return tools.way.plan(args, why.apart);
}

const between = (one: Town, other: Town): number =>
  distance(one.latitude, one.longitude, other.latitude, other.longitude);

// --- Rung three: comparing, counting, adding up ----------------------------------------------------

/** Draws a goal about a town on consecutive days before today. */
const overDays =
  (
    measure: Measure,
    plan: (
      numbers: readonly number[],
      days: readonly string[],
      fillings: Fillings,
      calls: readonly PlannedCall[],
    ) => Plan | null,
  ): Draw =>
  (world, random) => {
    const town = oneOf(world.towns, random);
    const days = stretch(pastDays(world), random);
    return plan(
      over(world, town, measure, days),
      days,
      { town: town.name, first: days[0] ?? '', last: days.at(-1) ?? '' },
      [find(town), history(town, measure, days)],
    );
  };

const comparisons: readonly Template<World>[] = [
  {
    rung: 'three',
    goal: 'On which day from {first} to {last} was it warmest in {town}?',
    plan: overDays('temperature_2m_max', (numbers, days, fillings, calls) => {
      const day = greatest(days, (date) => numbers[days.indexOf(date)] ?? 0);
      return day === null ? null : toTell(fillings, calls, day, why.most);
    }),
  },
  {
    rung: 'three',
    goal: 'On how many days from {first} to {last} did snow fall in {town}?',
    plan: overDays('snowfall_sum', (numbers, _, fillings, calls) =>
      toTell(fillings, calls, numbers.filter((sum) => sum > 0).length, why.count),
    ),
  },
  {
    rung: 'three',
    goal: 'How many millimetres of rain fell from {first} to {last} in {town}?',
    plan: overDays('rain_sum', (numbers, _, fillings, calls) =>
      toTell(
        fillings,
        calls,
        numbers.reduce((sum, rain) => sum + rain, 0),
        why.sum,
      ),
    ),
  },
  {
    rung: 'three',
    goal: 'Which lies higher, {town} or {other}?',
    plan: ofTwo((one, other) => {
      const higher = greatest([one, other], ({ elevation }) => elevation);
      const calls = [one, other].flatMap((town) => [
        find(town),
        tools.elevation.plan(at(town), why.lies, { town: town.name, ...at(town) }),
      ]);
      const fillings = { town: one.name, other: other.name };
      return higher && toTell(fillings, calls, higher.name, why.most);
    }),
  },
];

// --- Rung four: combining several measurements -----------------------------------------------------

const several: readonly Template<World>[] = [
  {
    rung: 'four',
    goal: 'Where did more rain fall on {date}, before today: in {town} or in {other}?',
    plan: ofTwo((one, other, world, random) => {
      const date = oneOf(pastDays(world), random);
      const wetter = greatest([one, other], (town) => on(world, town, 'rain_sum', date));
      const calls = [one, other].flatMap((town) => [find(town), history(town, 'rain_sum', [date])]);
      const fillings = { town: one.name, other: other.name, date };
      return wetter && toTell(fillings, calls, wetter.name, why.most);
    }),
  },
  {
    rung: 'four',
    goal: 'Which is nearer to where I am, {town} or {other}?',
    plan: ofTwo((one, other, world) => {
      const here = world.towns.find(({ name }) => name === world.location);
      if (here === undefined || here === one || here === other) return null;
      const nearer = greatest([one, other], (town) => -between(here, town));
      const calls = [
        tools.location.plan({}, why.here),
        ...[here, one, other].map(find),
        ...[one, other].map((town) => wayBetween(here, town)),
      ];
      return (
        nearer && toTell({ town: one.name, other: other.name }, calls, nearer.name, why.nearest)
      );
    }),
  },
  {
    rung: 'four',
    goal: 'What is the highest temperature today in {town}, and how many millimetres of rain will fall there on {date}? Answer with both in a list.',
    plan: ofTown((town, world, random) => {
      const date = oneOf(nextDays(world), random);
      const lies = { town: town.name, ...at(town) };
      const args = { ...at(town), current_date: world.today };
      const calls = [
        tools.date.plan({}, why.today),
        find(town),
        tools.now.temperature_2m_max.plan(args, why.lies, lies),
        outlook(town, 'rain_sum', date, why.lies),
      ];
      const both = [
        on(world, town, 'temperature_2m_max', world.today),
        on(world, town, 'rain_sum', date),
      ];
      return toTell({ town: town.name, date }, calls, both, why.found);
    }),
  },
  {
    rung: 'four',
    goal: 'How many centimetres of snow fell from {first} to {last} in {town} and {other} together?',
    plan: ofTwo((one, other, world, random) => {
      const days = stretch(pastDays(world), random);
      const towns = [one, other];
      const numbers = towns.flatMap((town) => over(world, town, 'snowfall_sum', days));
      return toTell(
        { town: one.name, other: other.name, first: days[0] ?? '', last: days.at(-1) ?? '' },
        towns.flatMap((town) => [find(town), history(town, 'snowfall_sum', days)]),
        numbers.reduce((sum, snow) => sum + snow, 0),
        why.sum,
      );
    }),
  },
];

export const templates: readonly Template<World>[] = [
  ...given,
  ...chains,
  ...comparisons,
  ...several,
];
