/** Exports a chart: its numbers as CSV or JSON, its image as SVG or PNG. */

import { z } from 'zod';
import { csvTable } from '../../runs/csv.ts';
import type { Row } from '../../runs/row.ts';
import type { ChartRun } from './chart-data.ts';
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

/** Height of title and legend above the plot in an exported image. */
const HEAD = 52;
const FOOT = 12;

interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly dash: string | null;
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
  const curves = figure.querySelector('.plot svg.curves');
  if (frame === null || curves === null) return null;
  const style = getComputedStyle(figure);
  const width = Number(frame.getAttribute('width'));
  const plotHeight = Number(frame.getAttribute('height'));
  const height = HEAD + plotHeight + FOOT;
  const [axes, lines] = [frame.cloneNode(true), curves.cloneNode(true)] as [Element, Element];
  axes.setAttribute('y', String(HEAD));
  lines.removeAttribute('style');
  lines.setAttribute('x', String(width - 10 - Number(curves.getAttribute('width'))));
  lines.setAttribute('y', String(HEAD + plotHeight - 20 - Number(curves.getAttribute('height'))));
  const serialize = (element: Element) => new XMLSerializer().serializeToString(element);
  let left = 14;
  const entries = legend.map(({ name, color, dash }) => {
    const text = `<path d="M${left} 39h18" stroke="${color}" stroke-width="2"${dash === null ? '' : ` stroke-dasharray="${dash}"`}/><text x="${left + 24}" y="43" font-size="12" fill="var(--p-soft)">${escaped(name)}</text>`;
    left += 48 + 6.4 * name.length;
    return text;
  });
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(style.fontFamily)}"><title>${escaped(title)}</title><rect width="100%" height="100%" fill="var(--p-card)"/><text x="14" y="23" font-size="16" font-weight="600" fill="var(--p-ink)">${escaped(title)}</text>${entries.join('')}${serialize(axes)}${serialize(lines)}</svg>`;
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
