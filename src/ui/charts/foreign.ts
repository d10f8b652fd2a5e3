/** A run that is none of this page's runs and lies over their charts, on axes of its own. */

import { create } from 'zustand';
import type { MetricKey } from '../../runs/metrics.ts';
import type { Points } from './points.ts';

export interface ForeignRun {
  readonly name: string;
  /** What its abscissae count, such as `optimiser steps`. */
  readonly unit: string;
  readonly series: ReadonlyMap<MetricKey, Points>;
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
