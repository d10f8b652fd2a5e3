/** A run that is none of this page's runs and lies over their charts, on axes of its own. */

import { create } from 'zustand';
import type { MetricKey } from '../../runs/metrics.ts';

/** One metric of it, by rising abscissae, all finite. */
export interface ForeignSeries {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export interface ForeignRun {
  readonly name: string;
  /** What its abscissae count, such as `optimiser steps`. */
  readonly unit: string;
  readonly series: ReadonlyMap<MetricKey, ForeignSeries>;
  /** Where on its own axis its findings began. */
  readonly spans: readonly { readonly at: number; readonly to: number }[];
}

export const useForeign = create<{ readonly foreign: ForeignRun | null }>()(() => ({
  foreign: null,
}));

/** Lays a run over the charts in place of the one before; null takes it off. */
export function layForeign(foreign: ForeignRun | null): void {
  useForeign.setState({ foreign });
}

/** Without what is not finite. */
export function finite(x: Float64Array, y: Float64Array): ForeignSeries {
  if (y.every(Number.isFinite)) return { x, y };
  return {
    x: x.filter((_, i) => Number.isFinite(y[i])),
    y: y.filter(Number.isFinite),
  };
}
