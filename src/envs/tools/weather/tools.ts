/** Tools of the weather environment. */

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

function townAt({ towns }: WeatherWorld, { latitude, longitude }: Place): Town | undefined {
  return towns.find((town) => town.latitude === latitude && town.longitude === longitude);
}

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** A town's values from day `from` (included) to day `to` (excluded), by the name of the measurement. */
export type Series = (
  town: Town,
  from: number,
  to: number,
) => Readonly<Record<string, readonly number[]>>;

const seriesOf =
  (measure: Measure): Series =>
  ({ days }, from, to) => ({ [measure]: days[measure].slice(from, to) });

function daily(
  world: WeatherWorld,
  place: Place,
  series: Series,
  first: string,
  last: string,
): Result<WeatherWorld> {
  const town = townAt(world, place);
  if (town === undefined) return { error: errors.place };
  const [from, to] = [world.dates.indexOf(first), world.dates.indexOf(last) + 1];
  const { latitude, longitude } = place;
  const time = world.dates.slice(from, to);
  return { reply: { latitude, longitude, daily: { time, ...series(town, from, to) } } };
}

const what: Readonly<Record<Measure, string>> = {
  temperature_2m_max: 'the highest temperature of each day in degrees',
  temperature_2m_min: 'the lowest temperature of each day in degrees',
  rain_sum: 'the rain of each day in millimetres',
  snowfall_sum: 'the snow of each day in centimetres',
  air_quality_index: 'the air quality index of each day',
};

/** The word for a measurement in the names of tools. */
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

/** A tool for days before today. */
export const historical = (name: string, measures: string, series: Series) =>
  tool({
    name,
    description: `tells ${measures} from a first to a last day, both before today`,
    parameters: span,
    run(world: WeatherWorld, { start_date, end_date, ...where }) {
      if (!isBetween(world, start_date, end_date)) return { error: errors.past };
      if (start_date > end_date) return { error: errors.order };
      return end_date < world.today
        ? daily(world, where, series, start_date, end_date)
        : { error: errors.past };
    },
  });

/** A tool for days after today. */
export const forecast = (name: string, measures: string, series: Series) =>
  tool({
    name,
    description: `tells ${measures} from a first to a last day, both after today`,
    parameters: span,
    run(world: WeatherWorld, { start_date, end_date, ...where }) {
      if (!isBetween(world, start_date, end_date)) return { error: errors.ahead };
      if (start_date > end_date) return { error: errors.order };
      return start_date > world.today
        ? daily(world, where, series, start_date, end_date)
        : { error: errors.ahead };
    },
  });

/** A tool for today. */
export const current = (name: string, measures: string, series: Series) =>
  tool({
    name,
    description: `tells ${measures}, of today alone`,
    parameters: { ...place, current_date: aDate },
    run: (world: WeatherWorld, { current_date, ...where }) =>
      current_date === world.today
        ? daily(world, where, series, current_date, current_date)
        : { error: errors.today },
  });

function ofMeasures<T>(make: (measure: Measure) => T): Readonly<Record<Measure, T>> {
  const made = Object.keys(MEASURES).map((measure) => [measure, make(measure as Measure)]);
  return Object.fromEntries(made) as Record<Measure, T>;
}

export const past = ofMeasures((measure) =>
  historical(`get_historical_${called[measure]}`, what[measure], seriesOf(measure)),
);
export const ahead = ofMeasures((measure) =>
  forecast(`get_${called[measure]}_forecast`, what[measure], seriesOf(measure)),
);
export const now = ofMeasures((measure) =>
  current(`get_current_${called[measure]}`, what[measure], seriesOf(measure)),
);

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
