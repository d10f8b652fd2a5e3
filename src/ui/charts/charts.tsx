import { useMemo } from 'react';
import { metric } from '../../runs/metrics.ts';
import { fineShare, percent, significant, thousands } from '../format.ts';
import type { IterationRow } from '../store.ts';
import {
  whyClip,
  whyEntropy,
  whyGradient,
  whyHorizon,
  whyKl,
  whySuccess,
  whyThroughput,
} from '../why.ts';
import { EnvironmentsChart } from './environments.tsx';
import { type Level, MetricChart, ofMetric, phasesOf } from './metric-chart.tsx';
import { useEvidence } from './use-evidence.ts';

const success = [
  ofMetric('rollout/success_rate', 'Training', 'var(--p-terracotta)'),
  ofMetric('eval/success_rate', 'Evaluation', 'var(--p-olive)', 'points'),
  ofMetric('rollout/score', 'Score', 'var(--p-ochre)', 'dashed'),
];
const entropy = [ofMetric('policy/entropy', 'Entropy', 'var(--p-aegean)')];
const horizon = [
  ofMetric('rollout/horizon', 'Limit', 'var(--p-faint)', 'steps'),
  ofMetric('rollout/turns', 'Used', 'var(--p-terracotta)'),
];
const clip = [
  ofMetric('policy/clip_fraction_high', 'Above', 'var(--p-olive)'),
  ofMetric('policy/clip_fraction_low', 'Below', 'var(--p-terracotta)'),
];
const dualClip = [
  ...clip,
  ofMetric('policy/clip_fraction_dual', 'Dual', 'var(--p-plum)', 'dashed'),
];
const kl = [ofMetric('policy/approx_kl', 'KL', 'var(--p-plum)')];
const gradient = [ofMetric('policy/grad_norm', 'Norm', 'var(--p-ochre)')];
const throughput = [
  ofMetric('time/turns_per_second', 'Turns', 'var(--p-aegean)'),
  ofMetric('time/tokens_per_second', 'Tokens', 'var(--p-ochre)', 'dashed'),
];

const unitInterval = [0, 1] as const;

/** What imitation alone had come to, where there was some: what is above is learned by trial. */
export function imitationLevel(rows: readonly IterationRow[]): readonly Level[] {
  const value = rows[0]?.metrics['imitation/success_rate'];
  return value === undefined
    ? []
    : [{ value, name: `after imitation ${percent(value)}`, above: value < 0.5 }];
}

/** The curve the page is about. */
export function SuccessChart() {
  const evidence = useEvidence();
  const phases = useMemo(() => phasesOf(evidence.rows), [evidence.rows]);
  const first = evidence.rows[0];
  const levels = useMemo(() => imitationLevel(first === undefined ? [] : [first]), [first]);
  return (
    <MetricChart
      testId="chart-success"
      title="Success"
      meaning={`Share of episodes that solve their task. Evaluation always takes the most probable word. Score is the mean reward.${levels.length === 0 ? '' : ' The level after imitation is that of the evaluation before any reinforcement learning.'}`}
      levels={levels}
      why={whySuccess(evidence)}
      rows={evidence.rows}
      series={success}
      format={percent}
      domain={unitInterval}
      phases={phases}
      namePhases
      height={300}
      large
    />
  );
}

/** Each environment of a mixture, and what goes on inside: six smaller curves. */
export function DetailCharts() {
  const evidence = useEvidence();
  const { rows } = evidence;
  const phases = useMemo(() => phasesOf(rows), [rows]);
  const common = { rows, phases, height: 150 };
  return (
    <div className="detail-charts">
      <EnvironmentsChart phases={phases} />
      <MetricChart
        {...common}
        testId="chart-entropy"
        title="Entropy"
        meaning={metric('policy/entropy').meaning}
        why={whyEntropy(evidence)}
        series={entropy}
        format={significant}
        unit="nats"
      />
      <MetricChart
        {...common}
        testId="chart-horizon"
        title="Horizon and turns"
        meaning="The most turns an episode may take, and how many it takes on average."
        why={whyHorizon(evidence)}
        series={horizon}
        format={thousands}
      />
      <MetricChart
        {...common}
        testId="chart-clip"
        title="Clip fraction"
        meaning={metric('policy/clip_fraction').meaning}
        why={whyClip(evidence)}
        series={evidence.config.algorithm.dual_clip > 0 ? dualClip : clip}
        format={fineShare}
      />
      <MetricChart
        {...common}
        testId="chart-kl"
        title="Approximate KL"
        meaning="How far one iteration's updates moved the policy from the one that wrote the words."
        why={whyKl(evidence)}
        series={kl}
        format={significant}
        unit="nats"
      />
      <MetricChart
        {...common}
        testId="chart-gradient"
        title="Gradient norm"
        meaning={metric('policy/grad_norm').meaning}
        why={whyGradient(evidence)}
        series={gradient}
        format={significant}
      />
      <MetricChart
        {...common}
        testId="chart-throughput"
        title="Throughput"
        meaning="Turns played and words written per second, evaluation left out."
        why={whyThroughput(evidence)}
        series={throughput}
        format={thousands}
        unit="/s"
      />
    </div>
  );
}
