import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MetricRow } from '../../runs/metrics.ts';
import type { Row } from '../../runs/row.ts';
import { type ChartRun, groupRuns, RUN_COLORS } from './chart-data.ts';
import { chartCsv, chartFile, chartFileSchema, fileStem, placeLegend } from './chart-file.ts';
import { newestFirst } from './chart-table.tsx';
import { type Curve, firstChange, indexAfter, indexFrom, smooth, Track, Tracks } from './curve.ts';
import { decimate } from './decimate.ts';
import { foldSeeds } from './fold.ts';
import { drawLines, extentX, extentY, linesOf, readLine } from './lines.ts';
import { momentsOf } from './moments.ts';
import {
  clockTicks,
  partOf,
  roundEnds,
  roundStep,
  type Scale,
  scaleThrough,
  shareOf,
  ticksOf,
  valueAtShare,
} from './scale.ts';
import { ofMetric } from './series.ts';
import { wholeAxis, xAxes, xTicks } from './x-axis.ts';

const row = (iteration: number, metrics: MetricRow = {}): Row => ({
  iteration,
  metrics: { iteration, ...metrics },
  details: { updates: [], staleness: [] },
  milliseconds: 1,
});
const rates = (values: readonly number[]) =>
  values.map((value, index) => row(index + 1, { 'rollout/success_rate': value }));
const success = ofMetric('rollout/success_rate', 'Training', 'red');
const run = (id: string, rows: readonly Row[], configKey = 'a') => ({
  id,
  name: `Maze, seed ${id}`,
  seed: Number(id),
  markers: [],
  rows,
  tracks: new Tracks(),
  configKey,
});
const curve = (points: readonly (readonly [number, number])[]): Curve => ({
  x: Float64Array.from(points, ([x]) => x),
  y: Float64Array.from(points, ([, y]) => y),
  low: null,
  high: null,
  count: null,
  length: points.length,
  version: 1,
});
const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
const linear = (from: number, to: number): Scale => ({ kind: 'linear', from, to });

describe('decimation', () => {
  it('keeps the ends and extremes of every bucket and adds no points', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(200), value), { minLength: 1, maxLength: 500 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(20),
        (points, width, skipped) => {
          const sorted = points.toSorted(([a], [b]) => a - b);
          const { x, y, length } = curve(sorted);
          const from = Math.min(skipped, length - 1);
          const bucketOf = (at: number) => Math.floor(at / width);
          const kept = decimate(x, y, from, length, bucketOf);
          expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b));
          const buckets = new Map<number, number[]>();
          for (let index = from; index < length; index++) {
            const bucket = bucketOf(x[index] ?? 0);
            buckets.set(bucket, [...(buckets.get(bucket) ?? []), index]);
          }
          expect(kept.length).toBeLessThanOrEqual(4 * buckets.size);
          for (const indices of buckets.values()) {
            const mine = kept.filter((index) => indices.includes(index));
            const values = (of: readonly number[]) => of.map((index) => y[index] ?? 0);
            expect(mine[0]).toBe(indices[0]);
            expect(mine.at(-1)).toBe(indices.at(-1));
            expect(Math.min(...values(mine))).toBe(Math.min(...values(indices)));
            expect(Math.max(...values(mine))).toBe(Math.max(...values(indices)));
          }
        },
      ),
    );
  });

  it('preserves a spike among 100,000 points while drawing few points per pixel', () => {
    const rows = rates(Array.from({ length: 100_000 }, (_, i) => (i === 54_321 ? 9 : 0.5)));
    const lines = linesOf(groupRuns([run('1', rows)]), [success], 'iteration', 0);
    const scales = { x: linear(1, 100_000), y: linear(0, 10), width: 600, height: 100 };
    const [drawn] = drawLines(lines, scales);
    expect(drawn?.path).toContain(' 10L');
    expect(drawn?.path.split('L').length).toBeLessThan(4 * 600);
    expect(extentY(lines, scales.x, 600, 'linear')).toEqual([0.5, 9]);
    // Zoomed in, every point is drawn.
    const near = { ...scales, x: linear(54_321, 54_323) };
    expect(drawLines(lines, near)[0]?.path).toBe('M-300 95L0 95L300 10L600 95L900 95');
  });
});

