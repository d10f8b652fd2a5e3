/** Cases computed by hand: start 4, times 2 is 8, times 4 is 32 = 10 modulo 11, plus 5 is 15 = 4. */
import { describe, expect, it } from 'vitest';
import type { FaultKind, JudgedStep } from '../criticism.ts';
import { type Chain, chainProblem, chainQuestion, modularArithmetic } from './chain.ts';
import { readCritique, readRemarks, writeCritique } from './critiques.ts';
import { chainCourse } from './families.ts';
import { notationOf } from './notation.ts';
import { finalAnswer, givenAnswer, judge } from './oracle.ts';
import { finish, flawed, refine, solve, upTo } from './solutions.ts';

const chain: Chain = {
  start: 4,
  operations: [
    { operation: '*', by: 2 },
    { operation: '*', by: 4 },
    { operation: '+', by: 5 },
  ],
};
const notation = notationOf(modularArithmetic(11));
const settings = { prime: '11', hard: 'withheld' } as const;
const problem = chainProblem(notation, settings, chain, chainQuestion(chain));

const RIGHT = 's1 4 * 2 = 8 s2 8 * 4 = 10 s3 10 + 5 = 4 answer 4';
/** Gives 7 for 8 times 4; all later steps are consistent with that. */
const SLIPPED = 's1 4 * 2 = 8 s2 8 * 4 = 7 s3 7 + 5 = 1 answer 1';

const SIGNS = { right: '.', wrong: '!', carried: '~' } as const;
/**
 * A judgment as one line: a sign per step, the first wrong step and its error, the verdict on the answer.
 */
function told(text: string): string {
  const { right, steps, firstWrong } = judge(notation, problem, text);
  const signs = steps.map(({ verdict }: JudgedStep) => SIGNS[verdict]).join('');
  const first = firstWrong === null ? '-' : `${firstWrong} ${steps[firstWrong]?.fault}`;
  return `${signs} ${first} ${right ? 'right' : 'wrong'}`;
}

describe('chain problem', () => {
  it('is asked and solved step by step', () => {
    expect(problem.question).toBe('start 4 s1 times 2 s2 times 4 s3 plus 5');
    expect(solve(problem)).toBe(RIGHT);
    expect([problem.level, problem.length, problem.withheld]).toEqual([2, 3, []]);
  });

  it('marks products of two numbers from the upper half as withheld', () => {
    // 9 times 5 is 45 = 1, 1 times 6 is 6, 6 plus 2 is 8, 8 times 7 is 56 = 1, 1 minus 3 is 9, 9 times 10 is 2.
    const operations = [
      { operation: '*', by: 5 },
      { operation: '*', by: 6 },
      { operation: '+', by: 2 },
      { operation: '*', by: 7 },
      { operation: '-', by: 3 },
      { operation: '*', by: 10 },
    ];
    const hard = { start: 9, operations };
    expect(solve(chainProblem(notation, settings, hard, ''))).toMatch(/ answer 2$/);
    expect(chainProblem(notation, settings, hard, '').withheld).toEqual([3, 5]);
    const off = { prime: '11', hard: 'off' } as const;
    expect(chainProblem(notation, off, hard, '').withheld).toEqual([]);
  });
});

