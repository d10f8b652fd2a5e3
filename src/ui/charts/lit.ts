/** Highlighted evidence, and the charts that draw it. */

import { useEffect } from 'react';
import { create } from 'zustand';
import type { MetricKey } from '../../runs/metrics.ts';
import { scrolling } from '../shell/comfort/motion.ts';

/** A metric over a range of iterations. */
export interface Lit {
  readonly metric: MetricKey;
  readonly iterations: readonly [from: number, to: number];
}

interface LitState {
  readonly lit: Lit | null;
  /** Number of charts that draw a metric; absent for none. */
  readonly drawn: ReadonlyMap<MetricKey, number>;
}

export const useLit = create<LitState>()(() => ({ lit: null, drawn: new Map() }));

export function light(lit: Lit | null): void {
  useLit.setState({ lit });
}

/** Registers a chart's metrics while it is mounted. */
export function useDraws(metrics: readonly MetricKey[]): void {
  const names = metrics.join(' ');
  useEffect(() => {
    count(metricsOf(names), 1);
    return () => count(metricsOf(names), -1);
  }, [names]);
}

const metricsOf = (names: string) => names.split(' ').filter(Boolean) as MetricKey[];

function count(metrics: readonly MetricKey[], by: number): void {
  useLit.setState((state) => {
    const drawn = new Map(state.drawn);
    for (const metric of metrics) drawn.set(metric, (drawn.get(metric) ?? 0) + by);
    return { drawn };
  });
}

/** Scrolls the first chart that draws a metric into view, within a dialog if one is open. */
export function showChart(metric: MetricKey, from: Element): void {
  const place = from.closest('[role="dialog"]') ?? document;
  const chart = place.querySelector(`figure[data-metrics~="${metric}"]`);
  chart?.scrollIntoView({ block: 'center', behavior: scrolling() });
}
