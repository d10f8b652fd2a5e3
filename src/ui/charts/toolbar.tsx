import { Button, SegmentedControl, Slider, Switch } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconZoomReset } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useRef } from 'react';
import { GroupIndex } from '../shell/page/groups.tsx';
import { useChartData } from './chart-data.ts';
import { chooseAxis, MOST_SMOOTHING, showAll, toggle, useChartSettings } from './chart-settings.ts';
import { layForeign, useForeign } from './foreign.ts';
import { axisNames, xAxes } from './x-axis.ts';

/** Display settings of all charts. */
export function ChartToolbar() {
  const { axis, logX, smoothing, zoom } = useChartSettings();
  const bar = useRef<HTMLElement>(null);
  const byTouch = useMediaQuery('(pointer: coarse)');
  const { format, title } = xAxes[axis];
  return (
    <section
      ref={bar}
      className="row panel chart-toolbar"
      aria-label="All charts"
      data-testid="chart-toolbar"
    >
      <GroupIndex />
      <div className="chart-tool">
        <span id="chart-axis">Axis</span>
        <SegmentedControl
          aria-labelledby="chart-axis"
          value={axis}
          onChange={chooseAxis}
          data={axisNames.map((value) => ({ value, label: xAxes[value].title }))}
        />
      </div>
      <Switch
        size="xs"
        label="Log"
        aria-label="Logarithmic x axis"
        checked={logX}
        onChange={(event) =>
          useChartSettings.setState({ logX: event.currentTarget.checked, zoom: null })
        }
      />
      <div className="chart-tool chart-smoothing">
        <span>Smoothing</span>
        <Slider
          min={0}
          max={MOST_SMOOTHING}
          step={0.01}
          value={smoothing}
          onChange={(weight) => useChartSettings.setState({ smoothing: weight })}
          label={null}
          thumbLabel="Smoothing: weight of earlier values"
        />
        <output>{smoothing.toFixed(2)}</output>
      </div>
      {zoom === null ? (
        byTouch ? (
          <span className="chart-hint">Pinch a chart to zoom</span>
        ) : null
      ) : (
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconZoomReset size={15} />}
          onClick={showAll}
        >
          {title} {format(rounded(zoom[0], zoom))} to {format(rounded(zoom[1], zoom))}: show all
        </Button>
      )}
      <p className="row chart-marks" aria-hidden>
        <span>
          <Mark>
            <path d="M5 12V6" stroke="var(--p-faint)" />
          </Mark>
          evaluation
        </span>
        <span>
          <Mark>
            <path d="M5 0V12" stroke="var(--p-phase)" strokeDasharray="2 3" />
          </Mark>
          new horizon
        </span>
        <span>
          <Mark>
            <path d="M0 2h10l-5 8z" fill="var(--p-warn)" />
          </Mark>
          warning
        </span>
        <span>
          <Mark>
            <path d="M5 7V12M2 4a3 3 0 1 0 6 0a3 3 0 1 0 -6 0" fill="none" stroke="var(--p-plum)" />
          </Mark>
          setting changed
        </span>
      </p>
      <Runs bar={bar} />
      <Foreign />
    </section>
  );
}

/** The configs in the charts, each a toggle, if there are several. */
function Runs({ bar }: { readonly bar: RefObject<HTMLElement | null> }) {
  const { groups } = useChartData(bar);
  const hiddenRuns = useChartSettings((settings) => settings.hiddenRuns);
  if (groups.length < 2) return null;
  return (
    <ul className="chart-runs" aria-label="Runs">
      {groups.map(({ key, name, color }) => (
        <li key={key}>
          <button
            type="button"
            className="series-switch"
            aria-pressed={!hiddenRuns.has(key)}
            title={hiddenRuns.has(key) ? `Show ${name}` : `Hide ${name}`}
            onClick={() => toggle('hiddenRuns', key)}
          >
            <span className="swatch" style={{ color: color }} aria-hidden /> {name}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The external run that is overlaid on the charts, with a button to remove it. */
function Foreign() {
  const foreign = useForeign((state) => state.foreign);
  if (foreign === null) return null;
  return (
    <p className="chart-foreign" data-testid="chart-foreign">
      <span className="swatch foreign-swatch" aria-hidden /> {foreign.name}, dotted, on separate
      axes: {foreign.unit} along the top, values along the right.
      <Button size="compact-xs" onClick={() => layForeign(null)}>
        Remove
      </Button>
    </p>
  );
}

/** An icon with the mark that the charts use. */
function Mark({ children }: { readonly children: ReactNode }) {
  return (
    <svg width={10} height={12} viewBox="0 0 10 12" aria-hidden>
      {children}
    </svg>
  );
}

/** Rounds to about a hundredth of the visible range. */
function rounded(value: number, [from, to]: readonly [number, number]): number {
  const unit = 10 ** Math.floor(Math.log10((to - from) / 20));
  return Math.round(value / unit) * unit;
}
