/** A conversation, interpreted by its environment. */

import type { Criticizable } from '../../../agents/modes/prompts.ts';
import { isCriticizable } from '../../../agents/modes/prompts.ts';
import type { FaultKind, JudgedStep, ReadCritique, Remark } from '../../../envs/criticism.ts';
import type { EnvironmentSettings } from '../../../envs/registry.ts';
import { environmentOf } from '../../shell/episode/environments.ts';

/** Change of an answer, such as `right→wrong`; `open` if it was not refined. */
export const flips = [
  ...(['wrong-right', 'wrong-wrong', 'right-right', 'right-wrong'] as const),
  'open',
] as const;
export type Flip = (typeof flips)[number];

/** Whether a critique's verdict is true; `none` without a critique. */
export const verdictTruths = ['true', 'false', 'malformed', 'none'] as const;
export type VerdictTruth = (typeof verdictTruths)[number];

/** An answer with its critique and refinement. */
export interface Said {
  readonly task: string;
  readonly answer: string;
  readonly critique: string | null;
  readonly refinement: string | null;
}

/** The same conversation, judged by the oracle. */
export interface Seen {
  readonly level: number;
  readonly right: boolean;
  readonly steps: readonly JudgedStep[];
  /** Null without a critique, or if it cannot be parsed. */
  readonly read: ReadCritique | null;
  readonly remarks: readonly Remark[];
  readonly verdict: VerdictTruth;
  /** Null without a refinement. */
  readonly refined: boolean | null;
  readonly flip: Flip;
  /** Lines of the refinement, from 0, that changed. */
  readonly changed: ReadonlySet<number>;
}

/** The environment or mixture if its answers can be critiqued; null otherwise, or if it cannot be created. */
export function criticizableOf(environment: EnvironmentSettings): Criticizable | null {
  const made = environmentOf(environment);
  return isCriticizable(made) ? made : null;
}

/** @throws {UnknownTaskError} for a task that the environment does not have */
export function see(
  { criticism }: Criticizable,
  { task, answer, critique, refinement }: Said,
): Seen {
  const { right, steps } = criticism.judge(task, answer);
  const read = critique === null ? null : criticism.read(critique);
  const judged = refinement === null ? null : criticism.judge(task, refinement);
  const refined = judged?.right ?? null;
  return {
    level: criticism.level(task),
    right,
    steps,
    read,
    remarks: critique === null ? [] : criticism.remarks(critique),
    verdict: truthOf(critique, read, right),
    refined,
    flip: flipOf(right, refined),
    changed: changedLines(steps, judged?.steps ?? []),
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

/** A critique's label of a step, compared with the truth. */
export type LabelTruth = 'right' | 'missed' | 'alarm';

/** Compares a label with the truth. A step that is wrong only because of an earlier one counts as ok. */
export function labelTruth({ label }: Remark, { verdict }: JudgedStep): LabelTruth {
  if (label === 'ok') return verdict === 'wrong' ? 'missed' : 'right';
  return verdict === 'wrong' ? 'right' : 'alarm';
}

/** Labels of the error types. */
export const faultNames: Readonly<Record<FaultKind, string>> = {
  result: 'wrong result',
  operand: 'wrong number',
  operation: 'wrong operation',
  missing: 'step missing',
  form: 'unreadable',
  answer: 'does not follow from the steps',
};
