import { estimators } from '../../algorithms/advantages.ts';
import { surrogateTraits } from '../../algorithms/surrogates.ts';
import { shareTarget } from '../../diagnosis/bounds.ts';
import { fitEntropyRule } from '../../diagnosis/rule-fit.ts';
import {
  whyBounds,
  whyEntropyChange,
  whyGradientSides,
  whyShare,
  whyValue,
} from '../../diagnosis/updates.ts';
import type { UpdateDetail } from '../../runs/details.ts';
import { metric } from '../../runs/metrics.ts';
import { percent, significant, thousands } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import { useLab } from '../lab/store.ts';
import { type ChartSpec, MetricChart } from './metric-chart.tsx';
import { Quadrants } from './quadrants.tsx';
import { ofMetric, type Series } from './series.ts';
import { Staleness } from './staleness.tsx';
import { waitingForDiagnosis } from './waiting.ts';

/** Smallest and largest finite value over an iteration's updates. */
function range(
  { details: { updates } }: Row,
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

const height = 150;

const bounds: readonly Series[] = [
  {
    ...ofMetric('policy/clip_high', 'Upper', 'var(--p-aegean)'),
    band: (row) => range(row, ({ clipHigh }) => clipHigh),
  },
  {
    ...ofMetric('policy/clip_low', 'Lower', 'var(--p-terracotta)'),
    band: (row) => range(row, ({ clipLow }) => clipLow),
  },
];
const noBounds: readonly Series[] = [];

const clipBounds: ChartSpec = {
  testId: 'chart-bounds',
  title: 'Clip bounds',
  meaning:
    'How far a token’s probability may move from the one it was written with, as a ratio: mean of the iteration’s updates, with the band from the smallest to the largest.',
  why: whyBounds,
  series: ({ config }) =>
    surrogateTraits[config.algorithm.objective].bounds === 'nothing' ? noBounds : bounds,
  levels: [{ value: 1 }],
  format: significant,
  domain: ['auto', 'auto'],
  // Room for ratios a little beyond the bounds that most methods have.
  atLeast: [0.75, 1.3],
  scale: 'log',
  height,
};

const positiveShare: ChartSpec = {
  testId: 'chart-share',
  title: 'Positive share',
  meaning: metric('policy/positive_share').meaning,
  why: whyShare,
  series: [
    {
      ...ofMetric('policy/positive_share', 'Share', 'var(--p-olive)'),
      band: (row) => range(row, ({ positiveShare: share }) => share),
    },
  ],
  levels: ({ config }) => {
    const target = shareTarget(config);
    return target === undefined ? [] : [{ value: target, name: `target ${percent(target)}` }];
  },
  format: percent,
  domain: [0, 1],
  height,
};

const measured = ofMetric('diagnostics/entropy_change', 'Measured', 'var(--p-aegean)', 'joined');

let fitted: { readonly step: number; readonly series: readonly Series[] } | null = null;

/** The measured change beside what the entropy-clip rule foretells with the fitted step size. */
function ruleSeries(step: number): readonly Series[] {
  if (fitted === null || !Object.is(fitted.step, step)) {
    const rule: Series = {
      name: 'Rule',
      colour: 'var(--p-ochre)',
      mark: 'joined',
      shape: 'diamond',
      read: ({ metrics }) => {
        const value = metrics['diagnostics/entropy_rule'];
        return value === undefined || !Number.isFinite(step) ? undefined : step * value;
      },
    };
    fitted = { step, series: [measured, rule] };
  }
  return fitted.series;
}

const entropyChange: ChartSpec = {
  testId: 'chart-entropy-change',
  title: 'Entropy change',
  meaning:
    'What one update did to the mean entropy of its own tokens, beside what the entropy-clip rule foretells from the gradient that the objective gave each of them, times a fitted step size.',
  why: whyEntropyChange,
  waiting: waitingForDiagnosis,
  series: ({ rows }) => ruleSeries(fitEntropyRule(rows).step),
  levels: [{ value: 0 }],
  format: (value) =>
    value === undefined ? thousands(value) : significant(value).replace(/^-/, '−'),
  domain: ['auto', 'auto'],
  unit: 'nats',
  height,
};

const gradientSides: ChartSpec = {
  testId: 'chart-gradient-sides',
  title: 'Gradient by side',
  meaning:
    'Norm of the gradient that tokens with positive and with negative advantage would give alone, in diagnosed updates.',
  why: whyGradientSides,
  waiting: waitingForDiagnosis,
  series: [
    ofMetric('diagnostics/grad_norm_positive', 'Better', 'var(--p-aegean)', 'joined'),
    {
      ...ofMetric('diagnostics/grad_norm_negative', 'Worse', 'var(--p-terracotta)', 'joined'),
      shape: 'square',
    },
  ],
  format: significant,
  height,
};

const explainedVariance: ChartSpec = {
  testId: 'chart-explained',
  title: 'Explained variance',
  meaning: metric('value/explained_variance').meaning,
  why: whyValue,
  series: [ofMetric('value/explained_variance', 'Explained', 'var(--p-aegean)')],
  levels: [{ value: 0 }],
  format: significant,
  domain: ['auto', 1],
  height,
};

const valueLoss: ChartSpec = {
  testId: 'chart-value-loss',
  title: 'Value loss',
  meaning: metric('value/loss').meaning,
  why: (evidence) =>
    evidence.rows.length === 0
      ? whyValue(evidence)
      : 'It is judged against returns that move with the policy, so it need not fall while the policy improves.',
  series: [ofMetric('value/loss', 'Loss', 'var(--p-plum)')],
  format: significant,
  height,
};

/** What single updates do: the bounds, the tokens at them, and what comes of it. */
export function InsideUpdate() {
  const critic = useLab((lab) => estimators[lab.config.algorithm.advantage].against === 'values');
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
      <MetricChart spec={clipBounds} />
      <MetricChart spec={positiveShare} />
      <MetricChart spec={entropyChange} />
      <MetricChart spec={gradientSides} />
      <Staleness />
      {critic ? (
        <div className="inside-two">
          <MetricChart spec={explainedVariance} />
          <MetricChart spec={valueLoss} />
        </div>
      ) : null}
    </section>
  );
}
