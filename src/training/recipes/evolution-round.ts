import type { Trajectory } from '../../agents/trajectory.ts';
import type { Config } from '../../config/schema.ts';
import type { TrainingEpisode } from '../learn/batch.ts';

/** What evolution takes from one iteration into the next. */
export interface EvolutionState {
  /** The base set: tasks whose expert dialogues are imitated and merged with. */
  readonly base: readonly string[];
  /** Tasks of the present round, those of its earlier iterations too. */
  readonly tasks: readonly string[];
  /** Episodes of the present round so far. */
  readonly found: readonly Trajectory[];
  /** What earlier rounds kept and later ones are to be merged with, oldest first. */
  readonly earlier: readonly (readonly TrainingEpisode[])[];
}

/** Before the first iteration. */
export const begun: EvolutionState = { base: [], tasks: [], found: [], earlier: [] };

/** Where an iteration stands in its round. */
export interface RoundPlace {
  /** Counts from 1. */
  readonly round: number;
  /** Which iteration of the round, counted from 1, of `of`. */
  readonly part: number;
  readonly of: number;
  /** Whether the round begins with it, and whether it ends with it, by learning. */
  readonly begins: boolean;
  readonly ends: boolean;
}

/** @param iteration counts from 1 */
export function placeOf({ evolution }: Config, iteration: number): RoundPlace {
  const of = evolution.iterations;
  const part = ((iteration - 1) % of) + 1;
  return {
    round: Math.ceil(iteration / of),
    part,
    of,
    begins: part === 1,
    ends: part === of,
  };
}

/** The tasks of one iteration of a round: from its first to before its last. */
export function shareOf<Item>(items: readonly Item[], { part, of }: RoundPlace): readonly Item[] {
  return items.slice(firstOf(items, part, of), firstOf(items, part + 1, of));
}

/** How many tasks come before an iteration's own. */
export function firstOf(items: readonly unknown[], part: number, of: number): number {
  return Math.floor(((part - 1) * items.length) / of);
}

export function beginRound(state: EvolutionState, tasks: readonly string[]): EvolutionState {
  return { ...state, tasks, found: [] };
}

/** The end of a round: what it kept stays as long as a later one is merged with it. */
export function remembered(
  { evolution: { merge, learn } }: Config,
  state: EvolutionState,
  fresh: readonly TrainingEpisode[],
): EvolutionState {
  const merges = learn === 'likelihood' ? merge : 'base';
  const earlier =
    merges === 'base' ? [] : merges === 'previous' ? [fresh] : [...state.earlier, fresh];
  return { ...state, tasks: [], found: [], earlier };
}
