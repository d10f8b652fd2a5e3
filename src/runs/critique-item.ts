import type { AnswerSource, FaultKind } from '../envs/criticism.ts';

/** An answer with a critique, as stored in critique data sets: one line of JSON each. */
export interface CritiqueItem {
  /** Task id of the environment. */
  readonly task: string;
  /** From 1; higher levels have more steps. */
  readonly level: number;
  readonly question: string;
  readonly answer: string;
  /** Whether the final answer is correct, according to the oracle. */
  readonly right: boolean;
  /** The first wrong step, from 0, according to the oracle; null if the answer is correct. */
  readonly step: number | null;
  /** The kind of error in that step. */
  readonly fault: FaultKind | null;
  /**
   * sampled: generated at a temperature. hot: greedy up to `from`, then at a higher temperature. inserted:
   * with an error inserted at `from` and continued by the actor.
   */
  readonly source: AnswerSource;
  /** The step, from 0, at which `source` intervened; null for a sampled answer. */
  readonly from: number | null;
  readonly critique: string;
  /** Whether the critique is the oracle's; an annotator with errors also writes wrong ones. */
  readonly true: boolean;
  /** Number of correct refinements by the actor out of `of`; null without a filter. */
  readonly filter: { readonly right: number; readonly of: number } | null;
}

/** Yields the lines of a data set's file. */
export function* critiqueLines(items: Iterable<CritiqueItem>): Generator<string> {
  for (const item of items) yield `${JSON.stringify(item)}\n`;
}
