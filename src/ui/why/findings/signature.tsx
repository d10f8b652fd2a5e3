import type { Signature } from '../../../diagnosis/signatures.ts';
import { type MetricKey, metric } from '../../../runs/metrics.ts';
import { significant } from '../../../runs/numbers.ts';
import { finite } from '../../charts/points.ts';
import { pathThrough, tenth } from '../../charts/scale.ts';

interface SignatureChartProps {
  readonly signature: Signature;
  readonly metric: MetricKey;
  readonly values: readonly (number | null)[];
  /** The same metric of the healthy run. */
  readonly sound: readonly (number | null)[];
}

const WIDTH = 300;
const HEIGHT = 104;
/** Left margin, for the labels of the y axis. */
const LEFT = 44;
const BOTTOM = 15;
const TOP = 6;

/** A metric of a provoked failure, drawn over that of a healthy run of the same preset. */
export function SignatureChart({ signature, metric: key, values, sound }: SignatureChartProps) {
  const { from, to, known } = signature;
  const behind = sound.slice(0, values.length);
  const all = [...values, ...behind].filter((value) => value !== null);
  const [least, most] = [Math.min(0, ...all), Math.max(...all)];
  const high = most > least ? most - least : 1;
  const last = Math.max(2, values.length);
  const x = (iteration: number) =>
    tenth(LEFT + ((WIDTH - LEFT - 4) * (iteration - 1)) / (last - 1));
  const y = (value: number) =>
    tenth(HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * (value - least)) / high);
  const path = (series: readonly (number | null)[]) => {
    const points = finite(
      Float64Array.from(series, (_, at) => at + 1),
      Float64Array.from(series, (value) => value ?? Number.NaN),
    );
    return pathThrough(points, [...points.x.keys()], x, y);
  };
  const wide = Math.max(5, x(to) - x(from));
  return (
    <figure className="signature">
      <figcaption title={metric(key).meaning}>{metric(key).title}</figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={spoken(key, values, from, known)}
      >
        <rect
          className="signature-began"
          x={(x(from) + x(to) - wide) / 2}
          y={TOP}
          width={wide}
          height={HEIGHT - BOTTOM - TOP}
        />
        <path className="signature-axis" d={`M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH}`} />
        <path className="signature-sound" d={path(behind)} />
        <path className="signature-line" d={path(values)} />
        <text x={LEFT - 5} y={TOP + 8} textAnchor="end">
          {significant(most)}
        </text>
        <text x={LEFT - 5} y={HEIGHT - BOTTOM} textAnchor="end">
          {significant(least)}
        </text>
        <text x={LEFT} y={HEIGHT - 3}>
          1
        </text>
        <text x={WIDTH} y={HEIGHT - 3} textAnchor="end">
          {last}
        </text>
      </svg>
    </figure>
  );
}

function spoken(
  key: MetricKey,
  values: readonly (number | null)[],
  began: number,
  known: number,
): string {
  const at = (iteration: number) => significant(values[iteration - 1] ?? undefined);
  return `${metric(key).title}: ${at(1)} in iteration 1, ${at(began)} at the onset in iteration ${began}, ${at(known)} when it became detectable in iteration ${known}, ${at(values.length)} at the end in iteration ${values.length}.`;
}
