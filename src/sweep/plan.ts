/**
 * Plans the next steps of a sweep. The plan depends only on the sweep and the results of its runs,
 * never on timing: with any number of workers, and after any crash, the same trials run and the
 * same ones stop.
 */
import { goesOn } from './asha.ts';
import type { Sweep } from './file.ts';
import { bayesTrial, gridTrial, randomTrial } from './samplers.ts';
import type { Values } from './space.ts';
import type { Observation } from './tpe.ts';

/** One set of values, run with every seed. */
export interface Trial {
  /** Numbered from 1. */
  readonly number: number;
  readonly values: Values;
}

/** How a run ended: by its stop condition, stopped at a rung, or failed after all retries. */
export const outcomes = ['finished', 'stopped', 'failed'] as const;
export type Outcome = (typeof outcomes)[number];

/** The state of a run. */
export interface RunState {
  /** Null if it is unfinished. */
  readonly outcome: Outcome | null;
  /** The final metric; null if it was never measured or the run is unfinished. */
  readonly value: number | null;
  /** The metric at each rung reached so far. */
  readonly rungs: readonly (number | null)[];
}

/** Run states by run name; runs without results are absent. */
export type RunStates = ReadonlyMap<string, RunState>;

/** A part of a run, up to the next rung or to its end. */
export interface Segment {
  readonly run: string;
  readonly trial: number;
  readonly seed: number;
  /** The rung where it ends, from 0; null for the end of the run. */
  readonly rung: number | null;
}

export interface Plan {
  /** All trials up to the sweep's number, including new ones. */
  readonly trials: readonly Trial[];
  /** Segments that can be computed now, most urgent first. */
  readonly due: readonly Segment[];
  /** Runs to stop at their current rung. */
  readonly stopped: readonly Segment[];
  /** Whether the sweep is complete. */
  readonly done: boolean;
}

/** Default maximum number of concurrent `bayes` trials. */
export const DEFAULT_AHEAD = 4;

/** Total number of runs. */
export const runCount = ({ trials, seeds }: Pick<Sweep, 'trials' | 'seeds'>) =>
  trials * seeds.length;

/** Whether all runs are known in advance and none stops early, so that no coordinator is needed. */
export const isListed = ({ halving, sampler }: Pick<Sweep, 'halving' | 'sampler'>) =>
  halving === null && sampler !== 'bayes';

/** The names of all runs of the sweep, whether or not their trials have been started. */
export function runNames({ trials, seeds }: Pick<Sweep, 'trials' | 'seeds'>): readonly string[] {
  return Array.from({ length: trials }, (_, at) =>
    seeds.map((seed) => runName(at + 1, seed)),
  ).flat();
}

export function runName(trial: number, seed: number): string {
  return `trial-${String(trial).padStart(4, '0')}-seed-${seed}`;
}

/**
 * @param trials trials started so far
 * @param ahead maximum number of concurrent `bayes` trials
 */
export function plan(
  sweep: Sweep,
  trials: readonly Trial[],
  runs: RunStates,
  ahead = DEFAULT_AHEAD,
): Plan {
  // If the cap was lowered, later trials remain in the folder but no longer count.
  const all = trials.slice(0, sweep.trials);
  const standings = new Standings(sweep, runs);
  while (all.length < sweep.trials) {
    const next = propose(sweep, all, standings, ahead);
    if (next === null) break;
    all.push(next);
  }
  const due: Segment[] = [];
  const stopped: Segment[] = [];
  for (const { number } of all) {
    const verdict = standings.verdict(number);
    for (const seed of sweep.seeds) {
      const run = runName(number, seed);
      const state = runs.get(run) ?? BEGUN;
      if (state.outcome !== null) continue;
      const segment = { run, trial: number, seed, rung: verdict.rung };
      if (verdict.goesOn === false) stopped.push(segment);
      else if (verdict.rung === null || state.rungs.length <= verdict.rung) due.push(segment);
    }
  }
  const done = all.length === sweep.trials && due.length === 0 && stopped.length === 0;
  return {
    trials: all,
    due,
    stopped,
    done: done && all.every(({ number }) => standings.ended(number)),
  };
}

const BEGUN: RunState = { outcome: null, value: null, rungs: [] };