describe('chain oracle', () => {
  it.each([
    ['a correct solution', RIGHT, '.... - right'],
    ['a wrong result that later steps use', SLIPPED, '.!~~ 1 result wrong'],
    [
      'a wrong result that later steps do not use',
      's1 4 * 2 = 8 s2 8 * 4 = 7 s3 10 + 5 = 4 answer 4',
      '.!!~ 1 result right',
    ],
    [
      'two errors that cancel',
      's1 4 * 2 = 8 s2 8 * 4 = 7 s3 7 + 5 = 4 answer 4',
      '.!!~ 1 result right',
    ],
    [
      'an operand other than the previous result',
      's1 4 * 2 = 8 s2 7 * 4 = 6 s3 6 + 5 = 0 answer 0',
      '.!~~ 1 operand wrong',
    ],
    [
      'an operand other than in the question',
      's1 4 * 2 = 8 s2 8 * 4 = 10 s3 10 + 6 = 5 answer 5',
      '..!~ 2 operand wrong',
    ],
    [
      'a wrong operation',
      's1 4 * 2 = 8 s2 8 * 4 = 10 s3 10 * 5 = 6 answer 6',
      '..!~ 2 operation wrong',
    ],
    ['a missing step', 's1 4 * 2 = 8 s3 8 + 5 = 2 answer 2', '.!~ 1 missing wrong'],
    ['a missing last step', 's1 4 * 2 = 8 s2 8 * 4 = 10 answer 10', '..! 2 missing wrong'],
    ['the correct answer without any step', 'answer 4', '! 0 missing right'],
    ['a missing answer', 's1 4 * 2 = 8 s2 8 * 4 = 10 s3 10 + 5 = 4', '...! 3 missing wrong'],
    ['an empty text', '', '! 0 missing wrong'],
    [
      'an answer other than the last result',
      RIGHT.replace('answer 4', 'answer 3'),
      '...! 3 answer wrong',
    ],
    [
      'a step without its second number',
      's1 4 * 2 = 8 s2 8 * = 10 s3 10 + 5 = 4 answer 4',
      '.!~~ 1 form right',
    ],
    [
      'a step without a result, after which any operand is accepted',
      's1 4 * 2 = 8 s2 8 * 4 = s3 6 + 5 = 0 answer 0',
      '.!~~ 1 form wrong',
    ],
    [
      'a repeated step',
      's1 4 * 2 = 8 s1 4 * 2 = 8 s2 8 * 4 = 10 s3 10 + 5 = 4 answer 4',
      '.!~~~ 1 form right',
    ],
    [
      'words before the first step',
      `4 4 ${RIGHT}`,
      // The answer must consist of steps only.
      '!~~~~ 0 form wrong',
    ],
    ['an unknown word', RIGHT.replace('= 10', '= ten'), '.!~~ 1 form wrong'],
    ['a second answer', `${RIGHT} answer 4`, '...! 3 form wrong'],
    ['a step after the answer', `${RIGHT} s3 10 + 5 = 4`, '...! 3 form wrong'],
    ['an answer of two numbers', `${RIGHT} 4`, '...! 3 form wrong'],
  ])('judges %s', (_what, text, expected) => {
    expect(told(text)).toBe(expected);
  });

  it('accepts an answer only if it is the only one and ends the text', () => {
    expect(givenAnswer(notation, problem, SLIPPED)).toBe('1');
    expect(finalAnswer(notation, SLIPPED)).toBe('1');
    expect(givenAnswer(notation, problem, 's2 = = 7 answer 9')).toBe('9');
    for (const text of [
      '',
      ' ',
      'answer',
      '4',
      'answer 11',
      `${RIGHT} `,
      `${RIGHT}\n`,
      ` ${RIGHT}`,
    ]) {
      expect(givenAnswer(notation, problem, text)).toBe(null);
      expect(finalAnswer(notation, text)).toBe(null);
    }
  });
});

