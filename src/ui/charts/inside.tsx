import { useMemo } from 'react';
import type { UpdateDetail } from '../../runs/details.ts';
import { metric } from '../../runs/metrics.ts';
import { percent, significant, thousands } from '../format.ts';
import { boundsOn, ratioTicks } from '../quadrants.ts';
import type { IterationRow } from '../store.ts';
import type { Evidence } from '../why.ts';
import {
  fitEntropyRule,
  shareTarget,
  whyBounds,
  whyEntropyChange,
  whyGradientSides,
  whyShare,
  whyValue,
} from '../why-inside.ts';
import { type Level, MetricChart, ofMetric, phasesOf, type Series } from './metric-chart.tsx';
import { Quadrants } from './quadrants.tsx';
import { Staleness } from './staleness.tsx';
import { useEvidence } from './use-evidence.ts';

/** Smallest and largest finite value over an iteration's updates. */
function range(
  { updates }: IterationRow,
  of: (update: UpdateDetail) => number,
): readonly [number, number] | undefined {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const update of updates) {
    const value = of(update);
    if (update.skipped || !Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return least > most ? undefined : [least, most];
}

/** Ends of a log axis that holds all bounds of a run, with room for ratios a little beyond. */
function ratioRange(rows: readonly IterationRow[]): readonly [number, number] {
  let least = 0.75;
  let most = 1.3;
  for (const row of rows) {
    least = Math.min(least, range(row, ({ clipLow }) => clipLow)?.[0] ?? least);
    most = Math.max(most, range(row, ({ clipHigh }) => clipHigh)?.[1] ?? most);
  }
  return [Math.max(0.01, least * 0.94), most * 1.06];
}

const bounds: readonly Series[] = [
  {
    ...ofMetric('policy/clip_high', 'Upper', 'var(--p-olive)'),
    band: (row) => range(row, ({ clipHigh }) => clipHigh),
  },
  {
    ...ofMetric('policy/clip_low', 'Lower', 'var(--p-terracotta)'),
    band: (row) => range(row, ({ clipLow }) => clipLow),
  },
];
const unchanged: readonly Level[] = [{ value: 1 }];
const share: readonly Series[] = [
  {
    ...ofMetric('policy/positive_share', 'Share', 'var(--p-olive)'),
    band: (row) => range(row, ({ positiveShare }) => positiveShare),
  },
];
const gradients = [
  ofMetric('diagnostics/grad_norm_positive', 'Better', 'var(--p-olive)', 'joined'),
  ofMetric('diagnostics/grad_norm_negative', 'Worse', 'var(--p-terracotta)', 'joined'),
];
const valueLoss = [ofMetric('value/loss', 'Loss', 'var(--p-plum)')];
const explained = [ofMetric('value/explained_variance', 'Explained', 'var(--p-aegean)')];
const zero: readonly Level[] = [{ value: 0 }];
const unitInterval = [0, 1] as const;
const quarters = [0, 0.25, 0.5, 0.75, 1];
const free = ['auto', 'auto'] as const;

/** What single updates do: the bounds, the tokens at them, and what comes of it. */
export function InsideUpdate() {
  const evidence = useEvidence();
  const { rows, config } = evidence;
  const phases = useMemo(() => phasesOf(rows), [rows]);
  const target = shareTarget(config);
  const targets = useMemo(
    () => (target === undefined ? [] : [{ value: target, name: `target ${percent(target)}` }]),
    [target],
  );
  const ratios = useMemo(() => ratioRange(rows), [rows]);
  const common = { rows, phases, height: 150 };
  const clips = boundsOn(config.algorithm.objective) !== 'nothing';
  return (
    <section className="inside" aria-labelledby="inside-title" data-testid="inside">
      <header className="inside-head">
        <h2 id="inside-title">Inside the update</h2>
        <p>
          Which tokens an update learns from, which the clip takes the gradient from, and what that
          does to entropy.
        </p>
      </header>
      <Quadrants />
      <MetricChart
        {...common}
        testId="chart-bounds"
        title="Clip bounds"
        meaning="How far a token’s probability may move from the one it was written with, as a ratio: mean of the iteration’s updates, with the band from the smallest to the largest."
        why={whyBounds(evidence)}
        series={clips ? bounds : []}
        levels={unchanged}
        format={significant}
        domain={ratios}
        ticks={ratioTicks(ratios, 120, 22)}
        scale="log"
      />
      <MetricChart
        {...common}
        testId="chart-share"
        title="Positive share"
        meaning={metric('policy/positive_share').meaning}
        why={whyShare(evidence)}
        series={share}
        levels={targets}
        format={percent}
        domain={unitInterval}
        ticks={quarters}
      />
      <EntropyChange evidence={evidence} common={common} />
      <MetricChart
        {...common}
        testId="chart-gradient-sides"
        title="Gradient by side"
        meaning="Norm of the gradient that tokens with positive and with negative advantage would give alone, in diagnosed updates."
        why={whyGradientSides(evidence)}
        series={gradients}
        format={significant}
      />
      <Staleness />
      {config.algorithm.advantage === 'gae' ? (
        <>
          <MetricChart
            {...common}
            testId="chart-explained"
            title="Explained variance"
            meaning={metric('value/explained_variance').meaning}
            why={whyValue(evidence)}
            series={explained}
            levels={zero}
            format={significant}
            domain={explainedDomain}
          />
          <MetricChart
            {...common}
            testId="chart-value-loss"
            title="Value loss"
            meaning={metric('value/loss').meaning}
            why={
              rows.length === 0
                ? whyValue(evidence)
                : 'It is judged against returns that move with the policy, so it need not fall while the policy improves.'
            }
            series={valueLoss}
            format={significant}
          />
        </>
      ) : null}
    </section>
  );
}

const explainedDomain = ['auto', 1] as const;

interface EntropyChangeProps {
  readonly evidence: Evidence;
  readonly common: {
    readonly rows: readonly IterationRow[];
    readonly phases: ReturnType<typeof phasesOf>;
    readonly height: number;
  };
}

/** The measured change beside what the entropy-clip rule foretells with the fitted step size. */
function EntropyChange({ evidence, common }: EntropyChangeProps) {
  const { rows } = common;
  const fit = useMemo(() => fitEntropyRule(rows), [rows]);
  const series = useMemo(
    (): readonly Series[] => [
      ofMetric('diagnostics/entropy_change', 'Measured', 'var(--p-aegean)', 'joined'),
      {
        name: 'Rule',
        colour: 'var(--p-ochre)',
        mark: 'dashed',
        read: ({ metrics }) => {
          const rule = metrics['diagnostics/entropy_rule'];
          return rule === undefined || !Number.isFinite(fit.step) ? undefined : fit.step * rule;
        },
      },
    ],
    [fit.step],
  );
  return (
    <MetricChart
      {...common}
      testId="chart-entropy-change"
      title="Entropy change"
      meaning="What one update did to the mean entropy of its own tokens, beside what the entropy-clip rule foretells from the tokens that are not clipped, times a fitted step size."
      why={whyEntropyChange(evidence, fit)}
      series={series}
      levels={zero}
      format={signed}
      domain={free}
      unit="nats"
    />
  );
}

const signed = (value: number | undefined) =>
  value === undefined ? thousands(value) : significant(value).replace(/^-/, '−');
