/** Exports a chart: its numbers as CSV or JSON, its image as SVG or PNG. */

import { z } from 'zod';
import { csvTable } from '../../runs/csv.ts';
import type { Row } from '../../runs/row.ts';
import type { ChartRun } from './chart-data.ts';
import { margin } from './frame.tsx';
import type { Line } from './lines.ts';
import { shapePaths } from './marker.tsx';
import type { Series } from './series.ts';

/** A chart file's data about one run. Null where nothing was measured. */
const runSchema = z.object({
  name: z.string(),
  seed: z.number(),
  /** By column, one entry per iteration. */
  columns: z.record(z.string(), z.array(z.number().nullable())),
});

export const chartFileSchema = z.object({
  format: z.literal('palestra-chart'),
  version: z.literal(1),
  chart: z.string(),
  /** Unit of the series; empty for a share, a count or a plain number. */
  unit: z.string(),
  runs: z.array(runSchema),
});

/** Every point of every run in a chart, unsmoothed. */
type ChartFile = z.infer<typeof chartFileSchema>;

const abscissae: readonly (readonly [string, (row: Row) => number | undefined])[] = [
  ['iteration', ({ iteration }) => iteration],
  ['turns', ({ metrics }) => metrics['progress/turns']],
  ['tokens', ({ metrics }) => metrics['progress/tokens']],
  ['seconds', ({ metrics }) => metrics['time/seconds']],
];

const number = (value: number | undefined) =>
  value === undefined || !Number.isFinite(value) ? null : value;

/** Collects the data that a chart shows for the given runs. */
export function chartFile(
  chart: string,
  unit: string,
  runs: readonly Pick<ChartRun, 'name' | 'seed' | 'rows'>[],
  series: readonly Series[],
): ChartFile {
  return {
    format: 'palestra-chart',
    version: 1,
    chart,
    unit,
    runs: runs.map(({ name, seed, rows }) => ({
      name,
      seed,
      columns: Object.fromEntries([
        ...abscissae.map(([column, read]) => [column, rows.map((row) => number(read(row)))]),
        ...series.flatMap(({ name: column, read, band }) => [
          [column, rows.map((row) => number(read(row)))],
          ...(band === undefined
            ? []
            : [
                [`${column}, minimum`, rows.map((row) => number(band(row)?.[0]))],
                [`${column}, maximum`, rows.map((row) => number(band(row)?.[1]))],
              ]),
        ]),
      ]),
    })),
  };
}

/** One line per iteration and run; fields without a measurement are empty. */
export function chartCsv({ runs }: ChartFile): string {
  const columns = Object.keys(runs[0]?.columns ?? {});
  const records = function* () {
    yield ['run', 'seed', ...columns];
    for (const { name, seed, columns: values } of runs) {
      const length = values[columns[0] ?? '']?.length ?? 0;
      for (let index = 0; index < length; index++) {
        yield [name, seed, ...columns.map((column) => values[column]?.[index] ?? null)];
      }
    }
  };
  return csvTable(records(), '\r\n');
}

