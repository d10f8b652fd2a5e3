import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../criticism.ts';
import { UnknownEnvironmentError } from '../errors.ts';
import { families as strictFamilies } from '../strict-reasoning/index.ts';
import { UnknownTaskError } from '../types.ts';
import type { ReasoningState } from './environment.ts';
import { families } from './index.ts';
import { describeScene, isReasoningState, reasoningScene, verdictOf } from './scene.ts';

const environments = new Map(
  [...families, ...strictFamilies].map((family) => [family.id, family.create()] as const),
);

const task = (name: string) => `${name.replace('strict-', '')}_100000`;

function criticismOf(name: string) {
  const { criticism } = environments.get(`reasoning/${name}-v1`) ?? {};
  if (criticism === undefined) throw new Error(`${name} has no criticism`);
  return criticism;
}

/** The scene of a family's first evaluation task, before or after a solution. */
function scene(name: string, solution: string | null) {
  const id = `reasoning/${name}-v1`;
  const environment = environments.get(id);
  if (environment === undefined) throw new Error(`no ${id}`);
  const { state } = environment.reset(task(name));
  const after = solution === null ? state : environment.step(state, solution).state;
  return reasoningScene(id, {}, after);
}

/** That task's solution with one error of the given kind, completed consistently. */
function spoilt(name: string, step: number, kind: FaultKind): string {
  const criticism = criticismOf(name);
  return criticism.finish(task(name), criticism.flawed(task(name), step, kind, () => 0.5) ?? '');
}

const captions = (name: string, solution: string | null) =>
  scene(name, solution).lines.map(({ label, text, verdict, note }) =>
    [label, text, verdict, note].join(' | '),
  );

