import { create } from 'zustand';
import type { Sketch } from './sketch.ts';

/** The predicted curve of the current run. */
export interface Prediction {
  /** Null until something is drawn. */
  readonly sketch: Sketch | null;
  /** The run that it is drawn over. */
  readonly overRun: string | null;
}

export const usePrediction = create<Prediction>()(() => ({
  sketch: null,
  overRun: null,
}));
