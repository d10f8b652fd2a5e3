/** Days and places, and the tools for today's date and the user's location. */

import type { Json } from './json.ts';
import { tool } from './tool.ts';

const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 2, 1);

/** The n-th known day, as `2026-03-05`. */
export function day(n: number): string {
  return new Date(FIRST_DAY + n * DAY).toISOString().slice(0, 10);
}

/** Days in order, starting with the first known one. */
export const days = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => day(n));

export const TOWNS = [
  ...['Arvel', 'Bremsund', 'Calder', 'Dorrick', 'Elmhaven', 'Fossby', 'Garrow', 'Hollin'],
  ...['Istra', 'Jorvik', 'Kestrel', 'Lunden', 'Marstal', 'Norwell', 'Ostby', 'Penrith'],
  ...['Quarry', 'Rosdal', 'Selby', 'Torvik'],
] as const;

/** The fields that these tools need. */
type UserWorld = { readonly [key: string]: Json } & {
  readonly today: string;
  readonly location: string;
};

export const getDate = <World extends UserWorld>() =>
  tool<World, Record<never, never>>({
    name: 'get_user_current_date',
    description: 'tells the day that is today',
    parameters: {},
    run: ({ today }) => ({ reply: { date: today } }),
  });

export const getLocation = <World extends UserWorld>() =>
  tool<World, Record<never, never>>({
    name: 'get_user_current_location',
    description: 'tells the town where the user is',
    parameters: {},
    run: ({ location }) => ({ reply: { location } }),
  });