describe('chain critique', () => {
  const critique = (text: string, options: Partial<Parameters<typeof writeCritique>[3]> = {}) =>
    writeCritique(notation, problem, text, { advice: 'value', ...options });

  it('comments on each step up to the first wrong one and ends with the verdict', () => {
    expect(critique(RIGHT)).toBe(
      's1 4 * 2 = 8 8 ok s2 8 * 4 = 10 10 ok s3 10 + 5 = 4 4 ok answer 4 4 ok right',
    );
    expect(critique(SLIPPED)).toBe('s1 4 * 2 = 8 8 ok s2 8 * 4 = 10 7 bad result 10 wrong');
    expect(critique('s1 4 * 2 = 8 s3 8 + 5 = 2 answer 2')).toBe(
      's1 4 * 2 = 8 8 ok s2 8 * 4 = 10 none bad missing 10 wrong',
    );
    expect(critique(RIGHT.replace('answer 4', 'answer 3'))).toMatch(
      / s3 10 \+ 5 = 4 4 ok answer 4 3 bad answer 4 wrong$/,
    );
    expect(critique('s1 4 * 2 = 8 s2 8 * 4')).toBe(
      's1 4 * 2 = 8 8 ok s2 8 * 4 = 10 none bad form 10 wrong',
    );
  });

  it('calls the final answer correct if two errors cancel', () => {
    const cancelled = 's1 4 * 2 = 8 s2 8 * 4 = 7 s3 7 + 5 = 4 answer 4';
    expect(critique(cancelled)).toBe('s1 4 * 2 = 8 8 ok s2 8 * 4 = 10 7 bad result 10 right');
  });

  it('omits details that the advice level excludes', () => {
    expect(critique(SLIPPED, { advice: 'type' })).toBe('s1 4 * 2 = 8 8 ok s2 bad result wrong');
    expect(critique(SLIPPED, { advice: 'place' })).toBe('s1 4 * 2 = 8 8 ok s2 bad wrong');
    expect(critique(SLIPPED, { advice: 'verdict' })).toBe('wrong');
    expect(critique(RIGHT, { advice: 'verdict' })).toBe('right');
  });

  it('follows its options even where they contradict the truth', () => {
    expect(critique(SLIPPED, { value: '3' })).toBe(
      's1 4 * 2 = 8 8 ok s2 8 * 4 = 3 7 bad result 3 wrong',
    );
    expect(critique(RIGHT, { step: 0, value: '9', fault: 'operand' })).toBe(
      's1 4 * 2 = 9 8 bad operand 9 wrong',
    );
    // The critique ignores the error and therefore repeats it.
    expect(critique(SLIPPED, { step: null })).toBe(
      's1 4 * 2 = 8 8 ok s2 8 * 4 = 7 7 ok s3 7 + 5 = 1 1 ok answer 1 1 ok right',
    );
    expect(() => critique(RIGHT, { step: 4 })).toThrow(
      'Step 4 does not exist: this solution has 4 steps, counted from 0 and including its answer.',
    );
  });

  it('is parsed by the position of its parts', () => {
    const read = (text: string) => readCritique(notation, text);
    expect(read('s1 4 * 2 = 8 8 ok s2 8 * 4 = 10 7 bad result 10 wrong')).toEqual({
      right: false,
      step: 1,
      fault: 'result',
      value: '10',
    });
    expect(read('s1 4 * 2 = 8 8 ok s2 bad operation wrong')).toEqual({
      right: false,
      step: 1,
      fault: 'operation',
      value: null,
    });
    expect(readRemarks(notation, 's1 4 * 2 = 8 8 ok s2 8 * 4 = 10 7 bad result 10 wrong')).toEqual([
      { label: 'ok', own: '4 * 2 = 8', fault: null, value: null },
      { label: 'bad', own: '8 * 4 = 10', fault: 'result', value: '10' },
    ]);
    // In a malformed critique, the part before the fault counts.
    expect(readRemarks(notation, 's1 4 * 2 = 8 8 ok s2 8 * wrong')).toHaveLength(1);
    expect(readRemarks(notation, 'right')).toEqual([]);
    expect(read('s1 bad wrong')).toEqual({ right: false, step: 0, fault: null, value: null });
    expect(read('right')).toEqual({ right: true, step: null, fault: null, value: null });
    expect(read('answer 4 3 bad answer 4 wrong')).toMatchObject({ fault: 'answer', value: '4' });
  });

  it.each([
    ['both verdicts', 's1 4 * 2 = 8 8 ok right wrong'],
    ['both verdicts in reverse order', 's1 4 * 2 = 8 8 ok wrong right'],
    ['a repeated verdict', 'right right'],
    ['a verdict before the last place', 'right s1 4 * 2 = 8 8 ok'],
    ['no verdict', 's1 4 * 2 = 8 8 ok'],
    ['an empty text', ''],
    ['an incomplete step', 's1 4 * 2 8 8 ok right'],
    ['a step without a label', 's1 4 * 2 = 8 8 right'],
    ["a step without the solution's result", 's1 4 * 2 = 8 ok right'],
    ['a step after the wrong one', 's1 bad s2 8 * 4 = 10 10 ok wrong'],
    ['a step after the answer', 'answer 4 4 ok s1 4 * 2 = 8 8 ok right'],
    ['advice that is not a value', 's1 4 * 2 = 8 7 bad result ok wrong'],
    ['a word after the verdict', 'wrong 4'],
    ['a leading space', ' right'],
  ])('is malformed with %s', (_what, text) => {
    expect(readCritique(notation, text)).toBe(null);
  });
});

