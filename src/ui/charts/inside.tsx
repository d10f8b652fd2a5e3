import { estimators } from '../../algorithms/advantages.ts';
import { surrogateTraits } from '../../algorithms/surrogates.ts';
import { shareTarget } from '../../diagnosis/bounds.ts';
import { whyGradient } from '../../diagnosis/curves.ts';
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
import { fitEntropyRule } from '../../runs/rule-fit.ts';
import { type LabState, useLab } from '../shell/lab/store.ts';
import { Group } from '../shell/page/groups.tsx';
import { Part } from '../shell/page/part.tsx';
import type { ChartSpec } from './chart-spec.ts';
import { GroupChart, Later } from './group-charts.tsx';
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
    'Bounds on the ratio of a token’s current probability to its probability when it was generated. The line is the mean over the iteration’s updates; the band spans the smallest to the largest.',
  why: whyBounds,
  series: ({ config }) =>
    surrogateTraits[config.algorithm.objective].bounds === 'nothing' ? noBounds : bounds,
  levels: [{ value: 1 }],
  format: significant,
  domain: ['auto', 'auto'],
  // Room for ratios slightly beyond the bounds of most methods.
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

/**
 * The measured change in entropy, and the change that the entropy-clip rule predicts with the
 * fitted step size.
 */
function ruleSeries(step: number): readonly Series[] {
  if (fitted === null || !Object.is(fitted.step, step)) {
    const rule: Series = {
      name: 'Rule',
      color: 'var(--p-ochre)',
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
    'Change in mean entropy over one update’s tokens, and the change that the entropy-clip rule predicts from each token’s gradient, scaled by a fitted step size.',
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

const gradient: ChartSpec = {
  testId: 'chart-gradient',
  title: 'Gradient norm',
  meaning: `${metric('policy/grad_norm').meaning} For diagnosed updates, the chart also shows the gradient norms of tokens with positive advantage and of tokens with negative advantage.`,
  why: (evidence) => {
    const parts = [whyGradient(evidence), whyGradientSides(evidence)];
    const text = parts.filter((part) => part !== null).join(' ');
    return text === '' ? null : text;
  },
  series: [
    ofMetric('policy/grad_norm', 'Norm', 'var(--p-ochre)'),
    ofMetric('diagnostics/grad_norm_positive', 'Positive', 'var(--p-aegean)', 'joined'),
    {
      ...ofMetric('diagnostics/grad_norm_negative', 'Negative', 'var(--p-terracotta)', 'joined'),
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
      : 'The targets are returns, which change with the policy, so the loss need not fall while the policy improves.',
  series: [ofMetric('value/loss', 'Loss', 'var(--p-plum)')],
  format: significant,
  height,
};

/** Whether the clip bounds change; constant bounds need no chart. */
function boundsMove({ config, rows }: Pick<LabState, 'config' | 'rows'>): boolean {
  if (config.algorithm.objective === 'bapo') return true;
  return (['policy/clip_low', 'policy/clip_high'] as const).some(
    (key) => rows[0]?.metrics[key] !== rows.at(-1)?.metrics[key],
  );
}

/**
 * Whether tokens of earlier iterations were trained on. Within one iteration a token's age stays
 * below the number of updates.
 */
function usesOldTokens({ config, staleness }: Pick<LabState, 'config' | 'staleness'>): boolean {
  const { epochs, mini_batches } = config.algorithm;
  return staleness.some(([age]) => age >= epochs * mini_batches);
}

/** Effects of single updates: bounds, tokens at the bounds, and changes. */
export function InsideUpdate({ clipFraction }: { readonly clipFraction: ChartSpec }) {
  const critic = useLab((lab) => estimators[lab.config.algorithm.advantage].against === 'values');
  const moving = useLab(boundsMove);
  const old = useLab(usesOldTokens);
  const diagnosed = useLab((lab) => lab.diagnoses.length > 0);
  const config = useLab((lab) => lab.config);
  const specs = [
    clipFraction,
    ...(moving ? [clipBounds] : []),
    gradient,
    positiveShare,
    entropyChange,
    ...(critic ? [explainedVariance, valueLoss] : []),
  ];
  return (
    <Group id="updates">
      <div className="inside" data-testid="inside">
        {diagnosed ? (
          <Part name="The tokens of one update">
            <Quadrants />
          </Part>
        ) : null}
        {specs.map((spec) => (
          <GroupChart key={spec.testId} spec={spec} />
        ))}
        {old ? (
          <Part name="The chart “Staleness”">
            <Staleness />
          </Part>
        ) : null}
      </div>
      <Later
        specs={specs}
        others={diagnosed ? [] : [['The tokens of one update', waitingForDiagnosis(config)]]}
      />
    </Group>
  );
}
