/** Seeded series of known shape under a tool's names, to test outcome states and causes. */

import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Measured } from '../changes.ts';

/** The value when a share of the run, from 0 to 1, is over. */
export type Shape = (share: number) => number;

export const flat =
  (level: number): Shape =>
  () =>
    level;
/** A ramp from one level to another between two shares of the run. */
export const ramp =
  (before: number, after: number, from: number, to: number): Shape =>
  (share) =>
    share <= from
      ? before
      : share >= to
        ? after
        : before + ((after - before) * (share - from)) / (to - from);
/** The first shape until a share of the run, then the second. */
export const step =
  (first: Shape, at: number, second: Shape): Shape =>
  (share) =>
    share < at ? first(share) : second(share);

interface Drawn {
  readonly shape: Shape;
  /** Standard deviation of the noise. */
  readonly noise?: number;
  /** Values are clipped to this range. */
  readonly within?: readonly [number, number];
}

/** Draws series over steps 1, 2, …, n. */
export function draw(
  drawn: Readonly<Record<string, Drawn>>,
  { rows = 120, seed = 1 }: { readonly rows?: number; readonly seed?: number } = {},
): readonly Measured[] {
  const random = xoroshiro128plus(seed);
  const normal = () => {
    const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(random)));
    return radius * Math.cos(2 * Math.PI * uniformFloat64(random));
  };
  const x = Float64Array.from({ length: rows }, (_, i) => i + 1);
  return Object.entries(drawn).map(([key, { shape, noise = 0, within }]) => ({
    key,
    x,
    y: x.map((_, i) => {
      const value = shape(i / (rows - 1)) + noise * normal();
      return within === undefined ? value : Math.min(within[1], Math.max(within[0], value));
    }),
  }));
}
