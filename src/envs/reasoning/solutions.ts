/** Creates solutions: correct ones, ones with an error of a given kind, and refinements after a critique. */

import type { FaultKind } from '../criticism.ts';
import { readCritique } from './critiques.ts';
import {
  EQUALS,
  type Notation,
  type Problem,
  partsOf,
  type Step,
  writeAnswer,
  writeStep,
} from './notation.ts';
import {
  begun,
  type Due,
  dueAfter,
  judge,
  type Progress,
  trueAnswer,
  trueValues,
  walk,
  withValue,
  writeDue,
} from './oracle.ts';

/** The lines from a point to the answer, correct given what precedes them. */
function restOf(problem: Problem, from: Progress): string[] {
  const lines: string[] = [];
  let at = from;
  while (!at.answered) {
    const due = dueAfter(problem, at);
    lines.push(writeDue(due));
    at = after(at, due);
  }
  return lines;
}

function after(at: Progress, due: Due): Progress {
  if (due.at === 'answer') return { ...at, answered: true };
  const { value } = due.step;
  return {
    next: due.at + 1,
    values: [...at.values, value],
    last: value,
    unread: false,
    answered: false,
  };
}

export function solve(problem: Problem): string {
  return restOf(problem, begun).join(' ');
}

/** A solution for each possible result of the first step, with correct steps after it. */
export function solutionsByFirst(notation: Notation, problem: Problem): string[] {
  const first = dueAfter(problem, begun);
  return notation.values.map((value) => {
    const taken = withValue(first, value);
    return [writeDue(taken), ...restOf(problem, after(begun, taken))].join(' ');
  });
}

export function upTo(solution: string, steps: number): string {
  return partsOf(solution)
    .slice(0, steps)
    .map(({ text }) => text)
    .join(' ');
}

export function finish(notation: Notation, problem: Problem, start: string): string {
  const parts = partsOf(start);
  const { end } = walk(notation, problem, parts);
  return [...parts.map(({ text }) => text), ...restOf(problem, end)].join(' ');
}

export function refine(
  notation: Notation,
  problem: Problem,
  solution: string,
  critique: string,
): string {
  const read = readCritique(notation, critique);
  if (read === null || read.right) return solution;
  const place = read.step ?? judge(notation, problem, solution).firstWrong ?? 0;
  const parts = partsOf(solution).slice(0, place);
  const { end } = walk(notation, problem, parts);
  const kept = parts.map(({ text }) => text);
  if (end.answered) return kept.join(' ');
  const due = dueAfter(problem, end);
  const redone = read.value === null ? due : advised(notation, problem, due, read.value);
  return [...kept, writeDue(redone), ...restOf(problem, after(end, redone))].join(' ');
}

/** The due line with the advised value; unchanged if it cannot have that value. */
function advised(notation: Notation, problem: Problem, due: Due, value: string): Due {
  const can =
    due.at === 'answer'
      ? value.split(' ').length === notation.answerWidth(problem.length)
      : notation.values.includes(value);
  return can ? withValue(due, value) : due;
}

/** A random item; null if the list is empty. */
function oneOf<T>(list: readonly T[], random: () => number): T | null {
  return list[Math.floor(random() * list.length)] ?? null;
}

export function flawed(
  notation: Notation,
  problem: Problem,
  index: number,
  kind: FaultKind,
  random: () => number,
): string | null {
  if (!(index >= 0 && index <= problem.length)) return null;
  const values = trueValues(problem).slice(0, index);
  const at: Progress = { ...begun, next: index, values, last: values.at(-1) ?? null };
  const due = dueAfter(problem, at);
  const line =
    due.at === 'answer'
      ? spoiltAnswer(notation, problem, kind, random)
      : spoiltStep(notation, problem, at, due, kind, random);
  if (line === null) return null;
  const before = upTo(solve(problem), index);
  const spoilt = before === '' ? line : `${before} ${line}`;
  const harmless =
    kind !== 'form' && judge(notation, problem, finish(notation, problem, spoilt)).right;
  return harmless ? null : spoilt;
}

/** An answer with an error of the given kind; null if an answer cannot have it. */
function spoiltAnswer(
  notation: Notation,
  problem: Problem,
  kind: FaultKind,
  random: () => number,
): string | null {
  const words = trueAnswer(problem).split(' ');
  if (kind === 'form') return writeAnswer(words.slice(1).join(' ')).trimEnd();
  if (kind !== 'answer') return null;
  const place = Math.floor(random() * words.length);
  const digit = oneOf(
    notation.digits.filter((other) => other !== words[place]),
    random,
  );
  return digit === null ? null : writeAnswer(words.with(place, digit).join(' '));
}

/**
 * A step with an error of the given kind; null if the step cannot have it. Its result changes, unless the
 * step becomes malformed.
 */
function spoiltStep(
  notation: Notation,
  problem: Problem,
  at: Progress,
  { at: index, step }: { readonly at: number; readonly step: Step },
  kind: FaultKind,
  random: () => number,
): string | null {
  const { operands, operation, value } = step;
  /** The same step with another calculation that has a different result. */
  const otherSum = (sums: readonly Pick<Step, 'operands' | 'operation'>[]): string | null => {
    const steps = sums.map((sum) => ({
      ...step,
      ...sum,
      value: notation.calculate(sum.operation, sum.operands),
    }));
    const other = oneOf(
      steps.filter((one) => one.value !== value),
      random,
    );
    return other === null ? null : writeStep(index, other);
  };
  switch (kind) {
    case 'form': {
      // Drops a word before the equals sign, but not the marker, which locates the step.
      const words = writeStep(index, step).split(' ');
      const place = 1 + Math.floor(random() * (words.indexOf(EQUALS) - 1));
      return words.filter((_, i) => i !== place).join(' ');
    }
    case 'operand':
      return otherSum(
        operands.flatMap((_, place) =>
          (notation.operands[place] ?? []).map((number) => ({
            operation,
            operands: operands.with(place, number),
          })),
        ),
      );
    case 'operation':
      return otherSum(notation.operations.map((other) => ({ operands, operation: other })));
    case 'result': {
      const slip = oneOf(notation.slips(step), random);
      return slip === null ? null : writeStep(index, { ...step, value: slip });
    }
    case 'missing':
      // The next line takes its place.
      return writeDue(dueAfter(problem, { ...at, next: index + 1, values: [...at.values, null] }));
    case 'answer':
      return null;
    default:
      return kind satisfies never;
  }
}
