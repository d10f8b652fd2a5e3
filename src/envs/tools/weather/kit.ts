import type { Kit, Table } from '../core/kit.ts';
import { TOWNS } from '../core/user.ts';
import { weatherId } from '../options.ts';
import { templates, thoughts } from './templates.ts';
import { errors, weatherTools } from './tools.ts';
import * as world from './world.ts';

const upTo = (first: number, last: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step);

/** The positions of the towns, and a table of each town's days. */
function tables({ towns, dates, today, location }: world.WeatherWorld): readonly Table[] {
  return [
    {
      key: 'towns',
      title: `Today is ${today}, in ${location}`,
      columns: ['town', 'latitude', 'longitude', 'country', 'metres'],
      rows: towns.map(({ name, latitude, longitude, country_code, elevation }) => ({
        key: name,
        marks: [name],
        cells: [name, String(latitude), String(longitude), country_code, String(elevation)],
      })),
    },
    ...towns.map(({ name, latitude, longitude, days }) => ({
      key: name,
      title: name,
      columns: ['day', '° most', '° least', 'rain', 'snow', 'air'],
      rows: dates.map((date, i) => ({
        key: date,
        marks: [String(latitude), String(longitude), date],
        cells: [date, ...world.MEASURE_NAMES.map((measure) => String(days[measure][i]))],
      })),
    })),
  ];
}

export const weather: Kit<world.WeatherWorld> = {
  id: weatherId,
  name: 'weather',
  role: 'answer questions about the weather',
  turnLimit: 10,
  tools: weatherTools,
  templates,
  draw: world.drawWeather,
  errors: Object.values(errors),
  thoughts,
  replies: [
    ['date'],
    ['location'],
    ['results'],
    ['name', 'latitude', 'longitude', 'country_code'],
    ['latitude', 'longitude', 'daily'],
    ['time', ...world.MEASURE_NAMES],
    ['level'],
    ['elevation'],
    ['distance'],
  ],
  values: [
    ...new Set([
      // Temperatures, sums and indices; elevations in meters; distances in kilometers.
      ...upTo(-12, 150),
      ...world.ELEVATIONS,
      ...upTo(0, world.LONGEST_WAY, 100),
    ]),
    ...world.DATES,
    ...TOWNS,
    ...world.COUNTRIES,
    ...world.LEVEL_NAMES,
  ],
  answers: [],
  tables,
};