describe('smoothing', () => {
  it('computes the exponentially weighted mean of all values so far', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.constantFrom(0, 0.3, 0.6, 0.9, 0.99),
        (values, weight) => {
          const y = Float64Array.from(values);
          const out = new Float64Array(y.length);
          smooth(y, out, 0, y.length, weight);
          out.forEach((smoothed, i) => {
            let [sum, norm] = [0, 0];
            for (let j = 0; j <= i; j++) {
              sum += weight ** (i - j) * (values[j] ?? 0);
              norm += weight ** (i - j);
            }
            expect(Math.abs(smoothed - sum / norm)).toBeLessThan(1e-6);
          });
        },
      ),
    );
  });

  it('gives the same result when resumed at any point', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.nat(60),
        fc.constantFrom(0, 0.6, 0.97),
        (values, at, weight) => {
          const y = Float64Array.from(values);
          const [whole, parts] = [new Float64Array(y.length), new Float64Array(y.length)];
          const cut = Math.min(at, y.length);
          smooth(y, whole, 0, y.length, weight);
          smooth(y, parts, 0, cut, weight);
          smooth(y, parts, cut, y.length, weight);
          whole.forEach((expected, i) => {
            expect(Math.abs((parts[i] ?? 0) - expected)).toBeLessThan(1e-6);
          });
        },
      ),
    );
  });
});

describe('a track of one metric', () => {
  const read = ({ metrics }: Row) => metrics['eval/success_rate'];

  it('follows a run row by row, including late evaluations', () => {
    const rows = [row(1), row(2), row(3)];
    const track = new Track(xAxes.iteration.read, read).follow(rows);
    expect(track.length).toBe(0);
    const evaluated = [row(1), row(2, { 'eval/success_rate': 0.5 })];
    const [first = row(1), , third = row(3)] = rows;
    track.follow([first, evaluated[1] ?? first, third]);
    expect([...track.x.subarray(0, track.length)]).toEqual([2]);
    track.follow([first, evaluated[1] ?? first, third, row(4, { 'eval/success_rate': 0.75 })]);
    expect([...track.y.subarray(0, track.length)]).toEqual([0.5, 0.75]);
    track.follow([row(1, { 'eval/success_rate': 1 })]);
    expect([...track.y.subarray(0, track.length)]).toEqual([1]);
  });

  it('equals a freshly built track however rows are appended, also when smoothed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(value), { maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 6 }),
        (values, steps) => {
          const rows = values.map((rate, i) =>
            row(i + 1, rate === null ? {} : { 'eval/success_rate': rate }),
          );
          const grown = new Track(xAxes.iteration.read, read);
          let seen = 0;
          for (const step of steps) {
            seen += step;
            grown.follow(rows.slice(0, seen)).smoothed(0.6);
          }
          const [one, other] = [grown, new Track(xAxes.iteration.read, read)].map((track) =>
            track.follow(rows).smoothed(0.6),
          );
          expect(one?.length).toBe(other?.length);
          for (let i = 0; i < (one?.length ?? 0); i++) {
            expect(one?.x[i]).toBe(other?.x[i]);
            expect(Math.abs((one?.y[i] ?? 0) - (other?.y[i] ?? 0))).toBeLessThan(1e-6);
          }
        },
      ),
    );
  });

  it('finds positions by bisection', () => {
    const steps = curve([
      [1, 0],
      [2, 0],
      [2, 0],
      [5, 0],
    ]);
    expect([0, 1, 2, 3, 5, 6].map((at) => indexFrom(steps, at))).toEqual([0, 0, 1, 3, 3, 4]);
    expect([0, 1, 2, 3, 5, 6].map((at) => indexAfter(steps, at))).toEqual([0, 1, 3, 3, 4, 4]);
    const rows = rates([1, 2, 3]);
    expect(firstChange(rows, [...rows, row(4)])).toBe(3);
    expect(firstChange(rows, rows.slice(0, 2))).toBe(2);
    expect(firstChange(rows, rates([1]))).toBe(0);
  });
});

