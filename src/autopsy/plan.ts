/** Plans the forks that test a finding's cures, and estimates their cost. */

import type { Config } from '../config/schema.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { type Cure, cured, curesOf } from './cures.ts';

/** A plan as plain data, so that another thread or machine can perform it. */
export interface AutopsyPlan {
  readonly mode: Finding['mode'];
  /** The config of the unchanged run. */
  readonly config: Config;
  /** Last iteration that all forks share; 0 if each fork starts from scratch. */
  readonly after: number;
  /** Last iteration of each fork. */
  readonly to: number;
  /** Seeds, the run's own first. */
  readonly seeds: readonly number[];
  readonly cures: readonly Cure[];
}

/** Minimum iterations of a fork: many cures need this long to take effect. */
const LEAST = 40;
/** Maximum iterations of a fork, regardless of the run's length. */
const MOST = 120;

interface AutopsyWishes {
  /** Number of iterations of each fork. */
  readonly iterations?: number;
  readonly seeds?: number;
}

/**
 * Plans forks that start before the finding's onset and end at the run's current iteration, or later
 * if cures need more time to take effect.
 *
 * @param last latest iteration of the run
 */
export function planAutopsy(
  finding: Finding,
  config: Config,
  last: number,
  { iterations, seeds = 1 }: AutopsyWishes = {},
): AutopsyPlan {
  const after = Math.max(0, finding.interval[0] - 1);
  const length = iterations ?? Math.min(MOST, Math.max(LEAST, last - after));
  return {
    mode: finding.mode,
    config,
    after,
    to: after + length,
    seeds: Array.from({ length: seeds }, (_, place) => config.seed + place),
    cures: curesOf(finding, config, after),
  };
}

/** A fork of the run; `cure` is null for the unchanged run. */
export interface Fork {
  readonly seed: number;
  readonly cure: Cure | null;
}

/** All forks, seed by seed, each starting with the unchanged run. */
export function forksOf({ seeds, cures }: AutopsyPlan): readonly Fork[] {
  return seeds.flatMap((seed) => [null, ...cures].map((cure) => ({ seed, cure })));
}

/** Maximum number of iterations to play; forks that reach the run's target end earlier. */
export function costOf(plan: AutopsyPlan): number {
  return plan.after + forksOf(plan).length * (plan.to - plan.after);
}

/**
 * The config of a fork: the run's config with the cure's settings. A fork ends at the plan's last
 * iteration or when it reaches the run's target success; limits on turns and tokens do not apply.
 */
export function forkConfig({ config, to }: AutopsyPlan, { seed, cure }: Fork): Config {
  const forked = cure === null ? config : cured(config, cure);
  return {
    ...forked,
    seed,
    stopping: { ...forked.stopping, iterations: to, turns: 0, tokens: 0 },
  };
}
