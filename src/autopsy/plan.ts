/** Which forks of a run are to be played to try a finding's cures, and what that costs. */

import type { Config } from '../config/schema.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { type Cure, cured, curesOf } from './cures.ts';

/** Plain data, so that another thread or machine can carry it out. */
export interface AutopsyPlan {
  readonly mode: Finding['mode'];
  /** Of the run as it was. */
  readonly config: Config;
  /** The last iteration that all forks share; 0 where each is a run from its beginning. */
  readonly after: number;
  /** The last iteration of each fork. */
  readonly to: number;
  /** The run's own first. */
  readonly seeds: readonly number[];
  readonly cures: readonly Cure[];
}

/** Forks run on for at least so many iterations: in fewer, many a cure cannot show yet that it is one. */
const LEAST = 40;
/** And for no more than so many, however long the run was. */
const MOST = 120;

export interface AutopsyWishes {
  /** Iterations of each fork. */
  readonly iterations?: number;
  readonly seeds?: number;
}

/**
 * Forks from before the finding began, up to where the run is, or as far as a cure needs to show itself.
 *
 * @param last iteration of the run so far
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

/** A fork of the run: `cure` is null for the one that goes on as it was. */
export interface Fork {
  readonly seed: number;
  readonly cure: Cure | null;
}

/** Every fork, seed by seed, each first as it was. */
export function forksOf({ seeds, cures }: AutopsyPlan): readonly Fork[] {
  return seeds.flatMap((seed) => [null, ...cures].map((cure) => ({ seed, cure })));
}

/** Iterations that carrying it out takes at most; forks that reach the run's target end earlier. */
export function costOf(plan: AutopsyPlan): number {
  return plan.after + forksOf(plan).length * (plan.to - plan.after);
}

/**
 * The config that a fork is played with: the run's, with what the cure sets. It ends where the plan says,
 * or where the run's own target of success is reached; how many turns and tokens it may take is none of
 * the question.
 */
export function forkConfig({ config, to }: AutopsyPlan, { seed, cure }: Fork): Config {
  const forked = cure === null ? config : cured(config, cure);
  return {
    ...forked,
    seed,
    stopping: { ...forked.stopping, iterations: to, turns: 0, tokens: 0 },
  };
}
