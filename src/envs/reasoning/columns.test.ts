/** Cases computed by hand: 47 + 38 is 7 + 8 = 15, so 5 and carry 1, then 4 + 3 + 1 = 8: 85. */
import { describe, expect, it } from 'vitest';
import { type Columns, columnArithmetic, columnsKey, columnsProblem } from './columns.ts';
import { readCritique, writeCritique } from './critiques.ts';
import { columnsCourse } from './families.ts';
import { notationOf } from './notation.ts';
import { judge, trueAnswer } from './oracle.ts';
import { finish, flawed, refine, solve } from './solutions.ts';

const notation = notationOf(columnArithmetic);
const problem = columnsProblem({ first: [7, 4], second: [8, 3] });
const RIGHT = 's1 7 + 8 + 0 = 5 c1 s2 4 + 3 + 1 = 8 c0 answer 0 8 5';

describe('column addition', () => {
  it('is asked and solved starting with the units', () => {
    expect(problem.question).toBe('s1 7 plus 8 s2 4 plus 3');
    expect(solve(problem)).toBe(RIGHT);
  });

  it('carries into an additional digit', () => {
    // 95 + 17 = 112.
    expect(solve(columnsProblem({ first: [5, 9], second: [7, 1] }))).toBe(
      's1 5 + 7 + 0 = 2 c1 s2 9 + 1 + 1 = 1 c1 answer 1 1 2',
    );
    expect(columnArithmetic.values).toHaveLength(20);
    expect(columnArithmetic.calculate('+', ['9', '9', '1'])).toBe('9 c1');
  });

  it.each([
    [RIGHT, ['right', 'right', 'right'], null, true],
    // The carry is written as 0 and not added.
    [
      's1 7 + 8 + 0 = 5 c0 s2 4 + 3 + 0 = 7 c0 answer 0 7 5',
      ['wrong', 'carried', 'carried'],
      'result',
      false,
    ],
    // The carry is written but not added.
    [
      's1 7 + 8 + 0 = 5 c1 s2 4 + 3 + 0 = 7 c0 answer 0 7 5',
      ['right', 'wrong', 'carried'],
      'operand',
      false,
    ],
    // The carry is written as 0 but added.
    [
      's1 7 + 8 + 0 = 5 c0 s2 4 + 3 + 1 = 8 c0 answer 0 8 5',
      ['wrong', 'wrong', 'carried'],
      'result',
      true,
    ],
    [
      's1 7 + 6 + 0 = 3 c1 s2 4 + 3 + 1 = 8 c0 answer 0 8 3',
      ['wrong', 'carried', 'carried'],
      'operand',
      false,
    ],
    ['s1 7 + 8 + 0 = 5 c1 answer 0 0 5', ['right', 'wrong'], 'missing', false],
    [
      's1 7 + 8 + 0 = 5 c1 s2 4 + 3 + 1 = 8 c0 answer 0 5 8',
      ['right', 'right', 'wrong'],
      'answer',
      false,
    ],
    [
      's1 7 + 8 + 0 = 5 c1 s2 4 + 3 + 1 = 8 c0 answer 8 5',
      ['right', 'right', 'wrong'],
      'form',
      false,
    ],
    [
      's1 7 + 8 = 5 c1 s2 4 + 3 + 1 = 8 c0 answer 0 8 5',
      ['wrong', 'carried', 'carried'],
      'form',
      true,
    ],
  ])('judges %s', (text, verdicts, fault, right) => {
    const judged = judge(notation, problem, text);
    expect(judged.steps.map(({ verdict }) => verdict)).toEqual(verdicts);
    expect(judged.steps[judged.firstWrong ?? -1]?.fault ?? null).toBe(fault);
    expect(judged.right).toBe(right);
  });

  it('is critiqued digit by digit, with carries', () => {
    const forgotten = 's1 7 + 8 + 0 = 5 c0 s2 4 + 3 + 0 = 7 c0 answer 0 7 5';
    const critique = writeCritique(notation, problem, forgotten, { advice: 'value' });
    expect(critique).toBe('s1 7 + 8 + 0 = 5 c1 5 c0 bad result 5 c1 wrong');
    expect(readCritique(notation, critique)).toEqual({
      right: false,
      step: 0,
      fault: 'result',
      value: '5 c1',
    });
    expect(refine(notation, problem, forgotten, critique)).toBe(RIGHT);
    const all = writeCritique(notation, problem, RIGHT, { advice: 'value' });
    expect(all).toBe(
      's1 7 + 8 + 0 = 5 c1 5 c1 ok s2 4 + 3 + 1 = 8 c0 8 c0 ok answer 0 8 5 0 8 5 ok right',
    );
    expect(readCritique(notation, all)?.right).toBe(true);
    // With one line missing, the answer has too many digits.
    expect(readCritique(notation, all.replace(/ s2 .* ok answer/, ' answer'))).toBe(null);
  });

  it('can have errors in digits, carries and answers, but not in the operation', () => {
    const slip = (draw: number) => flawed(notation, problem, 0, 'result', () => draw);
    expect([slip(0), slip(0.4), slip(0.9)]).toEqual([
      's1 7 + 8 + 0 = 6 c1',
      's1 7 + 8 + 0 = 4 c1',
      's1 7 + 8 + 0 = 5 c0',
    ]);
    expect(flawed(notation, problem, 0, 'operation', () => 0)).toBe(null);
    const skipped = flawed(notation, problem, 0, 'missing', () => 0) ?? '';
    expect(skipped).toBe('s2 4 + 3 + 0 = 7 c0');
    expect(finish(notation, problem, skipped)).toBe('s2 4 + 3 + 0 = 7 c0 answer 0 7 0');
  });
});

describe('column addition task set', () => {
  it('contains sums of two numbers of equal length, none starting with 0', () => {
    const { drawn, problemOf } = columnsCourse();
    for (const columns of drawn.evaluation) {
      const { first, second } = columns;
      expect(first).toHaveLength(second.length);
      expect([first.at(-1), second.at(-1)]).not.toContain(0);
      const numbers = [first, second].map((digits) => Number(digits.toReversed().join('')));
      const sum = String((numbers[0] ?? 0) + (numbers[1] ?? 0)).padStart(first.length + 1, '0');
      expect(trueAnswer(problemOf(columns)).replaceAll(' ', '')).toBe(sum);
    }
  });

  it('treats both orders of two numbers as the same task', () => {
    const one: Columns = { first: [7, 4], second: [8, 3] };
    expect(columnsKey(one)).toBe('38 + 47');
    expect(columnsKey({ first: one.second, second: one.first })).toBe('38 + 47');
  });
});