/** The next trial; null if it must wait for earlier results. */
function propose(
  sweep: Sweep,
  trials: readonly Trial[],
  standings: Standings,
  ahead: number,
): Trial | null {
  const number = trials.length + 1;
  switch (sweep.sampler) {
    case 'grid':
      return { number, values: gridTrial(sweep.parameters, number) };
    case 'random':
      return { number, values: randomTrial(sweep.parameters, number) };
    case 'bayes': {
      // Ignore later trials even if they have finished, so that timing has no influence.
      const seen = trials.slice(0, Math.max(0, number - ahead));
      if (!seen.every((trial) => standings.ended(trial.number))) return null;
      const observations = trials.map((trial, at) =>
        at < seen.length ? standings.observation(trial) : pending(trial),
      );
      return { number, values: bayesTrial(sweep.parameters, number, observations) };
    }
    default:
      return sweep.sampler satisfies never;
  }
}

const pending = ({ number, values }: Trial): Observation => ({
  number,
  values,
  score: null,
  standing: 'pending',
  rungs: 0,
});

/** Whether a trial continues past `rung`; null if that is not decided yet. */
interface Verdict {
  readonly goesOn: boolean | null;
  readonly rung: number | null;
}

/** Cached verdicts on trials. */
class Standings {
  readonly #sweep: Sweep;
  readonly #runs: RunStates;
  readonly #verdicts = new Map<number, Verdict>();

  constructor(sweep: Sweep, runs: RunStates) {
    this.#sweep = sweep;
    this.#runs = runs;
  }

  #states(number: number): readonly RunState[] {
    return this.#sweep.seeds.map((seed) => this.#runs.get(runName(number, seed)) ?? BEGUN);
  }

  /** Whether all runs of a trial have ended. */
  ended(number: number): boolean {
    return this.#states(number).every(({ outcome }) => outcome !== null);
  }

  /** The result of a trial whose runs have all ended. */
  observation({ number, values }: Trial): Observation {
    const states = this.#states(number);
    const failed = states.some(({ outcome, value }) => outcome === 'failed' || value === null);
    const stopped = states.some(({ outcome }) => outcome === 'stopped');
    return {
      number,
      values,
      score: failed ? null : this.#score(states.map(({ value }) => value)),
      standing: failed ? 'failed' : stopped ? 'stopped' : 'complete',
      rungs: Math.max(...states.map(({ rungs }) => rungs.length)),
    };
  }

  /** The mean over seeds, larger is better; null if a seed has no value. */
  #score(values: readonly (number | null)[]): number | null {
    if (values.some((value) => value === null)) return null;
    const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
    return ((this.#sweep.metric.goal === 'maximize' ? 1 : -1) * sum) / values.length;
  }

  /** The rung that a trial has reached, and whether it continues. */
  verdict(number: number): Verdict {
    const known = this.#verdicts.get(number);
    if (known !== undefined) return known;
    const verdict = this.#judge(number);
    this.#verdicts.set(number, verdict);
    return verdict;
  }

  #judge(number: number): Verdict {
    const rungs = this.#sweep.halving?.rungs ?? [];
    for (const rung of rungs.keys()) {
      const standing = this.#at(number, rung);
      if (standing === 'running') return { goesOn: null, rung };
      if (standing === null) return { goesOn: false, rung };
      const before = this.#before(number, rung);
      if (before === null) return { goesOn: null, rung };
      if (!goesOn(standing, before, this.#sweep.halving?.eta ?? 1)) return { goesOn: false, rung };
    }
    return { goesOn: true, rung: null };
  }

  /** The score of a trial at a rung; null if a run failed, `running` if one has not reached the rung. */
  #at(number: number, rung: number): number | null | 'running' {
    const states = this.#states(number);
    const values = states.map((state) => {
      if (state.rungs.length > rung) return state.rungs[rung] ?? null;
      // A run that ended before the rung counts with its final value.
      return state.outcome === null ? 'running' : state.value;
    });
    if (values.includes('running')) return 'running';
    return this.#score(values.map((value) => (typeof value === 'number' ? value : null)));
  }

  /** Scores of earlier trials that reached a rung; null if another may still reach it. */
  #before(number: number, rung: number): readonly number[] | null {
    const scores: number[] = [];
    for (let earlier = 1; earlier < number; earlier++) {
      const { goesOn, rung: at } = this.verdict(earlier);
      const stoppedBefore = goesOn === false && at !== null && at < rung;
      if (stoppedBefore) continue;
      const score = this.#at(earlier, rung);
      if (score === 'running' || (goesOn === null && at !== null && at < rung)) return null;
      if (score !== null) scores.push(score);
    }
    return scores;
  }
}
