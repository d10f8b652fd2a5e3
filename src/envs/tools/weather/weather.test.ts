import { describe, expect, it } from 'vitest';
import { plansFor, runnerOf } from '../testing/plans.ts';
import { templates } from './templates.ts';
import { errors, weatherTools } from './tools.ts';
import { airQualityLevel, distance, type Town, type WeatherWorld } from './world.ts';

const DATES = [5, 6, 7, 8, 9, 10].map((n) => `2026-03-${String(n).padStart(2, '0')}`);

const town = (name: string, latitude: number, longitude: number, elevation: number): Town => ({
  name,
  latitude,
  longitude,
  country_code: 'AR',
  elevation,
  days: {
    temperature_2m_max: [10, 14, 12, 9, 8, 7],
    temperature_2m_min: [1, 2, 3, -4, -5, 0],
    rain_sum: [0, 3, 4, 0, 6, 1],
    snowfall_sum: [2, 0, 1, 0, 0, 0],
    air_quality_index: [20, 21, 61, 101, 5, 80],
  },
});

const arvel = town('Arvel', 50, 0, 120);
const calder = town('Calder', 53, 4, 40);
const garrow: Town = {
  ...town('Garrow', 50, 1, 300),
  days: { ...arvel.days, rain_sum: [0, 9, 9, 0, 0, 0] },
};

/** Three past days, today, and two future ones. */
const world: WeatherWorld = {
  today: '2026-03-08',
  location: 'Garrow',
  dates: DATES,
  towns: [arvel, calder, garrow],
};

const run = runnerOf<WeatherWorld>(weatherTools, world);
const plans = (goal: string) => plansFor(templates, goal, world);
const at = { latitude: 50, longitude: 0 };
const from = (start_date: string, end_date: string) => ({ ...at, start_date, end_date });

describe('weather API', () => {
  it("returns a town's position and its past, present and future weather", () => {
    expect(run('get_latitude_longitude', { name: 'Arvel' })).toEqual({
      reply: { results: [{ name: 'Arvel', ...at, country_code: 'AR' }] },
    });
    expect(run('get_historical_rain', from('2026-03-05', '2026-03-07'))).toEqual({
      reply: {
        ...at,
        daily: { time: ['2026-03-05', '2026-03-06', '2026-03-07'], rain_sum: [0, 3, 4] },
      },
    });
    expect(run('get_current_temp_min', { ...at, current_date: '2026-03-08' })).toEqual({
      reply: { ...at, daily: { time: ['2026-03-08'], temperature_2m_min: [-4] } },
    });
    expect(run('get_snow_forecast', from('2026-03-10', '2026-03-10'))).toEqual({
      reply: { ...at, daily: { time: ['2026-03-10'], snowfall_sum: [0] } },
    });
    expect(run('get_elevation', at)).toEqual({ reply: { elevation: 120 } });
    const ways = { latitude1: 50, longitude1: 0, latitude2: 53, longitude2: 4 };
    expect(run('get_distance', ways)).toEqual({ reply: { distance: 500 } });
    expect(run('get_user_current_location')).toEqual({ reply: { location: 'Garrow' } });
  });

  it('rejects dates outside the period of a tool, and unknown places', () => {
    const error = (name: string, args: Parameters<typeof run>[1]) => run(name, args);
    expect(error('get_historical_rain', from('2026-03-07', '2026-03-08'))).toEqual({
      error: errors.past,
    });
    expect(error('get_historical_rain', from('2026-03-07', '2026-03-05'))).toEqual({
      error: errors.order,
    });
    expect(error('get_historical_rain', from('2026-01-01', '2026-03-05'))).toEqual({
      error: errors.past,
    });
    expect(error('get_rain_forecast', from('2026-03-08', '2026-03-09'))).toEqual({
      error: errors.ahead,
    });
    expect(error('get_current_rain', { ...at, current_date: '2026-03-07' })).toEqual({
      error: errors.today,
    });
    expect(error('get_elevation', { latitude: 50, longitude: 9 })).toEqual({ error: errors.place });
    expect(error('get_latitude_longitude', { name: 'Nowhere' })).toEqual({ error: errors.town });
  });

  it('returns air quality levels with inclusive upper bounds', () => {
    const levels = [0, 20, 21, 40, 41, 60, 61, 80, 81, 100, 101].map(airQualityLevel);
    expect(levels).toEqual([
      ...['good', 'good', 'fair', 'fair', 'moderate', 'moderate', 'poor', 'poor'],
      ...['very poor', 'very poor', 'extremely poor'],
    ]);
    expect(distance(50, 0, 50, 0)).toBe(0);
  });
});

