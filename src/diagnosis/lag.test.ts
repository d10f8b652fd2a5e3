import { describe, expect, it } from 'vitest';
import type { Measured } from './changes.ts';
import { causesOf } from './modes/of-logs.ts';
import {
  dialectNames,
  drawVariant,
  failedStories,
  type Story,
  soundStories,
} from './testing/variants.ts';
import { whatChanged } from './what-changed.ts';

const ROWS = 80;
/** As in `diagnose --follow`. */
const LEAST_CONFIDENCE = 0.4;

/** Share of the run at which each fault begins, and maximum number of rows until its alarm. */
const faults: Readonly<Record<string, { readonly began: number; readonly most: number }>> = {
  // Responses grow for a sixth of the run before the score falls.
  'reaches the length limit': { began: 0.42, most: 24 },
  'loses its entropy': { began: 0.48, most: 18 },
  'generates noise': { began: 0.5, most: 16 },
  'generates nothing': { began: 0.57, most: 12 },
  'becomes NaN': { began: 0.49, most: 3 },
};

function drawn(story: Story, seed: number): readonly Measured[] {
  const dialect = dialectNames[seed % dialectNames.length] ?? 'verl';
  const windowed = seed % 2 === 0;
  return drawVariant(story, { dialect, scale: 'share', rows: ROWS, noise: 0.05, windowed, seed });
}

/** The first cause that the first `rows` rows of a log show; null if they show none. */
function alarm(series: readonly Measured[], rows: number): string | null {
  const cut = series.map(({ key, x, y }) => ({
    ...{ key, x: Array.from(x).slice(0, rows), y: Array.from(y).slice(0, rows) },
  }));
  const changed = whatChanged({ series: cut, unit: 'step' });
  const causes = causesOf({ changed, unit: 'step' });
  return causes.find(({ confidence }) => confidence >= LEAST_CONFIDENCE)?.mode.name ?? null;
}

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** A simple alarm: the score's mean over five rows is below half of its best mean over ten. */
function threshold([score]: readonly Measured[], rows: number): boolean {
  const y = Array.from(score?.y ?? []).slice(0, rows);
  if (y.length < 15) return false;
  const best = Math.max(...y.slice(9).map((_, i) => meanOf(y.slice(i, i + 10))));
  return meanOf(y.slice(-5)) < 0.5 * best;
}

describe('diagnosis of a growing log', () => {
  it.each(Object.entries(faults))(
    'names the cause soon after the fault, and no cause before it, if the run %s',
    (name, { began, most }) => {
      const story = failedStories[name];
      if (story === undefined) throw new Error(`no story ${name}`);
      const start = Math.round(began * (ROWS - 1)) + 1;
      for (const seed of [1, 2]) {
        const series = drawn(story, seed);
        let rows = start - 4;
        while (rows < ROWS && alarm(series, rows) === null) rows++;
        expect(rows).toBeGreaterThanOrEqual(start);
        expect(rows - start).toBeLessThanOrEqual(most);
        expect(story.modes).toContain(alarm(series, rows));
      }
    },
  );

  it('raises no alarm in healthy runs, where a simple threshold raises some', () => {
    let [ours, plain] = [0, 0];
    for (const story of Object.values(soundStories)) {
      for (const seed of [1, 2, 3]) {
        const series = drawn(story, seed);
        const places = Array.from({ length: 18 }, (_, i) => 12 + 4 * i);
        if (places.some((rows) => alarm(series, rows) !== null)) ours++;
        if (places.some((rows) => threshold(series, rows))) plain++;
      }
    }
    expect(ours).toBe(0);
    expect(plain).toBeGreaterThan(0);
  });
});
