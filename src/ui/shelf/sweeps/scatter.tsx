import { NativeSelect, Switch } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import type { TrialSummary } from '../../../sweep/summary.ts';
import type { MetricAxis, ParameterAxis } from './axes.ts';
import { colorOf, MOST_LINES } from './parallel.tsx';
import { chooseTrial, pointAt, useSweep } from './store.ts';

interface ScatterProps {
  readonly parameters: readonly ParameterAxis[];
  readonly metric: MetricAxis;
  readonly trials: readonly TrialSummary[];
  readonly goodness: (trial: TrialSummary) => number | null;
  /** The initial parameter. */
  readonly first: string;
  readonly seeds: number;
}

const HEIGHT = 280;
const MARGIN = { left: 54, right: 16, top: 12, bottom: 40 } as const;

/** The metric against one parameter: a point per trial with its interval, or one per seed. */
export function Scatter({ parameters, metric, trials, goodness, first, seeds }: ScatterProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [path, setPath] = useState(first);
  const [apart, setApart] = useState(false);
  const axis = parameters.find((one) => one.path === path) ?? parameters[0];
  if (axis === undefined) return null;
  const plot = {
    width: width - MARGIN.left - MARGIN.right,
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const xOf = (share: number) => MARGIN.left + share * plot.width;
  const yOf = (value: number) =>
    MARGIN.top + (1 - Math.max(0, Math.min(1, metric.at(value)))) * plot.height;
  const drawn = trials.filter(({ estimate }) => estimate !== null).slice(0, MOST_LINES);
  return (
    <section className="card sweep-part" aria-label="Metric by parameter">
      <div className="row sweep-part-head">
        <h3>{metric.title} by</h3>
        <NativeSelect
          size="xs"
          aria-label="Parameter"
          data={parameters.map((one) => ({ value: one.path, label: one.title }))}
          value={axis.path}
          onChange={({ currentTarget: { value } }) => setPath(value)}
        />
        {seeds < 2 ? null : (
          <Switch
            size="sm"
            label="Show seeds"
            checked={apart}
            onChange={({ currentTarget: { checked } }) => setApart(checked)}
          />
        )}
      </div>
      <div ref={ref} className="sweep-scatter" style={{ height: HEIGHT }}>
        {width === 0 ? null : (
          // biome-ignore lint/a11y/useSemanticElements: SVG cannot contain form elements.
          <svg
            width={width}
            height={HEIGHT}
            role="group"
            onPointerMove={({ target }) => pointAt(trialAt(target))}
            onPointerLeave={() => pointAt(null)}
            onPointerUp={({ target }) => {
              const trial = trialAt(target);
              if (trial !== null) chooseTrial(trial);
            }}
            aria-label={`${metric.title} of ${drawn.length} trials by ${axis.title}; the numbers are in the table below`}
          >
            {metric.ticks.map(({ share, text }) => (
              <g key={share}>
                <line
                  className="sweep-grid"
                  x1={MARGIN.left}
                  x2={width - MARGIN.right}
                  y1={MARGIN.top + (1 - share) * plot.height}
                  y2={MARGIN.top + (1 - share) * plot.height}
                />
                <text
                  className="sweep-tick"
                  x={MARGIN.left - 8}
                  y={MARGIN.top + (1 - share) * plot.height + 4}
                  textAnchor="end"
                >
                  {text}
                </text>
              </g>
            ))}
            {axis.ticks.map(({ share, text }) => (
              <text
                key={share}
                className="sweep-tick"
                x={xOf(share)}
                y={HEIGHT - MARGIN.bottom + 18}
                textAnchor="middle"
              >
                {text}
              </text>
            ))}
            <text
              className="sweep-axis-title"
              x={MARGIN.left + plot.width / 2}
              y={HEIGHT - 4}
              textAnchor="middle"
            >
              {axis.title}
            </text>
            {drawn.map((trial) => (
              <Point
                key={trial.number}
                trial={trial}
                x={xOf(axis.at(trial) + spread(trial.number, axis.choices))}
                yOf={yOf}
                apart={apart}
                color={colorOf(goodness(trial))}
              />
            ))}
          </svg>
        )}
      </div>
      <p className="sweep-soft">
        {apart || seeds < 2
          ? 'Each point is one seed'
          : 'Each point is the mean over seeds; its line is the 95% interval, which may extend beyond the plot'}
        . Hollow points are trials that have not finished.
      </p>
    </section>
  );
}

/** Number of the trial that a point belongs to; null for other elements. */
function trialAt(target: EventTarget): number | null {
  const point = target instanceof Element ? target.closest('[data-trial]') : null;
  return point === null ? null : Number(point.getAttribute('data-trial'));
}

/**
 * Horizontal offset that separates trials with the same list value: a fraction of the axis,
 * constant per trial.
 */
function spread(number: number, choices: number | null): number {
  return choices === null ? 0 : (((number * 0.618034) % 1) - 0.5) * (0.6 / choices);
}

interface PointProps {
  readonly trial: TrialSummary;
  readonly x: number;
  readonly yOf: (value: number) => number;
  readonly apart: boolean;
  readonly color: string;
}

function Point({ trial, x, yOf, apart, color }: PointProps) {
  const { number, estimate, bySeed, standing } = trial;
  const isFront = useSweep(({ pointed, chosen }) => pointed === number || chosen === number);
  if (estimate === null) return null;
  const { mean, low, high } = estimate;
  const measured = bySeed.filter((value) => value !== null);
  const looks = {
    stroke: isFront ? 'var(--p-ink)' : color,
    fill: standing === 'finished' ? color : 'var(--p-card)',
  };
  return (
    <g className="sweep-point" data-trial={number}>
      {apart ? (
        measured.map((value, seed) => (
          <circle
            key={`${seed} ${value}`}
            cx={x}
            cy={yOf(value)}
            r={isFront ? 5 : 3.5}
            style={looks}
          />
        ))
      ) : (
        <>
          {Number.isFinite(low) && high > low ? (
            <line x1={x} x2={x} y1={yOf(low)} y2={yOf(high)} style={{ stroke: looks.stroke }} />
          ) : null}
          <circle cx={x} cy={yOf(mean)} r={isFront ? 6.5 : 5} style={looks} />
        </>
      )}
    </g>
  );
}