describe('chain refinement', () => {
  const refined = (text: string, critique: string) => refine(notation, problem, text, critique);

  it('repeats an answer that is called correct', () => {
    expect(refined(SLIPPED, 'right')).toBe(SLIPPED);
    expect(refined(SLIPPED, 'right wrong')).toBe(SLIPPED);
  });

  it('redoes the step called wrong with the advised value, and continues from there', () => {
    const critique = (value: string) =>
      `s1 4 * 2 = 8 8 ok s2 8 * 4 = ${value} 7 bad result ${value} wrong`;
    expect(refined(SLIPPED, critique('10'))).toBe(RIGHT);
    expect(refined(SLIPPED, critique('3'))).toBe('s1 4 * 2 = 8 s2 8 * 4 = 3 s3 3 + 5 = 8 answer 8');
    expect(refined(SLIPPED, 's1 4 * 2 = 8 8 ok s2 bad wrong')).toBe(RIGHT);
  });

  it('starts at the first step that is actually wrong if the critique names none', () => {
    expect(refined(SLIPPED, 'wrong')).toBe(RIGHT);
    expect(refined(RIGHT, 'wrong')).toBe(RIGHT);
  });

  it('repeats an error that the critique ignores', () => {
    const late = 's1 4 * 2 = 8 8 ok s2 8 * 4 = 7 7 ok s3 7 + 5 = 2 1 bad result 2 wrong';
    expect(refined(SLIPPED, late)).toBe('s1 4 * 2 = 8 s2 8 * 4 = 7 s3 7 + 5 = 2 answer 2');
    expect(refined(SLIPPED, late.replace('s3 7 + 5 = 2 1 bad result 2', 's3 bad'))).toBe(SLIPPED);
  });

  it('inserts a missing step and corrects an answer', () => {
    const skipped = 's1 4 * 2 = 8 s3 8 + 5 = 2 answer 2';
    expect(refined(skipped, 's1 4 * 2 = 8 8 ok s2 8 * 4 = 10 2 bad missing 10 wrong')).toBe(RIGHT);
    const other = RIGHT.replace('answer 4', 'answer 3');
    expect(refined(other, writeCritique(notation, problem, other, { advice: 'value' }))).toBe(
      RIGHT,
    );
  });
});

