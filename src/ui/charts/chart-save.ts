/** Saves a chart: all its numbers, or its image. */

import { download } from '../shell/files/download.ts';
import { shown } from '../shell/language/current.ts';
import { chartData } from './chart-data.ts';
import { chartCsv, chartFile, chartPng, chartSvg, fileStem } from './chart-file.ts';
import { useChartSettings } from './chart-settings.ts';
import { nameOf } from './crosshair.tsx';
import type { Line } from './lines.ts';
import type { Series } from './series.ts';

export type NumbersType = 'csv' | 'json';
export type PictureType = 'svg' | 'png';

/** Every point of the visible runs. */
export function saveNumbers(
  title: string,
  unit: string,
  series: readonly Series[],
  type: NumbersType,
): void {
  const { hiddenRuns } = useChartSettings.getState();
  const { groups } = chartData();
  const runs = groups.flatMap(({ key, runs }) =>
    groups.length > 1 && hiddenRuns.has(key) ? [] : runs,
  );
  const file = chartFile(title, unit, runs, series);
  const [text, media] =
    type === 'csv' ? [chartCsv(file), 'text/csv'] : [JSON.stringify(file), 'application/json'];
  download({ name: `${fileStem(title)}.${type}`, parts: [text], type: media });
}

/** The chart as shown on the page; nothing if it is shown as a table. */
export async function savePicture(
  title: string,
  figure: HTMLElement,
  drawn: readonly Line[],
  type: PictureType,
): Promise<void> {
  const lines = drawn.map(({ series, group, ...line }) => ({
    ...line,
    series: { ...series, name: shown(series.name) },
    group: { ...group, name: shown(group.name) },
  }));
  const legend = lines.map((line) => ({ ...line, name: nameOf(line, lines) }));
  const picture = chartSvg(figure, shown(title), legend);
  if (picture === null) return;
  const part = type === 'svg' ? picture.svg : await chartPng(picture);
  const media = type === 'svg' ? 'image/svg+xml' : 'image/png';
  download({ name: `${fileStem(title)}.${type}`, parts: [part], type: media });
}
