/**
 * Estimates how long presets take on this machine. The benchmark measures every preset on one
 * machine (preset-costs.json). The ratio of this machine's time for one preset to the measured time
 * scales the estimates for the others.
 */

import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import costs from '../../../runs/preset-costs.json' with { type: 'json' };
import { readKept, writeKept } from '../../shell/browser/kept.ts';

/** Measured cost of a preset. */
export interface PresetCost {
  /** Before the first iteration: weights, kernels, imitation. */
  readonly startSeconds: number;
  /** Per iteration, including its share of evaluations. */
  readonly iterationSeconds: number;
}

/** Costs by preset name. */
export const presetCosts: Readonly<Record<string, PresetCost>> = costs.presets;

/** Number of iterations, the newest ones, that determine the pace. */
const SAMPLE = 8;

/**
 * Ratio of this machine's seconds to the measuring machine's, from the newest iterations of a run;
 * null if the run is too short or not an unmodified preset.
 */
export function paceOf(
  run: {
    readonly preset: string;
    readonly config: Config;
    readonly rows: readonly { readonly milliseconds: number }[];
  },
  costsOf = presetCosts,
): number | null {
  const cost = costsOf[run.preset];
  const recent = run.rows.slice(-SAMPLE);
  if (cost === undefined || recent.length < SAMPLE) return null;
  const unseeded = (config: Config) => JSON.stringify({ ...config, seed: 0 });
  if (unseeded(run.config) !== unseeded(presetConfig(run.preset))) return null;
  const mean = recent.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / SAMPLE / 1000;
  return mean / cost.iterationSeconds;
}

/** Seconds from the click to a preset's last iteration; undefined if never measured. */
export function expectedSeconds(
  name: string,
  pace: number,
  costsOf = presetCosts,
): number | undefined {
  const cost = costsOf[name];
  if (cost === undefined) return undefined;
  const { iterations } = presetConfig(name).stopping;
  return pace * (cost.startSeconds + iterations * cost.iterationSeconds);
}

const KEPT = 'pace';

/** The pace stored last; null if there is none, or storage is unavailable. */
export function keptPace(): number | null {
  const pace = Number(readKept(KEPT));
  return Number.isFinite(pace) && pace > 0 ? pace : null;
}

export function keepPace(pace: number): void {
  writeKept(KEPT, String(pace));
}
