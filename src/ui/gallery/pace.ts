/**
 * How long presets take on this machine. The benchmark measures every preset on one machine
 * (preset-costs.json); this machine's pace on one preset, compared with that, tells the others.
 */

import { presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import costs from '../../runs/preset-costs.json' with { type: 'json' };
import { readKept, writeKept } from '../browser/kept.ts';

/** What a preset cost where all of them were measured. */
export interface PresetCost {
  /** Before the first iteration: weights, kernels, imitation. */
  readonly startSeconds: number;
  /** Of an iteration, its share of evaluations included. */
  readonly iterationSeconds: number;
}

/** Costs by the preset's name. */
export const presetCosts: Readonly<Record<string, PresetCost>> = costs.presets;

/** Iterations of a run that its pace is read from. */
const SAMPLE = 8;

/**
 * This machine's seconds for one of the measuring machine's, from the newest iterations of a run;
 * null where the run says nothing about it: too short, or not a preset as it is.
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

/** Seconds that a preset takes from the click to its last iteration; undefined if never measured. */
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

/** The pace that was kept last; null where none was, or where the browser keeps nothing. */
export function keptPace(): number | null {
  const pace = Number(readKept(KEPT));
  return Number.isFinite(pace) && pace > 0 ? pace : null;
}

export function keepPace(pace: number): void {
  writeKept(KEPT, String(pace));
}
