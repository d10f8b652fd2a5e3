/** What all charts of a log share: the crosshair, the visible part of the axis, and a second log. */

import { create } from 'zustand';
import type { ShownLog } from '../../../exchange/logs/shown-log.ts';

interface LogView {
  /** Position of the crosshair on the axis. */
  readonly at: number | null;
  /** The visible part of the axis; null for all. */
  readonly zoom: readonly [from: number, to: number] | null;
  /** A log whose curves are drawn on the same axes. */
  readonly beside: ShownLog | null;
  /** The choice among the series without a known metric, by log id. */
  readonly others: ReadonlyMap<string, OtherSeries>;
}

interface OtherSeries {
  /** Keys of the charted series. */
  readonly charted: ReadonlySet<string>;
  readonly search: string;
}

export const useLogView = create<LogView>()(() => ({
  at: null,
  zoom: null,
  beside: null,
  others: new Map(),
}));

export const pointAt = (at: number | null) => useLogView.setState({ at });
export const zoomTo = (zoom: LogView['zoom']) => useLogView.setState({ zoom });
export const chooseOthers = (id: string, choice: OtherSeries) =>
  useLogView.setState(({ others }) => ({ others: new Map(others).set(id, choice) }));
