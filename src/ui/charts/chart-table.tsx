import type { ChartRun } from './chart-data.ts';
import { nameOf } from './crosshair.tsx';
import { type Line, readLine } from './lines.ts';
import { ordinal } from './waiting.ts';
import { type AxisName, xAxes } from './x-axis.ts';

/** Maximum number of rows, which keeps the page fast; exported files contain all rows. */
const MOST_ROWS = 200;

interface ChartTableProps {
  readonly title: string;
  readonly axis: AxisName;
  /** The run whose iterations are the rows. */
  readonly run: ChartRun | undefined;
  readonly lines: readonly Line[];
  readonly format: (value: number | undefined) => string;
  /** Pixels. */
  readonly height: number;
}

/** Every `stride`-th index below `length`, counted from the last one, newest first. */
export function newestFirst(length: number, most: number): number[] {
  const stride = Math.max(1, Math.ceil(length / most));
  const indices: number[] = [];
  for (let index = length - 1; index >= 0; index -= stride) indices.push(index);
  return indices;
}

/** The numbers of a chart, newest first. */
export function ChartTable({ title, axis, run, lines, format, height }: ChartTableProps) {
  const { title: axisTitle, read } = xAxes[axis];
  const stops = run?.tracks.get(read, read).follow(run.rows);
  const length = stops?.length ?? 0;
  const rows = newestFirst(length, MOST_ROWS);
  const stride = Math.max(1, Math.ceil(length / MOST_ROWS));
  return (
    <section
      className="chart-table"
      style={{ height }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard.
      tabIndex={0}
      aria-label={`${title}, values`}
    >
      <table>
        <caption>
          {length === 0
            ? 'There are no values yet.'
            : stride === 1
              ? 'Newest first; each value is the last one measured up to that row.'
              : `Every ${ordinal(stride)} iteration, newest first; the CSV file contains all.`}
        </caption>
        <thead>
          <tr>
            <th scope="col">{axisTitle}</th>
            {lines.map((line) => (
              <th key={line.key} scope="col">
                {nameOf(line, lines)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((index) => {
            const at = stops?.x[index] ?? 0;
            return (
              <tr key={index}>
                <th scope="row">{xAxes[axis].format(at)}</th>
                {lines.map((line) => (
                  <td key={line.key}>{format(readLine(line, at)?.value)}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