describe('averaging over the seeds of one config', () => {
  it('has a point at every x of every seed, and averages the seeds whose range contains that x', () => {
    const point = fc.tuple(fc.integer({ min: 0, max: 50 }), value);
    const seed = fc.uniqueArray(point, { minLength: 1, maxLength: 20, selector: ([x]) => x });
    fc.assert(
      fc.property(fc.array(seed, { minLength: 1, maxLength: 4 }), (seeds) => {
        const curves = seeds.map((points) => curve(points.toSorted(([a], [b]) => a - b)));
        const folded = foldSeeds(curves, false);
        const all = new Set(seeds.flatMap((points) => points.map(([x]) => x)));
        expect([...folded.x.subarray(0, folded.length)]).toEqual([...all].sort((a, b) => a - b));
        for (let i = 0; i < folded.length; i++) {
          const [low, mean, high] = [folded.low?.[i], folded.y[i], folded.high?.[i]];
          expect(mean).toBeGreaterThanOrEqual((low ?? Number.NaN) - 1e-6);
          expect(mean).toBeLessThanOrEqual((high ?? Number.NaN) + 1e-6);
          const at = folded.x[i] ?? 0;
          const there = curves.filter(
            ({ x, length }) => (x[0] ?? 0) <= at && (x[length - 1] ?? 0) >= at,
          );
          expect(folded.count?.[i]).toBe(there.length);
        }
      }),
    );
  });

  it('interpolates each seed linearly between its points, or holds its value', () => {
    const seeds = [
      curve([
        [0, 0],
        [10, 1],
      ]),
      curve([
        [4, 1],
        [20, 1],
      ]),
    ];
    const folded = foldSeeds(seeds, false);
    expect([...folded.y.subarray(0, folded.length)]).toEqual([0, 0.7, 1, 1]);
    expect([...(folded.count?.subarray(0, folded.length) ?? [])]).toEqual([1, 2, 2, 1]);
    const held = foldSeeds(seeds, true);
    expect([...held.y.subarray(0, held.length)]).toEqual([0, 0.5, 1, 1]);
  });

  it('draws one line per config, in the order in which the configs first appear', () => {
    const groups = groupRuns([
      run('1', rates([0, 1])),
      run('2', rates([0.5]), 'b'),
      run('3', rates([1, 0, 1])),
    ]);
    expect(groups.map(({ name }) => name)).toEqual(['Maze, 2 seeds', 'Maze, seed 2']);
    const lines = linesOf(groups, [success], 'iteration', 0);
    expect(lines.map(({ seeds }) => seeds)).toEqual([2, 1]);
    const [folded] = lines;
    if (folded === undefined) throw new Error('no line');
    expect(readLine(folded, 1)).toEqual({ value: 0.5, smoothed: null, range: [0, 1], seeds: 2 });
    expect(readLine(folded, 3)).toMatchObject({ value: 1, seeds: 1 });
    expect(readLine(folded, Number.POSITIVE_INFINITY)).toMatchObject({ value: 1, seeds: 1 });
    expect(readLine(folded, 0)).toBeNull();
    expect(new Set(lines.map(({ color }) => color)).size).toBe(2);
    // A seed with new rows changes the mean.
    const more = groupRuns([
      { ...run('1', rates([0, 1, 0])), tracks: groups[0]?.runs[0]?.tracks ?? new Tracks() },
      run('3', rates([1, 0, 1])),
    ]);
    const [grown] = linesOf(more, [success], 'iteration', 0);
    expect(grown === undefined ? null : readLine(grown, 3)?.value).toBe(0.5);
  });
});

it('reads no value of an overlaid run after its end', () => {
  const longer = rates([0, 0.1, 0.2, 0.3]);
  const shorter: readonly Row[] = [
    row(1, { 'rollout/success_rate': 0.5 }),
    row(2, { 'rollout/success_rate': 0.6 }),
    // Without a value, as between two evaluations.
    row(3),
  ];
  const groups = groupRuns([run('1', longer), run('2', shorter, 'b')]);
  const [, overlaid] = linesOf(groups, [success], 'iteration', 0);
  if (overlaid === undefined) throw new Error('no line');
  expect([2, 3, 4].map((at) => readLine(overlaid, at)?.value)).toEqual([0.6, 0.6, undefined]);
});

