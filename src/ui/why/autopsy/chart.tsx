import { Line, ReferenceLine } from 'recharts';
import { ShareChart } from '../../charts/share-chart.tsx';
import { type ForkCurve, type ForkPoint, UNCHANGED } from './curves.ts';

interface AutopsyChartProps {
  /** The current run. */
  readonly run: readonly ForkPoint[];
  readonly forks: readonly ForkCurve[];
  /** The last iteration shared by all forks, and the last iteration of the forks. */
  readonly after: number;
  readonly to: number;
}

/** Success of the run by iteration, with its forks overlaid. */
export function AutopsyChart({ run, forks, after, to }: AutopsyChartProps) {
  const last = Math.max(to, run.at(-1)?.iteration ?? 1);
  return (
    <ShareChart
      height={240}
      className="autopsy-chart"
      label="Success of the run and of its forks by iteration; the numbers are in the table below."
      x={{ dataKey: 'iteration', domain: [0, last], tickCount: 8, allowDecimals: false }}
      below="iterations"
    >
      <ReferenceLine x={after} stroke="var(--p-phase)" strokeDasharray="2 3" />
      <Line
        data={[...run]}
        dataKey="success"
        type="linear"
        stroke="var(--p-faint)"
        strokeOpacity={0.45}
        strokeWidth={5}
        dot={false}
        isAnimationActive={false}
      />
      {forks.map(({ name, color, points }) => (
        <Line
          key={name}
          data={[...points]}
          dataKey="success"
          type="linear"
          stroke={color}
          strokeWidth={name === UNCHANGED ? 1.5 : 2}
          {...(name === UNCHANGED ? { strokeDasharray: '4 3' } : {})}
          dot={false}
          isAnimationActive={false}
        />
      ))}
    </ShareChart>
  );
}
