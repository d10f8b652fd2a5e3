/** An external run, such as one from a log, overlaid on the current run's charts with separate axes. */

import { create } from 'zustand';
import type { MetricKey } from '../../runs/metrics.ts';
import type { Points } from './points.ts';

export interface ForeignRun {
  readonly name: string;
  /** Unit of its x axis, such as `optimizer steps`. */
  readonly unit: string;
  readonly series: ReadonlyMap<MetricKey, Points>;
  /** Onsets of its findings on its axis. */
  readonly spans: readonly { readonly at: number; readonly to: number }[];
}

export const useForeign = create<{ readonly foreign: ForeignRun | null }>()(() => ({
  foreign: null,
}));

/** Overlays a run on the charts in place of the previous one; null removes it. */
export function layForeign(foreign: ForeignRun | null): void {
  useForeign.setState({ foreign });
}
