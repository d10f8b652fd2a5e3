import { Area, Line, ReferenceDot } from 'recharts';
import { amount } from '../../../runs/numbers.ts';
import type { DrawName } from '../../../runs/test-time.ts';
import { ShareChart } from '../../charts/share-chart.tsx';
import { type AtSamples, type DrawnCurve, type Reading, read } from './test-time-curves.ts';

const drawColors: Readonly<Record<DrawName, string>> = {
  answers: 'var(--p-aegean)',
  chains: 'var(--p-terracotta)',
  rounds: 'var(--p-olive)',
  retries: 'var(--p-plum)',
  debate: 'var(--p-ochre)',
};

interface TestTimeChartProps {
  readonly curves: readonly DrawnCurve[];
  /** Position of the slider on each curve. */
  readonly rows: readonly AtSamples[];
  readonly reading: Reading;
  /** The curve whose intervals are shaded. */
  readonly shown: DrawName;
}

/** Share of correct answers by tokens per task, on a log axis. */
export function TestTimeChart({ curves, rows, reading, shown }: TestTimeChartProps) {
  const tokens = curves.flatMap(({ points }) => points.map((point) => point.tokens));
  const ends = [Math.min(...tokens), Math.max(...tokens)];
  return (
    <ShareChart
      height={260}
      label="Share of correct answers by number of tokens; the numbers are in the table below."
      x={{
        dataKey: 'tokens',
        scale: 'log',
        domain: ends,
        ticks: ticksBetween(ends),
        tickFormatter: amount,
      }}
      below="tokens per task"
    >
      {curves
        .filter(({ how }) => how === shown)
        .map(({ how, points }) => (
          <Area
            key={how}
            data={points.map((point) => {
              const { low, high } = read(point, reading);
              return { tokens: point.tokens, between: [low, high] };
            })}
            dataKey="between"
            type="linear"
            stroke="none"
            fill={drawColors[how]}
            fillOpacity={0.16}
            isAnimationActive={false}
          />
        ))}
      {curves.map(({ how, points }) => (
        <Line
          key={how}
          data={points.map((point) => ({
            tokens: point.tokens,
            right: read(point, reading).mean,
          }))}
          dataKey="right"
          type="linear"
          stroke={drawColors[how]}
          strokeWidth={2}
          dot={{ r: 2.5, fill: drawColors[how], strokeWidth: 0 }}
          isAnimationActive={false}
        />
      ))}
      {rows.map(({ how, point }) => (
        <ReferenceDot
          key={how}
          x={point.tokens}
          y={read(point, reading).mean}
          r={6}
          fill="var(--p-card)"
          stroke={drawColors[how]}
          strokeWidth={2.5}
        />
      ))}
    </ShareChart>
  );
}

/** Round numbers of tokens. */
function ticksBetween([from = 1, to = 1]: readonly number[]): number[] {
  const ticks: number[] = [];
  for (let power = 1; power <= to; power *= 10) {
    ticks.push(...[power, 2 * power, 5 * power].filter((one) => one >= from && one <= to));
  }
  return ticks;
}
