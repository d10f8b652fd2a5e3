/** Plans the forks that test a finding's cures, and their cost. */

import type { Config } from '../config/schema.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { type Cure, cured, curesOf } from './cures.ts';

/** Plain data, so that another thread or machine can perform it. */
export interface AutopsyPlan {
  readonly mode: Finding['mode'];
  /** The config of the unchanged run. */
  readonly config: Config;
  /** The last iteration that all forks share; 0 if each fork is a run from its start. */
  readonly after: number;
  /** The last iteration of each fork. */
  readonly to: number;
  /** The run's own seed first. */
  readonly seeds: readonly number[];
  readonly cures: readonly Cure[];
}

/** Minimum number of iterations of a fork: many cures need this long to take effect. */
const LEAST = 40;
/** Maximum number of iterations, regardless of the run's length. */
const MOST = 120;

export interface AutopsyWishes {
  /** Iterations of each fork. */
  readonly iterations?: number;
  readonly seeds?: number;
}

/**
 * Plans forks from before the finding began, up to the run's current iteration, or as far as cures need to
 * take effect.
 * @param last the run's latest iteration
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

/** Every fork, seed by seed, starting with the unchanged run. */
export function forksOf({ seeds, cures }: AutopsyPlan): readonly Fork[] {
  return seeds.flatMap((seed) => [null, ...cures].map((cure) => ({ seed, cure })));
}

/** Maximum number of iterations to play; forks that reach the run's target end earlier. */
export function costOf(plan: AutopsyPlan): number {
  return plan.after + forksOf(plan).length * (plan.to - plan.after);
}

/**
 * The config of a fork: the run's, with the cure's settings. It ends where the plan says, or when the run's
 * target success is reached; limits of turns and tokens do not apply.
 */
export function forkConfig({ config, to }: AutopsyPlan, { seed, cure }: Fork): Config {
  const forked = cure === null ? config : cured(config, cure);
  return {
    ...forked,
    seed,
    stopping: { ...forked.stopping, iterations: to, turns: 0, tokens: 0 },
  };
}
