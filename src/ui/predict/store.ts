import { create } from 'zustand';
import type { Sketch } from './sketch.ts';

/** What somebody expects of the present run. */
export interface Prediction {
  readonly open: boolean;
  /** Null until something is drawn. */
  readonly sketch: Sketch | null;
  /** It lies over the curve of this run. */
  readonly laidOver: string | null;
}

export const usePrediction = create<Prediction>()(() => ({
  open: false,
  sketch: null,
  laidOver: null,
}));

export function openPrediction(open: boolean): void {
  usePrediction.setState({ open });
}
