/** The periods in which a mode was present: onset, first detection and end. */

import { bestChange, changePoints } from './change-points.ts';
import type { History, Moment } from './history.ts';
import type { Mode } from './modes/mode.ts';
import { prepared } from './prepare.ts';

/** Indices of rows. */
export interface Spell {
  readonly onset: number;
  readonly from: number;
  readonly to: number;
  /** The first row at which the signs had lasted long enough. */
  readonly raised: number;
  /** The row at which they had ended; absent while the mode lasts. */
  readonly ended?: number;
}

/** Number of iterations without signs of failure until a successful run counts as recovered. */
const RELEASE = 10;
/** A change of the metric within this many rows of the first sign belongs to it. */
const NEAR = 5;

/** Whether the run is successful, and close to its best success rate. */
function well(moment: Moment): boolean {
  const success = moment.mean('rollout/success_rate');
  return success >= 0.9 && success >= moment.peak('rollout/success_rate') - 0.03;
}

/** The first sign, with the interval of the change in the metric that shows it. */
function began(history: History, mode: Mode, sign: number, raised: number) {
  const moment = history.at(raised);
  if (mode.onset !== undefined) return mode.onset(moment);
  const [key] = mode.proofs;
  const values = key === undefined ? [] : moment.all(key).map(prepared(key));
  if (sign === 0 || !values.every(Number.isFinite)) return { at: sign, from: sign, to: sign };
  const changes = changePoints(values, 3);
  const near = changes.findIndex((change) => Math.abs(change - sign) <= NEAR);
  if (near < 0) return { at: sign, from: sign, to: raised };
  const start = changes[near - 1] ?? 0;
  const change = bestChange(values.slice(start, changes[near + 1]));
  if (change === undefined) return { at: sign, from: sign, to: raised };
  return {
    at: sign,
    from: Math.min(sign, start + change.from),
    to: Math.max(sign, start + change.to),
  };
}

/**
 * All periods of a mode, in order. The result for an iteration depends only on rows up to it, so
 * new rows never change it.
 */
export function spellsOf(history: History, mode: Mode): readonly Spell[] {
  const spells: Spell[] = [];
  let open: Spell | undefined;
  let signs = 0;
  let quiet = 0;
  for (let index = 0; index < history.length; index++) {
    const moment = history.at(index);
    const there = mode.holds(moment);
    signs = there ? signs + 1 : 0;
    quiet = there || mode.lasts?.(moment) ? 0 : quiet + 1;
    if (open === undefined) {
      if (signs < mode.hold) continue;
      const { at: onset, from, to } = began(history, mode, index - mode.hold + 1, index);
      open = { onset, from, to, raised: index };
    } else if (
      mode.release === undefined ? quiet >= RELEASE && well(moment) : quiet >= mode.release
    ) {
      spells.push({ ...open, ended: index });
      open = undefined;
    }
  }
  return open === undefined ? spells : [...spells, open];
}
