/** Towns with the weather of some days before and after today, drawn for every goal. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf, someOf } from '../../draws.ts';
import { day, days, TOWNS } from '../core/user.ts';

/** Measurements of a day, named as in replies, and their ranges. */
export const MEASURES = {
  temperature_2m_max: [4, 34],
  temperature_2m_min: [-12, 3],
  rain_sum: [0, 24],
  snowfall_sum: [0, 9],
  air_quality_index: [5, 120],
} as const;

export type Measure = keyof typeof MEASURES;
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly Measure[];

export type Town = {
  readonly name: string;
  /** Whole degrees. */
  readonly latitude: number;
  readonly longitude: number;
  readonly country_code: string;
  /** Meters. */
  readonly elevation: number;
  /** The values of each measurement for every day, from the first known one. */
  readonly days: Readonly<Record<Measure, readonly number[]>>;
};

export type WeatherWorld = {
  readonly today: string;
  readonly location: string;
  /** Known days, in order. */
  readonly dates: readonly string[];
  readonly towns: readonly Town[];
};

const upTo = (first: number, last: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step);

export const LATITUDES = upTo(40, 59);
export const LONGITUDES = upTo(-9, 20);
export const COUNTRIES = ['AR', 'BE', 'CO', 'DU', 'EL'];
export const ELEVATIONS = upTo(10, 900, 10);
export const DATES = days(40);

/** Number of known days before today, and after it. */
const PAST = 5;
const AHEAD = 4;
const TOWN_COUNT = 5;

/** Kilometers per degree on a flat map; distances are rounded to this. */
const KILOMETRES = 100;

/** The distance between two places in kilometers, rounded to the nearest hundred. */
export function distance(
  latitude1: number,
  longitude1: number,
  latitude2: number,
  longitude2: number,
): number {
  return Math.round(Math.hypot(latitude1 - latitude2, longitude1 - longitude2)) * KILOMETRES;
}

export const LONGEST_WAY = distance(40, -9, 59, 20);

export function drawWeather(random: RandomGenerator): WeatherWorld {
  const today = uniformInt(random, PAST, DATES.length - AHEAD - 1);
  const count = PAST + 1 + AHEAD;
  const names = someOf(TOWNS, TOWN_COUNT, random);
  const latitudes = someOf(LATITUDES, TOWN_COUNT, random);
  const longitudes = someOf(LONGITUDES, TOWN_COUNT, random);
  // Rain and snow are each 0 on about one day in three.
  const drawn = (measure: Measure): number => {
    const [least, most] = MEASURES[measure];
    const seldom = measure === 'rain_sum' || measure === 'snowfall_sum';
    return seldom && uniformInt(random, 0, 2) === 0 ? 0 : uniformInt(random, least, most);
  };
  const series = (measure: Measure) => Array.from({ length: count }, () => drawn(measure));
  return {
    today: day(today),
    location: oneOf(names, random),
    dates: Array.from({ length: count }, (_, i) => day(today - PAST + i)),
    towns: names.map((name, i) => ({
      name,
      latitude: latitudes[i] ?? 0,
      longitude: longitudes[i] ?? 0,
      country_code: oneOf(COUNTRIES, random),
      elevation: oneOf(ELEVATIONS, random),
      days: {
        temperature_2m_max: series('temperature_2m_max'),
        temperature_2m_min: series('temperature_2m_min'),
        rain_sum: series('rain_sum'),
        snowfall_sum: series('snowfall_sum'),
        air_quality_index: series('air_quality_index'),
      },
    })),
  };
}

/** European air quality levels: the upper bound of each index range except the last. */
const LEVELS = [
  [20, 'good'],
  [40, 'fair'],
  [60, 'moderate'],
  [80, 'poor'],
  [100, 'very poor'],
] as const;

const WORST = 'extremely poor';

export const LEVEL_NAMES: readonly string[] = [...LEVELS.map(([, name]) => name), WORST];

export function airQualityLevel(index: number): string {
  return LEVELS.find(([most]) => index <= most)?.[1] ?? WORST;
}
