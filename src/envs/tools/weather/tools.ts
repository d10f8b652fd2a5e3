/** The tools of the weather. */

import { number, type Result, text, tool } from '../core/tool.ts';
import { getDate, getLocation, TOWNS } from '../core/user.ts';
import {
  airQualityLevel,
  DATES,
  distance,
  LATITUDES,
  LONGITUDES,
  MEASURES,
  type Measure,
  type Town,
  type WeatherWorld,
} from './world.ts';

export const errors = {
  town: 'Error: there is no town of this name.',
  place: 'Error: there is no town at this place.',
  past: 'Error: the days must lie before today, and be known.',
  ahead: 'Error: the days must lie after today, and be known.',
  today: 'Error: this is not today.',
  order: 'Error: the last day must not lie before the first.',
} as const;

const latitude = number('degrees north', LATITUDES);
const longitude = number('degrees east', LONGITUDES);
const place = { latitude, longitude };
const aDate = text('a date', DATES);

function townAt(
  { towns }: WeatherWorld,
  where: { readonly latitude: number; readonly longitude: number },
): Town | undefined {
  return towns.find(
    (town) => town.latitude === where.latitude && town.longitude === where.longitude,
  );
}

type Where = { readonly latitude: number; readonly longitude: number };

/** A measure at a place over some days. */
function series(
  world: WeatherWorld,
  where: Where,
  measure: Measure,
  first: string,
  last: string,
): Result<WeatherWorld> {
  const town = townAt(world, where);
  if (town === undefined) return { error: errors.place };
  const [from, to] = [world.dates.indexOf(first), world.dates.indexOf(last) + 1];
  const daily = {
    time: world.dates.slice(from, to),
    [measure]: town.days[measure].slice(from, to),
  };
  return { reply: { latitude: where.latitude, longitude: where.longitude, daily } };
}

const what: Readonly<Record<Measure, string>> = {
  temperature_2m_max: 'the highest temperature of each day in degrees',
  temperature_2m_min: 'the lowest temperature of each day in degrees',
  rain_sum: 'the rain of each day in millimetres',
  snowfall_sum: 'the snow of each day in centimetres',
  air_quality_index: 'the air quality index of each day',
};

/** How the names of tools call a measure. */
const called: Readonly<Record<Measure, string>> = {
  temperature_2m_max: 'temp_max',
  temperature_2m_min: 'temp_min',
  rain_sum: 'rain',
  snowfall_sum: 'snow',
  air_quality_index: 'air_quality_index',
};

const span = { ...place, start_date: aDate, end_date: aDate };

const isBetween = ({ dates }: WeatherWorld, first: string, last: string): boolean =>
  dates.includes(first) && dates.includes(last);

const historical = (measure: Measure) =>
  tool({
    name: `get_historical_${called[measure]}`,
    description: `tells ${what[measure]} from a first to a last day, both before today`,
    parameters: span,
    run(world: WeatherWorld, { start_date, end_date, ...where }) {
      if (!isBetween(world, start_date, end_date)) return { error: errors.past };
      if (start_date > end_date) return { error: errors.order };
      return end_date < world.today
        ? series(world, where, measure, start_date, end_date)
        : { error: errors.past };
    },
  });

const forecast = (measure: Measure) =>
  tool({
    name: `get_${called[measure]}_forecast`,
    description: `tells ${what[measure]} from a first to a last day, both after today`,
    parameters: span,
    run(world: WeatherWorld, { start_date, end_date, ...where }) {
      if (!isBetween(world, start_date, end_date)) return { error: errors.ahead };
      if (start_date > end_date) return { error: errors.order };
      return start_date > world.today
        ? series(world, where, measure, start_date, end_date)
        : { error: errors.ahead };
    },
  });

const current = (measure: Measure) =>
  tool({
    name: `get_current_${called[measure]}`,
    description: `tells ${what[measure]}, of today alone`,
    parameters: { ...place, current_date: aDate },
    run: (world: WeatherWorld, { current_date, ...where }) =>
      current_date === world.today
        ? series(world, where, measure, current_date, current_date)
        : { error: errors.today },
  });

function ofMeasures<T>(make: (measure: Measure) => T): Readonly<Record<Measure, T>> {
  const made = Object.keys(MEASURES).map((measure) => [measure, make(measure as Measure)]);
  return Object.fromEntries(made) as Record<Measure, T>;
}

export const past = ofMeasures(historical);
export const ahead = ofMeasures(forecast);
export const now = ofMeasures(current);

export const date = getDate<WeatherWorld>();
export const location = getLocation<WeatherWorld>();

export const coordinates = tool({
  name: 'get_latitude_longitude',
  description: 'tells where a town lies',
  parameters: { name: text('name of a town', TOWNS) },
  run({ towns }: WeatherWorld, { name }) {
    const town = towns.find((candidate) => candidate.name === name);
    if (town === undefined) return { error: errors.town };
    const { latitude: north, longitude: east, country_code } = town;
    return { reply: { results: [{ name, latitude: north, longitude: east, country_code }] } };
  },
});

export const elevation = tool({
  name: 'get_elevation',
  description: 'tells how many metres above the sea a place lies',
  parameters: place,
  run(world: WeatherWorld, where) {
    const town = townAt(world, where);
    return town === undefined ? { error: errors.place } : { reply: { elevation: town.elevation } };
  },
});

export const way = tool({
  name: 'get_distance',
  description: 'tells how many kilometres two places are apart, in hundreds',
  parameters: {
    latitude1: latitude,
    longitude1: longitude,
    latitude2: latitude,
    longitude2: longitude,
  },
  run(world: WeatherWorld, { latitude1, longitude1, latitude2, longitude2 }) {
    const one = townAt(world, { latitude: latitude1, longitude: longitude1 });
    const other = townAt(world, { latitude: latitude2, longitude: longitude2 });
    if (one === undefined || other === undefined) return { error: errors.place };
    return { reply: { distance: distance(latitude1, longitude1, latitude2, longitude2) } };
  },
});

export const level = tool({
  name: 'get_air_quality_level',
  description: 'tells what an air quality index means',
  parameters: {
    air_quality_index: number(
      'an index',
      Array.from({ length: 151 }, (_, i) => i),
    ),
  },
  run: (_: WeatherWorld, { air_quality_index }) => ({
    reply: { level: airQualityLevel(air_quality_index) },
  }),
});

const { air_quality_index: _none, ...forecasts } = ahead;

export const weatherTools = [
  ...[date, location, coordinates],
  ...Object.values(past),
  ...Object.values(forecasts),
  ...Object.values(now),
  ...[level, elevation, way],
];
