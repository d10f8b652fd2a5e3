import { useElementSize } from '@mantine/hooks';
import { CartesianGrid, ComposedChart, Line, ReferenceLine, XAxis, YAxis } from 'recharts';
import { percent } from '../../runs/numbers.ts';
import { AS_IT_WAS, type ForkCurve, type ForkPoint } from './curves.ts';

interface AutopsyChartProps {
  /** The present run. */
  readonly run: readonly ForkPoint[];
  readonly forks: readonly ForkCurve[];
  /** The last iteration that all forks share, and their last. */
  readonly after: number;
  readonly to: number;
}

const HEIGHT = 240;
const tick = { fontSize: 11, fill: 'var(--p-faint)' };
const shares = [0, 0.25, 0.5, 0.75, 1];

/** Success of the run by iterations, and of its forks over it. */
export function AutopsyChart({ run, forks, after, to }: AutopsyChartProps) {
  const { ref, width } = useElementSize();
  const last = Math.max(to, run.at(-1)?.iteration ?? 1);
  return (
    <div
      ref={ref}
      className="autopsy-chart"
      style={{ height: HEIGHT }}
      role="img"
      aria-label="Success of the run and of its forks by iterations; the table below has their numbers."
    >
      {width > 0 ? (
        <ComposedChart
          width={width}
          height={HEIGHT}
          margin={{ top: 8, right: 12, bottom: 14, left: 0 }}
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--p-grid)" />
          <XAxis
            dataKey="iteration"
            type="number"
            domain={[0, last]}
            tickCount={8}
            allowDecimals={false}
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--p-rule)' }}
            allowDuplicatedCategory={false}
            label={{ value: 'iterations', position: 'insideBottom', offset: -8, ...tick }}
          />
          <YAxis
            type="number"
            domain={[0, 1]}
            ticks={shares}
            tickFormatter={percent}
            tick={tick}
            tickLine={false}
            axisLine={false}
            width={46}
          />
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
          {forks.map(({ name, colour, points }) => (
            <Line
              key={name}
              data={[...points]}
              dataKey="success"
              type="linear"
              stroke={colour}
              strokeWidth={name === AS_IT_WAS ? 1.5 : 2}
              {...(name === AS_IT_WAS ? { strokeDasharray: '4 3' } : {})}
              dot={false}
              isAnimationActive={false}
            />
          ))}
        </ComposedChart>
      ) : null}
    </div>
  );
}