describe('an axis', () => {
  const scale = fc
    .tuple(
      fc.constantFrom('linear' as const, 'log' as const),
      fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
      fc.double({ min: 1.01, max: 1e4, noNaN: true }),
    )
    .map(([kind, from, factor]): Scale => ({ kind, from, to: from * factor }));

  it('converts positions to values and back', () => {
    fc.assert(
      fc.property(scale, fc.double({ min: 0, max: 1, noNaN: true }), (axis, share) => {
        expect(shareOf(axis, valueAtShare(axis, share))).toBeCloseTo(share, 6);
      }),
    );
    expect(shareOf({ kind: 'log', from: 1, to: 100 }, 10)).toBeCloseTo(0.5);
    expect(shareOf({ kind: 'log', from: 1, to: 100 }, -1)).toBeNaN();
  });

  it('keeps two touched values under the fingers, in either order', () => {
    const place = fc.integer({ min: 0, max: 600 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(scale, share, share, place, place, (axis, first, second, from, to) => {
        fc.pre(Math.abs(first - second) > 0.01 && Math.abs(from - to) > 16);
        const [low, high] = [Math.min(first, second), Math.max(first, second)];
        const held = [
          { place: Math.max(from, to), value: valueAtShare(axis, high) },
          { place: Math.min(from, to), value: valueAtShare(axis, low) },
        ];
        const next = scaleThrough(axis.kind, 600, held);
        if (next === null) throw new Error('there is such a scale');
        for (const { place: at, value } of held) {
          expect(600 * shareOf(next, value)).toBeCloseTo(at, 4);
        }
      }),
    );
    const held = (place: number, value: number) => ({ place, value });
    expect(scaleThrough('linear', 600, [held(100, 5)])).toBeNull();
    expect(scaleThrough('linear', 600, [held(100, 5), held(101, 6)])).toBeNull();
    // Fingers that have crossed.
    expect(scaleThrough('linear', 600, [held(100, 6), held(300, 5)])).toBeNull();
  });

  it('places ticks within the ends, in order, and not too densely', () => {
    fc.assert(
      fc.property(scale, fc.integer({ min: 3, max: 12 }), (axis, count) => {
        const ticks = ticksOf(axis, count);
        expect(ticks.length).toBeLessThanOrEqual(3 * count);
        expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b));
        for (const tick of ticks) {
          expect(tick).toBeGreaterThanOrEqual(axis.from * (1 - 1e-9));
          expect(tick).toBeLessThanOrEqual(axis.to * (1 + 1e-9));
        }
        const { kind, from, to } = roundEnds(axis.kind, axis.from, axis.to, count);
        expect(kind).toBe(axis.kind);
        expect(from).toBeLessThanOrEqual(axis.from * (1 + 1e-9));
        expect(to).toBeGreaterThanOrEqual(axis.to * (1 - 1e-9));
      }),
    );
  });

  it('places ticks at round numbers', () => {
    expect([0.03, 1, 1.1, 4, 60].map(roundStep)).toEqual([0.05, 1, 2, 5, 100]);
    expect(ticksOf(linear(0, 1), 6)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(ticksOf({ kind: 'log', from: 1, to: 1000 }, 6)).toEqual([1, 10, 100, 1000]);
    expect(clockTicks(linear(0, 400), 5)).toEqual([0, 120, 240, 360]);
    expect(xTicks('iteration', linear(1, 100), 500)).toEqual([1, 20, 40, 60, 80, 100]);
    expect(xTicks('iteration', linear(1, 10), 300)[0]).toBe(1);
    expect(wholeAxis('iteration', 'linear', 1, 137)).toEqual(linear(1, 140));
    expect(wholeAxis('turns', 'linear', 300, 2930)).toEqual(linear(0, 3000));
  });

  it('supports turns, tokens and time, and skips rows without them', () => {
    const rows = [
      row(1, { 'rollout/success_rate': 0, 'progress/turns': 100, 'time/seconds': 2 }),
      row(2, { 'rollout/success_rate': 1, 'progress/turns': 300 }),
    ];
    const groups = groupRuns([run('1', rows)]);
    const xOf = (axis: 'turns' | 'tokens' | 'time') =>
      linesOf(groups, [success], axis, 0).map(({ curve: { x, length } }) => [
        ...x.subarray(0, length),
      ])[0];
    expect([xOf('turns'), xOf('tokens'), xOf('time')]).toEqual([[100, 300], [], [2]]);
    expect(extentX(linesOf(groups, [success], 'turns', 0), 'log')).toEqual([100, 300]);
  });
});