describe('weather goal', () => {
  const find = (name: string) => `get_latitude_longitude ${name}`;

  it('requires one call on rung one', () => {
    const rain = plans(
      'How many millimetres of rain fell at latitude {latitude}, longitude {longitude} on {date}, before today?',
    );
    expect(rain.get('50 1 2026-03-06')).toEqual({
      calls: ['get_historical_rain 50 1 2026-03-06 2026-03-06'],
      answer: 9,
    });
    expect([...rain.keys()].some((fillings) => fillings.includes('2026-03-08'))).toBe(false);
  });

  it("requires looking up a town's position on rung two", () => {
    expect(plans('How many kilometres is {town} from {other}?').get('Arvel Calder')).toEqual({
      calls: [find('Arvel'), find('Calder'), 'get_distance 50 0 53 4'],
      answer: 500,
    });
    const air = plans('What was the air like in {town} on {date}, before today?');
    expect(air.get('Calder 2026-03-07')).toEqual({
      calls: [
        find('Calder'),
        'get_historical_air_quality_index 53 4 2026-03-07 2026-03-07',
        'get_air_quality_level 61',
      ],
      answer: 'poor',
    });
  });

  it('requires comparing, counting and adding up on rung three', () => {
    const days = '2026-03-05 2026-03-07';
    const warmest = plans('On which day from {first} to {last} was it warmest in {town}?');
    const span = `Arvel ${days}`;
    expect(warmest.get(span)?.answer).toBe('2026-03-06');
    expect(warmest.get(span)?.calls).toEqual([
      find('Arvel'),
      `get_historical_temp_max 50 0 ${days}`,
    ]);
    const snow = plans('On how many days from {first} to {last} did snow fall in {town}?');
    expect(snow.get(span)?.answer).toBe(2);
    const rain = plans('How many millimetres of rain fell from {first} to {last} in {town}?');
    expect(rain.get(span)?.answer).toBe(7);
    const higher = plans('Which lies higher, {town} or {other}?');
    expect(higher.get('Arvel Calder')?.answer).toBe('Arvel');
  });

  it('requires combining several results on rung four', () => {
    const wetter = plans(
      'Where did more rain fall on {date}, before today: in {town} or in {other}?',
    );
    expect(wetter.get('Arvel Garrow 2026-03-07')?.answer).toBe('Garrow');
    // There are no questions about equal numbers.
    expect(wetter.has('Arvel Calder 2026-03-07')).toBe(false);
    const nearer = plans('Which is nearer to where I am, {town} or {other}?');
    expect(nearer.get('Calder Arvel')).toEqual({
      calls: [
        'get_user_current_location',
        ...[find('Garrow'), find('Calder'), find('Arvel')],
        ...['get_distance 50 1 53 4', 'get_distance 50 1 50 0'],
      ],
      answer: 'Arvel',
    });
    const both = plans(
      'What is the highest temperature today in {town}, and how many millimetres of rain will fall there on {date}? Answer with both in a list.',
    );
    expect(both.get('Arvel 2026-03-09')?.answer).toEqual([9, 6]);
    const snow = plans(
      'How many centimetres of snow fell from {first} to {last} in {town} and {other} together?',
    );
    expect(snow.get('Arvel Calder 2026-03-05 2026-03-07')?.answer).toBe(6);
  });
});