describe('chain prefix', () => {
  it('is cut from a solution and can be completed', () => {
    expect(upTo(SLIPPED, 2)).toBe('s1 4 * 2 = 8 s2 8 * 4 = 7');
    expect(upTo(SLIPPED, 0)).toBe('');
    expect(upTo(SLIPPED, 9)).toBe(SLIPPED);
    expect(finish(notation, problem, upTo(SLIPPED, 2))).toBe(SLIPPED);
    expect(finish(notation, problem, '')).toBe(RIGHT);
    expect(finish(notation, problem, RIGHT)).toBe(RIGHT);
  });

  /** All errors of a kind that a step can contain, over all draws. */
  function spoilt(step: number, kind: FaultKind): string[] {
    const draws = Array.from({ length: 400 }, (_, i) => i / 400);
    const found = draws.map((draw) => flawed(notation, problem, step, kind, () => draw));
    return [...new Set(found.map((text) => text?.slice(upTo(RIGHT, step).length).trim() ?? '-'))];
  }

  it('can contain each kind of error', () => {
    // 10 ± 1, and 8 + 4 = 12 = 1.
    expect(spoilt(1, 'result')).toEqual(['s2 8 * 4 = 0', 's2 8 * 4 = 9', 's2 8 * 4 = 1']);
    expect(spoilt(1, 'operation')).toEqual(['s2 8 + 4 = 1', 's2 8 - 4 = 4']);
    expect(spoilt(1, 'operand')).toHaveLength(20);
    expect(spoilt(1, 'operand')).toContain('s2 8 * 5 = 7');
    expect(spoilt(1, 'operand')).toContain('s2 7 * 4 = 6');
    expect(spoilt(0, 'missing')).toEqual(['s2 4 * 4 = 5']);
    expect(spoilt(1, 'missing')).toEqual(['s3 8 + 5 = 2']);
    expect(spoilt(2, 'missing')).toEqual(['answer 10']);
    expect(spoilt(1, 'form')).toEqual(['s2 * 4 = 10', 's2 8 4 = 10', 's2 8 * = 10']);
    expect(spoilt(3, 'answer')).toHaveLength(10);
    expect(spoilt(3, 'answer')).toContain('answer 3');
    expect(spoilt(3, 'form')).toEqual(['answer']);
  });

  it('contains no error that the step cannot have', () => {
    expect(spoilt(1, 'answer')).toEqual(['-']);
    for (const kind of ['operand', 'operation', 'result', 'missing'] as const) {
      expect(spoilt(3, kind)).toEqual(['-']);
    }
    expect(spoilt(4, 'form')).toEqual(['-']);
    expect(spoilt(-1, 'result')).toEqual(['-']);
    // Without the step that changes nothing, the answer stays the same.
    const idle = {
      start: 4,
      operations: [
        { operation: '+', by: 0 },
        { operation: '+', by: 1 },
      ],
    };
    const still = chainProblem(notation, settings, idle, '');
    expect(flawed(notation, still, 0, 'missing', () => 0)).toBe(null);
  });
});

describe('chain task set', () => {
  const { drawn, problemOf } = chainCourse();

  it('has five levels, with fewer training tasks at higher levels and equally many evaluation tasks', () => {
    const share = (tasks: readonly Chain[]) =>
      [1, 2, 3, 4, 5].map(
        (level) => tasks.filter((task) => problemOf(task).level === level).length / tasks.length,
      );
    for (const [i, due] of [0.3, 0.25, 0.2, 0.15, 0.1].entries()) {
      expect(share(drawn.train)[i]).toBeCloseTo(due, 1);
    }
    expect(share(drawn.evaluation)).toEqual([0.2, 0.2, 0.2, 0.2, 0.2]);
    expect([drawn.train.length, drawn.evaluation.length]).toEqual([6000, 400]);
  });

  it("contains hard steps at each level's rate, except in shown tasks", () => {
    const hard = (tasks: readonly Chain[], level: number) => {
      const own = tasks.map(problemOf).filter((problem) => problem.level === level);
      const steps = own.reduce((sum, { length }) => sum + length, 0);
      return own.reduce((sum, { withheld }) => sum + withheld.length, 0) / steps;
    };
    const played = drawn.train.filter((_, i) => i % 2 === 1);
    for (const [i, due] of [0.03, 0.08, 0.16, 0.22, 0.33].entries()) {
      expect(Math.abs(hard(played, i + 1) - due)).toBeLessThan(0.035);
      expect(
        hard(
          drawn.train.filter((_, n) => n % 2 === 0),
          i + 1,
        ),
      ).toBe(0);
    }
  });
});