describe('momentsOf', () => {
  it('returns horizon growth, skipped updates, changed settings and evaluations', () => {
    const rows = Array.from({ length: 12 }, (_, i) =>
      row(i + 1, {
        'rollout/horizon': i < 10 ? 10 : 20,
        'policy/skipped_updates': i === 4 ? 2 : 0,
        ...(i % 5 === 4 ? { 'eval/success_rate': 0.5 } : {}),
      }),
    );
    const noted: ChartRun = {
      ...run('1', rows),
      markers: [{ iteration: 7, text: 'went on from its checkpoint' }],
      turned: [{ iteration: 5, text: 'horizon.turns = 20' }],
    };
    expect(momentsOf(noted, 'iteration')).toEqual({
      phases: [{ at: 11, text: '20 turns' }],
      turned: [{ at: 5, text: 'horizon.turns = 20' }],
      warnings: [
        { at: 5, text: '2 updates were skipped' },
        { at: 7, text: 'went on from its checkpoint' },
      ],
      evaluations: [5, 10],
    });
  });
});

describe('an exported file', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  /** Parsed strictly by RFC 4180. */
  const parseCsv = (csv: string) => {
    const records: string[][] = [[]];
    for (const [, quoted, plain, end] of csv.matchAll(
      /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
    )) {
      records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
      if (end === '\r\n') records.push([]);
    }
    return records.slice(0, -1);
  };

  /** A name that a spreadsheet would interpret as a formula. */
  const defused = (name: string) => name.replace(/^(?=[=+\-@\t\r\n＝＋－＠])/, "'");

  it('contains every point of every run and can be read back', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, fc.array(fc.option(value), { maxLength: 20 })), { maxLength: 3 }),
        (runs) => {
          const file = chartFile(
            'Success',
            '',
            runs.map(([name, values], seed) => ({
              name,
              seed,
              rows: values.map((rate, i) =>
                row(i + 1, rate === null ? {} : { 'rollout/success_rate': rate }),
              ),
            })),
            [success],
          );
          expect(chartFileSchema.parse(JSON.parse(JSON.stringify(file)))).toEqual(
            // JSON has no −0.
            JSON.parse(JSON.stringify(file)),
          );
          const [head, ...records] = parseCsv(chartCsv(file));
          expect(head?.slice(0, 2)).toEqual(['run', 'seed']);
          expect(records.map(([name, seed]) => [name, seed])).toEqual(
            runs.flatMap(([name, values], seed) => values.map(() => [defused(name), String(seed)])),
          );
          expect(records.map((cells) => cells[head?.indexOf('Training') ?? -1])).toEqual(
            runs.flatMap(([, values]) => values.map((rate) => (rate === null ? '' : String(rate)))),
          );
        },
      ),
    );
  });

  it('escapes a run name that looks like a formula', () => {
    const named = { name: '=1+1', seed: 1, rows: [row(1, { 'rollout/success_rate': -0.5 })] };
    expect(chartCsv(chartFile('Success', '', [named], [success]))).toMatch(/\r\n'=1\+1,1,.*,-0\.5/);
  });

  it('wraps the legend of an image to its width', () => {
    const names = [
      'Correct answers',
      'Wrong answers',
      'A name that is longer than the image is wide',
    ];
    expect(placeLegend(names, 260).map(({ line }) => line)).toEqual([0, 1, 2]);
    const wide = placeLegend(names, 800);
    expect(wide.map(({ line }) => line)).toEqual([0, 0, 0]);
    expect(wide.map(({ left }) => left)).toEqual(
      wide.map(({ left }) => left).toSorted((a, b) => a - b),
    );
  });

  it('is named after its chart', () => {
    expect(fileStem('Success by environment')).toBe('success-by-environment');
  });
});

