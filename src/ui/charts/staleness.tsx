import { useElementSize } from '@mantine/hooks';
import { useId, useMemo } from 'react';
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { whyStaleness } from '../../diagnosis/updates.ts';
import { metric } from '../../runs/metrics.ts';
import { percent, significant, thousands } from '../../runs/numbers.ts';
import { useLab } from '../shell/lab/store.ts';
import { shown } from '../shell/language/current.ts';
import { type AgeBin, ageBins } from './age-bins.ts';
import { WAITING } from './waiting.ts';

const HEIGHT = 150;

/** Age of the newest iteration's tokens when they were used for training. */
export function Staleness() {
  const id = useId();
  const staleness = useLab((lab) => lab.staleness);
  const config = useLab((lab) => lab.config);
  const last = useLab((lab) => lab.rows.at(-1)?.metrics);
  const { ref, width } = useElementSize();
  const bins = useMemo(() => ageBins(staleness), [staleness]);
  const total = bins.reduce((sum, { tokens }) => sum + tokens, 0);
  const words = bins.map(({ name, tokens }) => `${name}: ${percent(tokens / total)}`).join(', ');
  return (
    <figure
      className="card chart"
      data-testid="chart-staleness"
      aria-labelledby={id}
      aria-describedby={`${id}-why`}
    >
      <figcaption className="row chart-head">
        <h3 id={id}>Staleness</h3>
        <dl className="chart-values">
          <div>
            <dt>Mean</dt>
            <dd>{significant(last?.['policy/staleness'])}</dd>
          </div>
          <div>
            <dt>Oldest</dt>
            <dd>{thousands(last?.['policy/staleness_max'])}</dd>
          </div>
        </dl>
      </figcaption>
      <div
        ref={ref}
        className="plot"
        style={{ height: HEIGHT }}
        role="img"
        aria-label={`Share of tokens by age in policy versions. ${words}`}
      >
        {width > 0 ? (
          <BarChart
            width={width}
            height={HEIGHT}
            data={bins as AgeBin[]}
            margin={{ top: 6, right: 10, bottom: 0, left: 0 }}
            barCategoryGap="18%"
            accessibilityLayer={false}
          >
            <CartesianGrid vertical={false} stroke="var(--p-grid)" />
            <XAxis
              dataKey="name"
              tick={{ fontSize: 'var(--text-xs)', fill: 'var(--p-faint)' }}
              tickLine={false}
              axisLine={{ stroke: 'var(--p-rule)' }}
              height={20}
            />
            <YAxis
              width={54}
              tickCount={4}
              tickFormatter={(count) => shown(thousands(count))}
              tick={{ fontSize: 'var(--text-xs)', fill: 'var(--p-faint)' }}
              tickLine={false}
              axisLine={false}
            />
            <Tooltip
              isAnimationActive={false}
              cursor={{ fill: 'var(--p-grid)', opacity: 0.6 }}
              content={({ active, payload }) => {
                const bin: AgeBin | undefined = payload[0]?.payload;
                return active && bin !== undefined ? (
                  <div className="chart-tip">
                    <div>
                      {bin.name} {bin.name === '1' ? 'version' : 'versions'} old
                    </div>
                    <b>{thousands(bin.tokens)}</b> tokens, {percent(bin.tokens / total)}
                  </div>
                ) : null;
              }}
            />
            <Bar
              dataKey="tokens"
              fill="var(--p-plum)"
              radius={[3, 3, 0, 0]}
              isAnimationActive={false}
            />
          </BarChart>
        ) : null}
      </div>
      <p className="chart-meaning">
        {metric('policy/staleness').meaning.replace(
          /^Mean number of policy versions/,
          'Tokens of the newest iteration by the number of policy versions',
        )}
      </p>
      <p className="chart-why" id={`${id}-why`}>
        {whyStaleness(staleness, config) ?? WAITING}
      </p>
    </figure>
  );
}
