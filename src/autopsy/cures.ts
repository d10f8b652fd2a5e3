/** What may cure a run, as forks of it can try it. */

import type { Assignment } from '../config/methods.ts';
import { textOf } from '../config/panel-fields.ts';
import { inForce } from '../config/relevance.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import { changesOf, type Finding, type ModeName, type Remedy } from '../diagnosis/finding.ts';

/** One change of a run's settings, or of its optimiser's state. */
export interface Cure {
  /** What it does, in short: `algorithm.gamma = 0.95`. */
  readonly name: string;
  /** The mode that it cures; null for one that is always tried and speaks for none. */
  readonly mode: ModeName | null;
  readonly set: readonly Assignment[];
  /** Go on with AdamW's moments at zero. */
  readonly freshOptimizer: boolean;
}

/** What a cure makes of a config. */
export function cured(config: Config, { set }: Pick<Cure, 'set'>): Config {
  return setConfigValues(config, set);
}

/** What would change nothing in a fork: when a run ends is no cure, and its warm-up is over by then. */
function isIdle(path: string, config: Config, after: number): boolean {
  if (path.startsWith('stopping.')) return true;
  if (path === 'optimizer.warmup_updates' && after > 0) return true;
  return !inForce(path, (other) => textOf(config, other));
}

/**
 * The remedy as a cure of this run.
 *
 * @returns null where only the direction is known, where nothing would change, or where the settings
 *   would not go together
 */
function cureOf(mode: ModeName, remedy: Remedy, config: Config, after: number): Cure | null {
  const set = changesOf(remedy)
    .map(({ setting: path, value: to }) => [path, String(to)] as const)
    .filter(([path, text]) => textOf(config, path) !== text);
  if (set.length === 0) return null;
  const name = set.map(([path, text]) => `${path} = ${text}`).join(', ');
  try {
    if (isIdle(remedy.setting, cured(config, { set }), after)) return null;
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') return null;
    throw error;
  }
  return { name, mode, set, freshOptimizer: false };
}

/**
 * What is tried of a finding: its own remedies, those of its rivals, and, where forks share iterations
 * before it, the optimiser without what it remembers of them.
 *
 * @param after the last iteration that all forks share; 0 where they share none
 */
export function curesOf(
  { mode, remedies, rivals }: Pick<Finding, 'mode' | 'remedies' | 'rivals'>,
  config: Config,
  after: number,
): readonly Cure[] {
  const cures = [{ mode, remedies }, ...rivals].flatMap(({ mode: of, remedies: all }) =>
    all.flatMap((remedy) => cureOf(of, remedy, config, after) ?? []),
  );
  const fresh: Cure = { name: 'a fresh optimiser', mode: null, set: [], freshOptimizer: true };
  return [...cures, ...(after > 0 ? [fresh] : [])].filter(
    ({ name }, place, all) => all.findIndex((other) => other.name === name) === place,
  );
}