describe('an axis with an extreme range', () => {
  const kind = fc.constantFrom('linear' as const, 'log' as const);
  const any = fc.double({ noNaN: true });
  const axis = fc.constantFrom('iteration', 'turns', 'tokens', 'time' as const);
  /** Ends as close together or as far apart as numbers allow. */
  const ends = fc.oneof(
    fc.tuple(any, any),
    fc.tuple(any, fc.integer({ min: 1, max: 5 })).map(([from, steps]) => {
      const gap = Math.max(Number.MIN_VALUE, Math.abs(from) * Number.EPSILON);
      return [from, from + steps * gap] as const;
    }),
  );

  it('limits the number of ticks for any ends', () => {
    fc.assert(
      fc.property(kind, ends, axis, fc.integer({ min: 1, max: 30 }), (kind, [a, b], axis, n) => {
        const scale = { kind, from: Math.min(a, b), to: Math.max(a, b) };
        for (const ticks of [
          ticksOf(scale, n),
          clockTicks(scale, n),
          xTicks(axis, scale, 80 * n),
          ticksOf(roundEnds(kind, scale.from, scale.to, n), n),
        ]) {
          expect(ticks.length).toBeLessThanOrEqual(8 * n + 16);
        }
      }),
      { numRuns: 5000 },
    );
    expect(ticksOf(linear(2 ** 54, 2 ** 54 + 4), 4)).toEqual([2 ** 54, 2 ** 54 + 4]);
    expect(ticksOf({ kind: 'log', from: 0, to: 1 }, 4)).toEqual([0, 1]);
  });

  it('zooms in up to a limit and resets completely', () => {
    const press = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(0.5, 2, 0.01),
    );
    const size = fc.double({ min: 1e-9, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(
        kind,
        size,
        size,
        fc.array(press, { maxLength: 30 }),
        (kind, start, room, some) => {
          const whole: Scale = {
            kind,
            from: kind === 'log' ? start : 0,
            to: start + Math.max(room, start / 1e6),
          };
          let x = whole;
          const zoom = (share: number, factor: number) => {
            const [from, to] = [share - share * factor, share + (1 - share) * factor];
            x = partOf(whole, valueAtShare(x, from), valueAtShare(x, to)) ?? whole;
          };
          for (const [share, factor] of some) zoom(share, factor);
          for (let presses = 0; presses < 1200; presses++) zoom(some[0]?.[0] ?? 0.5, 0.5);
          const { from, to } = x;
          const within = kind === 'log' ? to : whole.to;
          expect(to - from).toBeGreaterThanOrEqual(
            Math.min(0.5e-8 * within, whole.to - whole.from),
          );
          expect(from).toBeGreaterThanOrEqual(whole.from);
          expect(to).toBeLessThanOrEqual(whole.to);
          // Still wide enough for distinct ticks.
          expect(new Set(ticksOf(x, 8)).size).toBeGreaterThan(1);
          for (let presses = 0; presses < 1200 && x !== whole; presses++) zoom(0.5, 2);
          expect(x).toBe(whole);
        },
      ),
    );
  });
});

describe('a table of values', () => {
  it('shows the newest row first and skips rows evenly', () => {
    expect(newestFirst(4, 10)).toEqual([3, 2, 1, 0]);
    expect(newestFirst(1000, 3)).toEqual([999, 665, 331]);
    expect(newestFirst(0, 3)).toEqual([]);
  });
});

/** Linear RGB of `#rrggbb`. */
const linearRgb = (hex: string) =>
  [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
const times = (matrix: readonly (readonly number[])[], vector: readonly number[]) =>
  matrix.map((entries) => entries.reduce((sum, entry, i) => sum + entry * (vector[i] ?? 0), 0));
const oklab = (rgb: readonly number[]) =>
  times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    times(
      [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ],
      rgb,
    ).map(Math.cbrt),
  );
/** Machado, Oliveira and Fernandes (2009), severity 1. */
const vision = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const;
const luminance = ([r = 0, g = 0, b = 0]: readonly number[]) =>
  0.2126 * r + 0.7152 * g + 0.0722 * b;

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('every run color in the %s theme', (_, place) => {
  const css = readFileSync(new URL('../shell/page/page.css', import.meta.url), 'utf8');
  const color = (name: string) => {
    const hex = [...css.matchAll(new RegExp(`--p-${name}: (#[0-9a-f]{6})`, 'g'))][place]?.[1];
    if (hex === undefined) throw new Error(`no color --p-${name}`);
    return linearRgb(hex);
  };
  const colors = Array.from({ length: RUN_COLORS }, (_, i) => color(`run-${i + 1}`));

  it('contrasts with the card', () => {
    const card = luminance(color('card'));
    for (const one of colors) {
      const [light, dark] = [luminance(one), card].sort((a, b) => b - a);
      expect(((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)).toBeGreaterThan(3);
    }
  });

  it.each(Object.entries(vision))('stays distinguishable from the others: %s', (_, matrix) => {
    const seen = colors.map((one) =>
      oklab(times(matrix, one).map((part) => Math.min(1, Math.max(0, part)))),
    );
    for (const [i, one] of seen.entries()) {
      for (const other of seen.slice(0, i)) {
        // Four to five times the just noticeable difference.
        expect(Math.hypot(...one.map((part, k) => part - (other[k] ?? 0)))).toBeGreaterThan(0.08);
      }
    }
  });
});