describe('reasoningScene', () => {
  it('starts with an open line for each step and for the answer', () => {
    const { lines, outcome, given, answer, question, modulus } = scene('chain', null);
    expect(lines.map(({ label, verdict }) => `${label} ${verdict}`)).toEqual([
      '1 open',
      '2 open',
      'answer open',
    ]);
    expect([outcome, given, answer, modulus]).toEqual(['running', null, null, '11']);
    expect(question).toEqual({ kind: 'chain', start: '8', operations: ['× 5', '× 4'] });
  });

  it('draws a strict chain as a chain', () => {
    expect(scene('strict-chain', null)).toEqual(scene('chain', null));
  });

  it('marks all lines of a correct solution as correct', () => {
    const right = 's1 8 * 5 = 7 s2 7 * 4 = 6 answer 6';
    expect(captions('chain', right)).toEqual([
      '1 | 8 × 5 = 7 | right | ',
      '2 | 7 × 4 = 6 | right | ',
      'answer | 6 | right | ',
    ]);
    expect(verdictOf(scene('chain', right))).toBe('Correct: 6.');
  });

  it.each([
    [
      'chain',
      'result',
      '1 | 8 × 5 = 6 | wrong | 8 × 5 is 7, not 6.',
      'Wrong: the answer is 6, not 2.',
    ],
    [
      'chain',
      'operand',
      '1 | 8 × 0 = 0 | wrong | Wrong number. Expected: 8 × 5.',
      'Wrong: the answer is 6, not 0.',
    ],
    [
      'chain',
      'operation',
      '1 | 8 − 5 = 3 | wrong | Wrong operation. Expected: 8 × 5.',
      'Wrong: the answer is 6, not 1.',
    ],
    [
      'chain',
      'missing',
      '2 | 8 × 4 = 10 | wrong | Step 1 is missing: 8 × 5 = 7.',
      'Wrong: the answer is 6, not 10.',
    ],
    [
      'chain',
      'form',
      '1 | 8 5 = 7 | wrong | This is not a step. Expected: 8 × 5 = 7.',
      'Correct: 6, although not every step is correct.',
    ],
    [
      'ledger',
      'operand',
      '1 | Dan: 8 × 0 = 0 | wrong | Wrong number. Expected: Dan: 8 × 5.',
      'Wrong: the answer is 6, not 0.',
    ],
    [
      'columns',
      'result',
      '1 | 9 + 8 + 0 = 6 carry 1 | wrong | 9 + 8 + 0 is 7 carry 1, not 6 carry 1.',
      'Wrong: the answer is 177, not 176.',
    ],
  ] as const)('explains errors: %s, %s', (name, kind, first, verdict) => {
    const solution = spoilt(name, 0, kind);
    expect(captions(name, solution)[0]).toBe(first);
    expect(verdictOf(scene(name, solution))).toBe(verdict);
    const carried = scene(name, solution).lines.slice(1);
    expect(carried.every((line) => line.verdict === 'carried')).toBe(true);
    expect(carried[0]?.note).toMatch(/^Follows from step [12]\.$/);
    expect(carried.slice(1).every(({ note }) => note === '')).toBe(true);
  });

  it('explains a wrong answer, and shows unreadable lines unchanged', () => {
    expect(captions('chain', 's1 8 * 5 = 7 s2 7 * 4 = 6 answer 3').at(-1)).toBe(
      'answer | 3 | wrong | The steps give 6.',
    );
    expect(captions('chain', 's1 8 * 5 = 7 s2 7 * 4 = 6').at(-1)).toBe(
      'answer |  | wrong | There is no answer.',
    );
    expect(captions('chain', 'eight times s1 8 * 5 = 7')).toEqual([
      ' | eight times | wrong | This is not a step. Expected: 8 × 5 = 7.',
      '1 | 8 × 5 = 7 | carried | Follows from the error above.',
      'answer |  | wrong | Step 2 is missing: 7 × 4 = 6.',
    ]);
    expect(verdictOf(scene('chain', 'eight times'))).toBe(
      'No answer can be read. The correct answer is 6.',
    );
    expect(captions('chain', 's1 8 * 5 = 7 s2 7 * 4 = 6 answer').at(-1)).toBe(
      'answer |  | wrong | This is not an answer. Expected: 6.',
    );
  });

  it('shows a ledger’s sentences and its question', () => {
    expect(scene('ledger', null).question).toEqual({
      kind: 'ledger',
      sentences: [
        'Ida has 8.',
        'Eve has Dan times 4.',
        'Kim has Jo times 4.',
        'Dan has Ida times 5.',
      ],
      asked: 'How many has Eve?',
    });
  });

  it("aligns the numbers in columns, with the solution's carries", () => {
    const open = scene('columns', null).question;
    expect(open).toEqual({
      kind: 'columns',
      first: ['', '9', '9'],
      second: ['', '7', '8'],
      carries: [null, null, null],
      sum: [null, null, null],
    });
    const right = 's1 9 + 8 + 0 = 7 c1 s2 9 + 7 + 1 = 7 c1 answer 1 7 7';
    expect(scene('columns', right).question).toMatchObject({
      carries: ['1', '1', null],
      sum: ['1', '7', '7'],
    });
    // Without an answer, the digits of the steps are shown.
    expect(scene('columns', 's1 9 + 8 + 0 = 7 c1').question).toMatchObject({
      carries: [null, '1', null],
      sum: [null, null, '7'],
    });
    expect(scene('columns', right).modulus).toBe(null);
  });

  it('has a text description', () => {
    expect(describeScene(scene('chain', spoilt('chain', 0, 'result')))).toBe(
      'Start with 8, × 5, × 4. Modulo 11. Step 1: 8 × 5 = 6, wrong. 8 × 5 is 7, not 6. Step 2: 6 × 4 = 2, carried. Follows from step 1. Answer 2, carried. Wrong: the answer is 6, not 2.',
    );
    expect(describeScene(scene('columns', null))).toBe('99 plus 78. No solution yet.');
    expect(describeScene(scene('ledger', null))).toMatch(
      /^Ida has 8\. .* How many has Eve\? Modulo/,
    );
  });

  it('rejects states of other tasks and other environments', () => {
    const state: ReasoningState = { task: 7000, solution: null };
    expect(() => reasoningScene('reasoning/chain-v1', {}, state)).toThrow(UnknownTaskError);
    expect(() => reasoningScene('reasoning/no-v1', {}, state)).toThrow(UnknownEnvironmentError);
    expect(isReasoningState(state)).toBe(true);
    expect(isReasoningState({ task: 1, solution: 'answer 4' })).toBe(true);
    for (const value of [
      null,
      'chain',
      {},
      { task: 1 },
      { task: '1', solution: null },
      { task: 1, guesses: [], patterns: [] },
      { task: 1, solution: 'x'.repeat(100_000) },
    ]) {
      expect(isReasoningState(value)).toBe(false);
    }
  });
});
