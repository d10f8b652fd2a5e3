import { useElementSize } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { CartesianGrid, ComposedChart, XAxis, type XAxisProps, YAxis } from 'recharts';
import { percent } from '../../runs/numbers.ts';
import { shown } from '../shell/language/current.ts';

interface ShareChartProps {
  readonly height: number;
  readonly className?: string;
  /** Text for screen readers. */
  readonly label: string;
  /** The x axis: its data, scale and ticks. */
  readonly x: Pick<
    XAxisProps,
    'dataKey' | 'scale' | 'domain' | 'ticks' | 'tickCount' | 'tickFormatter' | 'allowDecimals'
  >;
  /** Title of the x axis, shown below it. */
  readonly below: string;
  readonly children: ReactNode;
}

const tick = { fontSize: 'var(--text-xs)', fill: 'var(--p-faint)' };
const shares = [0, 0.25, 0.5, 0.75, 1];

/** A chart of shares from 0 to 1 that fills the available width. */
export function ShareChart({ height, className, label, x, below, children }: ShareChartProps) {
  const { ref, width } = useElementSize();
  return (
    <div ref={ref} className={className} style={{ height }} role="img" aria-label={label}>
      {width > 0 ? (
        <ComposedChart
          width={width}
          height={height}
          margin={{ top: 8, right: 12, bottom: 14, left: 0 }}
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--p-grid)" />
          <XAxis
            {...x}
            type="number"
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--p-rule)' }}
            allowDuplicatedCategory={false}
            label={{ value: shown(below), position: 'insideBottom', offset: -8, ...tick }}
          />
          <YAxis
            type="number"
            domain={[0, 1]}
            ticks={shares}
            tickFormatter={(share) => shown(percent(share))}
            tick={tick}
            tickLine={false}
            axisLine={false}
            width={46}
          />
          {children}
        </ComposedChart>
      ) : null}
    </div>
  );
}
