/** What a conversation comes to, seen by the environment that it is about. */

import type { Criticisable } from '../../agents/modes/prompts.ts';
import { isCriticisable } from '../../agents/modes/prompts.ts';
import type { FaultKind, JudgedStep, ReadCritique, Remark } from '../../envs/criticism.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { environmentOf } from '../episode/environments.ts';

/** What became of an answer, `right→wrong`; `open` where it was not given anew. */
export const flips = [
  ...(['wrong-right', 'wrong-wrong', 'right-right', 'right-wrong'] as const),
  'open',
] as const;
export type Flip = (typeof flips)[number];

/** Whether a critique's verdict is the truth; `none` where there is no critique. */
export const verdictTruths = ['true', 'false', 'malformed', 'none'] as const;
export type VerdictTruth = (typeof verdictTruths)[number];

/** An answer with what was said of it. */
export interface Said {
  readonly task: string;
  readonly answer: string;
  readonly critique: string | null;
  readonly refinement: string | null;
}

/** The same as the oracle sees it. */
export interface Seen {
  readonly level: number;
  readonly right: boolean;
  readonly steps: readonly JudgedStep[];
  /** Null where there is no critique, or none that can be read. */
  readonly read: ReadCritique | null;
  readonly remarks: readonly Remark[];
  readonly verdict: VerdictTruth;
  /** Null where there is no refinement. */
  readonly refined: boolean | null;
  readonly flip: Flip;
  /** Lines of the refinement, from 0, that are not as they were. */
  readonly changed: ReadonlySet<number>;
}

/** An environment whose answers can be criticised; null for any other, and for one that cannot be made. */
export function criticisableOf(environment: EnvironmentRef): Criticisable | null {
  const made = environmentOf(environment);
  return isCriticisable(made) ? made : null;
}

/** @throws {UnknownTaskError} for a task that the environment does not have. */
export function see(
  { criticism }: Criticisable,
  { task, answer, critique, refinement }: Said,
): Seen {
  const { right, steps } = criticism.judge(task, answer);
  const read = critique === null ? null : criticism.read(critique);
  const anew = refinement === null ? null : criticism.judge(task, refinement);
  const refined = anew?.right ?? null;
  return {
    level: criticism.level(task),
    right,
    steps,
    read,
    remarks: critique === null ? [] : criticism.remarks(critique),
    verdict: truthOf(critique, read, right),
    refined,
    flip: flipOf(right, refined),
    changed: changedLines(steps, anew?.steps ?? []),
  };
}

function truthOf(critique: string | null, read: ReadCritique | null, right: boolean): VerdictTruth {
  if (critique === null) return 'none';
  if (read === null) return 'malformed';
  return read.right === right ? 'true' : 'false';
}

function flipOf(right: boolean, refined: boolean | null): Flip {
  if (refined === null) return 'open';
  return `${right ? 'right' : 'wrong'}-${refined ? 'right' : 'wrong'}`;
}

export function changedLines(
  before: readonly JudgedStep[],
  after: readonly JudgedStep[],
): ReadonlySet<number> {
  return new Set(after.flatMap(({ text }, i) => (text === before[i]?.text ? [] : [i])));
}

/** What a critique's label of a step is, held against the truth. */
export type LabelTruth = 'right' | 'missed' | 'alarm';

/** A step that only follows from an earlier error is itself as it should be. */
export function labelTruth({ label }: Remark, { verdict }: JudgedStep): LabelTruth {
  if (label === 'ok') return verdict === 'wrong' ? 'missed' : 'right';
  return verdict === 'wrong' ? 'right' : 'alarm';
}

/** Errors in the words of the page. */
export const faultNames: Readonly<Record<FaultKind, string>> = {
  result: 'wrong result',
  operand: 'wrong number',
  operation: 'wrong operation',
  missing: 'step left out',
  form: 'unreadable',
  answer: 'not what the steps come to',
};
