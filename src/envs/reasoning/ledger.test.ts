/**
 * Cases computed by hand: Ada has 4; Bo has 4 times 2, which is 8; Dan has 8 plus 5, which is 13 = 2 modulo
 * 11.
 */
import { describe, expect, it } from 'vitest';
import { chainProblem, modularArithmetic } from './chain.ts';
import { readCritique, writeCritique } from './critiques.ts';
import { ledgerCourse } from './families.ts';
import { type Ledger, ledgerNames, ledgerQuestion } from './ledger.ts';
import { MOST_STEPS, notationOf } from './notation.ts';
import { judge } from './oracle.ts';
import { flawed, refine, solve } from './solutions.ts';

const ledger: Ledger = {
  chain: {
    start: 4,
    operations: [
      { operation: '*', by: 2 },
      { operation: '+', by: 5 },
    ],
  },
  people: ['Ada', 'Bo', 'Dan'],
  sentences: ['Dan has Bo plus 5.', 'Ada has 4.', 'Bo has Ada times 2.', 'Jo has Kim plus 1.'],
};
const notation = notationOf(modularArithmetic(11, ledgerNames));
const problem = chainProblem(
  notation,
  { prime: '11', hard: 'withheld' },
  ledger.chain,
  ledgerQuestion(ledger),
  ['Bo', 'Dan'],
);
const RIGHT = 's1 Bo 4 * 2 = 8 s2 Dan 8 + 5 = 2 answer 2';

describe('ledger problem', () => {
  it('states the facts in any order with an irrelevant sentence, and is solved person by person', () => {
    expect(problem.question).toBe(
      'Dan has Bo plus 5. Ada has 4. Bo has Ada times 2. Jo has Kim plus 1. How many has Dan?',
    );
    expect(solve(problem)).toBe(RIGHT);
  });

  it.each([
    [RIGHT, ['right', 'right', 'right'], null, true],
    // The error 4 * 2 = 7 is carried to 7 + 5 = 12 = 1.
    ['s1 Bo 4 * 2 = 7 s2 Dan 7 + 5 = 1 answer 1', ['wrong', 'carried', 'carried'], 'result', false],
    // The wrong person, although the numbers are correct.
    ['s1 Bo 4 * 2 = 8 s2 Ada 8 + 5 = 2 answer 2', ['right', 'wrong', 'carried'], 'operand', true],
    // The result of the irrelevant sentence.
    ['s1 Bo 4 * 2 = 8 s2 Dan 8 + 1 = 9 answer 9', ['right', 'wrong', 'carried'], 'operand', false],
    [
      's1 Bo 4 + 2 = 6 s2 Dan 6 + 5 = 0 answer 0',
      ['wrong', 'carried', 'carried'],
      'operation',
      false,
    ],
    ['s1 4 * 2 = 8 s2 Dan 8 + 5 = 2 answer 2', ['wrong', 'carried', 'carried'], 'form', true],
    ['s2 Dan 4 + 5 = 9 answer 9', ['wrong', 'carried'], 'missing', false],
  ])('judges %s', (text, verdicts, fault, right) => {
    const judged = judge(notation, problem, text);
    expect(judged.steps.map(({ verdict }) => verdict)).toEqual(verdicts);
    expect(judged.steps[judged.firstWrong ?? -1]?.fault ?? null).toBe(fault);
    expect(judged.right).toBe(right);
  });

  it('is critiqued like a chain, without the names of people', () => {
    const slipped = 's1 Bo 4 * 2 = 8 s2 Dan 8 + 5 = 3 answer 3';
    const critique = writeCritique(notation, problem, slipped, { advice: 'value' });
    expect(critique).toBe('s1 4 * 2 = 8 8 ok s2 8 + 5 = 2 3 bad result 2 wrong');
    expect(readCritique(notationOf(modularArithmetic(11)), critique)).toEqual(
      readCritique(notation, critique),
    );
    expect(refine(notation, problem, slipped, critique)).toBe(RIGHT);
  });

  it('can have the errors of a chain, written with names', () => {
    expect(flawed(notation, problem, 1, 'result', () => 0)).toBe(
      's1 Bo 4 * 2 = 8 s2 Dan 8 + 5 = 3',
    );
    expect(flawed(notation, problem, 0, 'form', () => 0)).toBe('s1 4 * 2 = 8');
  });

  it('has enough names for the longest chain and the irrelevant sentence', () => {
    expect(ledgerNames.length).toBeGreaterThanOrEqual(MOST_STEPS + 3);
    const { drawn } = ledgerCourse({ steps: 8 });
    for (const { people, sentences, chain } of drawn.evaluation) {
      expect(new Set(people).size).toBe(chain.operations.length + 1);
      expect(sentences).toHaveLength(chain.operations.length + 2);
      const names = sentences.flatMap((sentence) =>
        sentence.split(' ').filter((word) => ledgerNames.includes(word)),
      );
      const others = [...new Set(names)].filter((name) => !people.includes(name));
      expect(others).toHaveLength(2);
    }
  });

  it('starts with the first person in about one fifth of the tasks', () => {
    const first = ledgerCourse().drawn.train.map(({ people, sentences }) =>
      sentences[0]?.startsWith(`${people[0]} has`),
    );
    const share = first.filter(Boolean).length / first.length;
    expect(share).toBeGreaterThan(0.15);
    expect(share).toBeLessThan(0.25);
  });
});
