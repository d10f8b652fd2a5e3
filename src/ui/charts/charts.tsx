import { useEffect, useMemo, useRef, useState } from 'react';
import { metric } from '../../runs/metrics.ts';
import { percent, significant, thousands } from '../format.ts';
import { useLab } from '../store.ts';
import {
  type Evidence,
  whyClip,
  whyEntropy,
  whyGradient,
  whyHorizon,
  whyKl,
  whySuccess,
  whyThroughput,
} from '../why.ts';
import { MetricChart, phasesOf, type Series } from './metric-chart.tsx';

const success: readonly Series[] = [
  { key: 'rollout/success_rate', name: 'Training', colour: 'var(--p-terracotta)' },
  { key: 'eval/success_rate', name: 'Evaluation', colour: 'var(--p-olive)', mark: 'points' },
  { key: 'rollout/score', name: 'Score', colour: 'var(--p-ochre)', mark: 'dashed' },
];
const entropy: readonly Series[] = [
  { key: 'policy/entropy', name: 'Entropy', colour: 'var(--p-aegean)' },
];
const horizon: readonly Series[] = [
  { key: 'rollout/horizon', name: 'Limit', colour: 'var(--p-faint)', mark: 'steps' },
  { key: 'rollout/turns', name: 'Used', colour: 'var(--p-terracotta)' },
];
const clip: readonly Series[] = [
  { key: 'policy/clip_fraction_high', name: 'Above', colour: 'var(--p-olive)' },
  { key: 'policy/clip_fraction_low', name: 'Below', colour: 'var(--p-terracotta)' },
];
const kl: readonly Series[] = [{ key: 'policy/approx_kl', name: 'KL', colour: 'var(--p-plum)' }];
const gradient: readonly Series[] = [
  { key: 'policy/grad_norm', name: 'Norm', colour: 'var(--p-ochre)' },
];
const throughput: readonly Series[] = [
  { key: 'time/turns_per_second', name: 'Turns', colour: 'var(--p-aegean)' },
  { key: 'time/tokens_per_second', name: 'Tokens', colour: 'var(--p-ochre)', mark: 'dashed' },
];

const unitInterval = [0, 1] as const;
/** Shares with two significant digits below one percent, where clip fractions live. */
const share = (value: number | undefined) =>
  value === undefined ? '–' : `${Number((value * 100).toPrecision(2))}%`;

/** Charts are drawn anew at most this often; a fast GPU finishes iterations sooner. */
const REDRAW_MS = 300;

/** The value as it was when last let through, at most once per `ms`. */
function useThrottled<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const last = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const timer = setTimeout(
      () => {
        last.current = performance.now();
        setShown(value);
      },
      Math.max(0, last.current + ms - performance.now()),
    );
    return () => clearTimeout(timer);
  }, [value, ms]);
  return shown;
}

function useEvidence(): Evidence {
  const rows = useThrottled(
    useLab((lab) => lab.rows),
    REDRAW_MS,
  );
  const evaluations = useLab((lab) => lab.evaluations);
  const config = useLab((lab) => lab.config);
  const vocabulary = useLab((lab) => lab.machine?.vocabulary ?? null);
  return useMemo(
    () => ({ rows, evaluations, config, vocabulary }),
    [rows, evaluations, config, vocabulary],
  );
}

/** The curve the page is about. */
export function SuccessChart() {
  const evidence = useEvidence();
  const phases = useMemo(() => phasesOf(evidence.rows), [evidence.rows]);
  return (
    <MetricChart
      testId="chart-success"
      title="Success"
      meaning="Share of episodes that reach the goal. Evaluation always takes the most probable word. Score is the mean reward."
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

/** What goes on inside: six smaller curves. */
export function DetailCharts() {
  const evidence = useEvidence();
  const { rows } = evidence;
  const phases = useMemo(() => phasesOf(rows), [rows]);
  const common = { rows, phases, height: 150 };
  return (
    <div className="detail-charts">
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
        series={clip}
        format={share}
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
