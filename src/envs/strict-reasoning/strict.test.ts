import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { families as chains } from '../reasoning/index.ts';
import { families } from './index.ts';

const created = (list: typeof families) => {
  const environment = list[0]?.create();
  if (environment?.criticism === undefined) throw new Error('the chain has no critique oracle');
  return { ...environment, criticism: environment.criticism };
};
const strict = created(families);
const plain = created(chains);
const { criticism } = strict;

const tasks = fc.constantFrom(...strict.evalTasks);
const solutionOf = (task: string) => strict.expert(strict.reset(task).state).action;
const lastWord = (text = '') => text.split(' ').at(-1) ?? '';

/** A critique of a correct solution that calls a step wrong and gives it this result. */
const falseAlarm = (task: string, step: number, value: string) =>
  criticism.critique(task, solutionOf(task), { advice: 'value', step, fault: 'result', value });

describe('the strict chain', () => {
  it('has the tasks and questions of the chain', () => {
    expect(strict.trainTasks).toEqual(plain.trainTasks);
    expect(strict.evalTasks).toEqual(plain.evalTasks);
    for (const task of strict.evalTasks.slice(0, 20)) {
      expect(strict.reset(task).observation).toBe(plain.reset(task).observation);
    }
  });

  it('breaks a correct answer after a false alarm, even if the advice is correct', () => {
    fc.assert(
      fc.property(tasks, fc.nat(), (task, at) => {
        const answer = solutionOf(task);
        const { steps } = criticism.judge(task, answer);
        const step = at % steps.length;
        const critique = falseAlarm(task, step, lastWord(steps[step]?.text));
        const refined = criticism.refine(task, answer, critique);
        const judged = criticism.judge(task, refined);
        expect(judged).toMatchObject({ right: false, firstWrong: step });
        expect(plain.criticism.refine(task, answer, critique)).toBe(answer);
      }),
    );
  });

  it('changes the answer line if a rejection names no step', () => {
    fc.assert(
      fc.property(tasks, (task) => {
        const answer = solutionOf(task);
        const options = { advice: 'value', step: null, verdict: false } as const;
        const refined = criticism.refine(task, answer, criticism.critique(task, answer, options));
        const { steps, right } = criticism.judge(task, refined);
        expect(right).toBe(false);
        expect(steps.slice(0, -1)).toEqual(criticism.judge(task, answer).steps.slice(0, -1));
      }),
    );
  });

  it('otherwise refines as the chain does', () => {
    fc.assert(
      fc.property(tasks, fc.nat(), fc.constantFrom(...criticism.values), (task, at, value) => {
        const answer = solutionOf(task);
        const { steps } = criticism.judge(task, answer);
        const step = at % steps.length;
        const critiques = [
          criticism.critique(task, answer, { advice: 'value' }),
          'not a critique',
          ...(value === lastWord(steps[step]?.text) ? [] : [falseAlarm(task, step, value)]),
        ];
        for (const critique of critiques) {
          expect(criticism.refine(task, answer, critique)).toBe(
            plain.criticism.refine(task, answer, critique),
          );
        }
      }),
    );
  });
});
