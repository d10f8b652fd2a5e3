/** Heating and cooling: things approach the temperature of the device that they are in or on. */

import { isOn, isRoom, type SciWorldNow } from './world.ts';

/** The share of the difference that a tick removes. */
const PACE = 0.1;

/** Temperatures after a number of ticks. Returns the same list if nothing changes. */
export function warmed(now: SciWorldNow, ticks: number): readonly number[] {
  const { task, state } = now;
  const { degrees } = state.own;
  let after: number[] | null = null;
  for (const thing of task.warm) {
    const device = deviceOf(now, thing);
    if (device === null) continue;
    const goal = task.entries[device]?.degrees ?? 0;
    after ??= [...degrees];
    after[thing] = goal + ((degrees[thing] ?? goal) - goal) * (1 - PACE) ** ticks;
  }
  return after ?? degrees;
}

/**
 * The device that a thing is in or on, directly or with its container; null if there is none or it is off.
 */
function deviceOf(now: SciWorldNow, thing: number): number | null {
  const { task, state } = now;
  let place = state.within[thing] ?? -1;
  while (place >= 0 && !isRoom(task, place)) {
    if (task.entries[place]?.sort === 'device') return isOn(now, place) ? place : null;
    place = state.within[place] ?? -1;
  }
  return null;
}