/** File name for a title, such as `success-by-environment`. */
export function fileStem(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Sizes in an exported image, in pixels: the edges, and the height above the plot with one line of legend. */
const EDGE = 14;
const HEAD = 52;
const FOOT = 12;
const LEGEND_LINE = 18;
/** From the start of an entry of the legend to its text, and from its text to the next entry. */
const ENTRY_MARK = 24;
const ENTRY_GAP = 24;
/** Approximate width of a character of the title and of the legend. */
const TITLE_CHARACTER = 9;
const LEGEND_CHARACTER = 6.4;

type LegendEntry = Pick<Line, 'mark' | 'series' | 'color' | 'dash'> & { readonly name: string };

const entryWidth = (name: string) => ENTRY_MARK + LEGEND_CHARACTER * name.length;

/** Positions of the legend's entries, in as many lines as the width requires. */
export function placeLegend(
  names: readonly string[],
  width: number,
): readonly { readonly left: number; readonly line: number }[] {
  let [left, line] = [EDGE, 0];
  return names.map((name) => {
    if (left > EDGE && left + entryWidth(name) > width - EDGE) [left, line] = [EDGE, line + 1];
    const place = { left, line };
    left += entryWidth(name) + ENTRY_GAP;
    return place;
  });
}

function legendEntry({ name, mark, series, color, dash }: LegendEntry, left: number, y: number) {
  const line = `<path d="M${left} ${y}h18" stroke="${color}" stroke-width="2"${dash === null ? '' : ` stroke-dasharray="${dash}"`}/>`;
  const point = `<path d="${shapePaths[series.shape ?? 'circle']}" transform="translate(${left + 9} ${y}) scale(4)" fill="${color}"/>`;
  const text = `<text x="${left + ENTRY_MARK}" y="${y + 4}" font-size="12" fill="var(--p-soft)">${escaped(name)}</text>`;
  return `${line}${mark === 'points' || mark === 'joined' ? point : ''}${text}`;
}

/**
 * A chart as a standalone SVG that needs no style sheet: axes and curves as on the page, below
 * title and legend.
 *
 * @returns null if the chart is shown as a table
 */
export function chartSvg(
  figure: HTMLElement,
  title: string,
  legend: readonly LegendEntry[],
): { readonly svg: string; readonly width: number; readonly height: number } | null {
  const frame = figure.querySelector('.plot svg.recharts-surface');
  const drawn = [...figure.querySelectorAll('.plot svg:is(.curves, .foreign)')];
  if (frame === null || drawn.length === 0) return null;
  const style = getComputedStyle(figure);
  const sizeOf = (svg: Element, side: 'width' | 'height') => Number(svg.getAttribute(side));
  const plotWidth = sizeOf(frame, 'width');
  const names = legend.map(({ name }) => name);
  const width = Math.max(
    plotWidth,
    2 * EDGE + TITLE_CHARACTER * title.length,
    ...names.map((name) => 2 * EDGE + entryWidth(name)),
  );
  const places = placeLegend(names, width);
  const head = HEAD + LEGEND_LINE * (places.at(-1)?.line ?? 0);
  const bottom = head + sizeOf(frame, 'height');
  const height = bottom + FOOT;
  const place = (element: Element, x: number, y: number) => {
    const copy = element.cloneNode(true) as Element;
    copy.removeAttribute('style');
    copy.setAttribute('x', String(x));
    copy.setAttribute('y', String(y));
    return new XMLSerializer().serializeToString(copy);
  };
  const entries = legend.map((entry, i) => {
    const { left, line } = places[i] ?? { left: EDGE, line: 0 };
    return legendEntry(entry, left, 39 + LEGEND_LINE * line);
  });
  const plots = [
    place(frame, 0, head),
    ...drawn.map((svg) =>
      place(
        svg,
        plotWidth - margin.right - sizeOf(svg, 'width'),
        bottom - margin.bottom - sizeOf(svg, 'height'),
      ),
    ),
  ];
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(style.fontFamily)}"><title>${escaped(title)}</title><rect width="100%" height="100%" fill="var(--p-card)"/><text x="${EDGE}" y="23" font-size="16" font-weight="600" fill="var(--p-ink)">${escaped(title)}</text>${entries.join('')}${plots.join('')}</svg>`;
  return {
    svg: picture.replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) =>
      style.getPropertyValue(name).trim(),
    ),
    width,
    height,
  };
}

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** PNG pixels per CSS pixel, for print and slides. */
const PNG_SCALE = 3;

/** Rasterizes an SVG. */
export async function chartPng(picture: {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture.svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = PNG_SCALE * picture.width;
  canvas.height = PNG_SCALE * picture.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser could not save the chart as PNG.'));
      else resolve(blob);
    }, 'image/png');
  });
}
