import type { AnswerSource, FaultKind } from '../envs/criticism.ts';

/** An answer with a critique of it, as data sets of critiques hold it: one line of JSON each. */
export interface CritiqueItem {
  /** Task id of the environment. */
  readonly task: string;
  /** From 1; a higher one has more steps. */
  readonly level: number;
  readonly question: string;
  readonly answer: string;
  /** Whether the final answer is right, by the oracle. */
  readonly right: boolean;
  /** The first wrong step, from 0, by the oracle; null in a right answer. */
  readonly step: number | null;
  /** What is wrong with it. */
  readonly fault: FaultKind | null;
  /**
   * sampled: written at a temperature. hot: greedy up to `from`, then at a higher temperature.
   * inserted: with an error inserted at `from` and continued by the actor.
   */
  readonly source: AnswerSource;
  /** The step, from 0, from which on the construction changed the answer; null where it was sampled. */
  readonly from: number | null;
  readonly critique: string;
  /** Whether the critique is the oracle's; an annotator that errs writes others too. */
  readonly true: boolean;
  /** Number of right refinements by the actor, and their total; null without a filter. */
  readonly filter: { readonly right: number; readonly of: number } | null;
}

/** A data set's items as the lines of its file. */
export function* critiqueLines(items: Iterable<CritiqueItem>): Generator<string> {
  for (const item of items) yield `${JSON.stringify(item)}\n`;
}
