import { beforeEach, describe, expect, it } from 'vitest';
import { compile } from '../envs/written/environment.ts';
import { startInterpreter } from '../envs/written/interpreter.ts';
import { templates } from '../envs/written/templates.ts';
import { checkCode, tryCode } from './check-code.ts';

beforeEach(startInterpreter);

const [guess] = templates;

describe('a template', () => {
  it.each(templates)('passes the check: $name', ({ code }) => {
    const { findings, facts } = checkCode(code);
    expect(findings).toEqual([]);
    expect(facts?.chance).toBeLessThan(0.6);
    expect(facts?.expert).toBeGreaterThan(0.85);
    expect(facts?.actionTokens).toBe(1);
  });

  it('is solved by its expert', () => {
    const trial = tryCode(compile(guess.code), 3, ['1'], true);
    expect(trial).toMatchObject({ over: true, success: true, actions: [] });
    expect(trial.turns[0]).toEqual({ action: null, text: 'from 1 to 15', reward: 0, rows: null });
  });
});

/** Checks the template with a part of it replaced. */
const changed = (from: string, to: string) => {
  expect(guess.code).toContain(from);
  return checkCode(guess.code.replace(from, to));
};
const lineOf = (text: string) =>
  1 + guess.code.split('\n').findIndex((line) => line.includes(text));

describe('the check', () => {
  it.each([
    ["'to', ", '', 'words = [', '"to" is missing from words', 'error'],
    [
      'return numbers;',
      'return [];',
      'export function actions',
      'actions returns an empty list',
      'error',
    ],
    [
      'String(Math.floor((low + high) / 2))',
      "'99'",
      'export function expert',
      '"99" is not among the actions',
      'error',
    ],
    ['`from $', '`from  $', 'words = [', 'single spaces', 'error'],
    [
      'reward: 1, done: true',
      'reward: 9, done: true',
      'export function step',
      'sum to 9',
      'warning',
    ],
    [
      'reward: 1, done: true',
      'reward: 0, done: true',
      'export function step',
      'no episode succeeds',
      'warning',
    ],
    ['/ 2)', '/ 9)', 'export function expert', 'solves only', 'warning'],
  ])('reports %s → %s', (from, to, at, problem, level) => {
    const { findings, facts } = changed(from, to);
    const found = findings.find((finding) => finding.problem.includes(problem));
    expect(found, JSON.stringify(findings)).toMatchObject({ line: lineOf(at), level });
    expect(facts === null).toBe(level === 'error');
  });

  it('reports data that is kept in variables instead of the state', () => {
    const code = guess.code
      .replace('export function reset', 'let calls = 0;\n\nexport function reset')
      .replace(
        'const guess = Number(action);',
        'calls++;\n  const guess = Number(action) + (calls > 3 ? 1 : 0);',
      );
    const { findings } = checkCode(code);
    expect(findings[0]).toMatchObject({
      level: 'error',
      problem: expect.stringContaining('is not deterministic'),
    });
  });

  it('reports the line of an error that only some episodes reach', () => {
    const { findings } = changed("text: 'found'", "text: hidden === 7 ? nothing : 'found'");
    expect(findings).toEqual([
      {
        line: lineOf("text: 'found'"),
        problem: "ReferenceError: 'nothing' is not defined",
        level: 'error',
      },
    ]);
  });

  it('reports a drawing with rows of different lengths', () => {
    const { findings } = checkCode(`${guess.code}\nexport const draw = () => ['..', '.'];\n`);
    expect(findings[0]?.problem).toContain('rows of equal length');
  });

  it('warns about slow code and plays fewer episodes', () => {
    let episodes = 0;
    checkCode(guess.code, () => episodes++);
    expect(episodes).toBe(150);
    const slow = guess.code.replace(
      'const guess',
      'for (let i = 0; i < 500_000; i++);\n  const guess',
    );
    episodes = 0;
    const { findings } = checkCode(slow, () => episodes++);
    expect(episodes).toBeLessThan(100);
    expect(findings.map(({ problem }) => problem).join()).toMatch(
      /a turn takes about [\d,]+ operations/,
    );
  });

  it('never throws, for any code', () => {
    for (const code of [
      '',
      ' ',
      '}',
      'export',
      '\ud800',
      '/*',
      '`',
      'export default 1',
      '<b>',
      '#!',
    ]) {
      expect(checkCode(code).facts).toBeNull();
    }
  });
});
