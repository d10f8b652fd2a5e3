import { presetConfig } from '../../config/presets.ts';
import type { KeptRun } from '../kept-run.ts';

/** A successful kept run of the maze preset, with the given fields replaced. */
export const keptRun = (given: Partial<KeptRun>): KeptRun => ({
  arm: 'maze',
  seed: 1,
  config: presetConfig('maze'),
  adapter: 'a processor',
  turnsToTarget: 12_345,
  turns: 60_000,
  iterations: 9,
  greedySuccess: 1,
  sampledSuccess: 0.5,
  areaUnderCurve: 0.25,
  entropy: 1,
  worstGradNorm: 3,
  staleness: 2,
  seconds: 3,
  evaluations: [],
  stale: null,
  ...given,
});
