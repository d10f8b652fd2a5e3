import type { Trajectory } from '../../../agents/trajectory.ts';
import type { Config } from '../../../config/schema.ts';
import type { TrainingEpisode } from '../../learn/batch.ts';

/** Evolution's state between iterations. */
export interface EvolutionState {
  /** The base set: tasks whose expert dialogues are imitated and merged. */
  readonly base: readonly string[];
  /** Tasks of the current round, including those of its earlier iterations. */
  readonly tasks: readonly string[];
  /** Episodes of the current round so far. */
  readonly found: readonly Trajectory[];
  /** Kept episodes of earlier rounds that later ones merge with, oldest first. */
  readonly earlier: readonly (readonly TrainingEpisode[])[];
}

/** Before the first iteration. */
export const begun: EvolutionState = { base: [], tasks: [], found: [], earlier: [] };

/** Position of an iteration in its round. */
export interface RoundPlace {
  /** Counts from 1. */
  readonly round: number;
  /** Index of the iteration in its round, from 1 to `of`. */
  readonly part: number;
  readonly of: number;
  /** Whether it starts the round, and whether it ends it by learning. */
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

/** An iteration's share of a round's tasks. */
export function shareOf<Item>(items: readonly Item[], { part, of }: RoundPlace): readonly Item[] {
  return items.slice(firstOf(items, part, of), firstOf(items, part + 1, of));
}

/** Number of tasks before an iteration's own. */
export function firstOf(items: readonly unknown[], part: number, of: number): number {
  return Math.floor(((part - 1) * items.length) / of);
}

export function beginRound(state: EvolutionState, tasks: readonly string[]): EvolutionState {
  return { ...state, tasks, found: [] };
}

/** Ends a round. Its kept episodes are stored as long as later rounds merge them. */
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
