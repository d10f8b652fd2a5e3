import { describe, expect, it } from 'vitest';
import { createReasoning } from './environment.ts';
import { chainCourse } from './families.ts';
import { writeMonologue } from './monologues.ts';
import { reasoningScene } from './scene.ts';

const chain = createReasoning(chainCourse());
const { criticism } = chain;
if (criticism === undefined) throw new Error('chains can be criticized');
// A task with three steps, and its correct solution step by step.
const task = chain.trainTasks.find((one) => criticism.level(one) === 2) ?? '';
const right = chain.expert(chain.reset(task).state).action;
const steps = criticism.judge(task, right).steps.map(({ text }) => text);
const [s1 = '', s2 = '', s3 = '', answer = ''] = steps;
const begun = criticism.flawed(task, 1, 'result', () => 0) ?? '';
const wrong = criticism.finish(task, begun);
const bad2 = begun.slice(s1.length + 1);

describe('monologue', () => {
  it('labels every step of a correct first answer as ok', () => {
    expect(writeMonologue([{ answer: right, wrong: null }])).toBe(
      `${s1} ok ${s2} ok ${s3} ok ${answer}`,
    );
  });

  it('labels the wrong step as bad and continues with its correction', () => {
    const versions = [
      { answer: wrong, wrong: 1 },
      { answer: right, wrong: null },
    ];
    expect(writeMonologue(versions)).toBe(`${s1} ok ${bad2} bad ${s2} ok ${s3} ok ${answer}`);
    // Corrected twice: at the second step, then at the third.
    const third = criticism.flawed(task, 2, 'result', () => 0) ?? '';
    const bad3 = third.slice(`${s1} ${s2} `.length);
    const twice = [
      { answer: wrong, wrong: 1 },
      { answer: criticism.finish(task, third), wrong: 2 },
      { answer: right, wrong: null },
    ];
    expect(writeMonologue(twice)).toBe(
      `${s1} ok ${bad2} bad ${s2} ok ${bad3} bad ${s3} ok ${answer}`,
    );
  });

  it('is null if a version changes earlier steps, or if it has no step to withdraw', () => {
    const last = { answer: right, wrong: null };
    const other = criticism.finish(task, criticism.flawed(task, 0, 'result', () => 0) ?? '');
    expect(writeMonologue([{ answer: other, wrong: 1 }, last])).toBeNull();
    expect(writeMonologue([{ answer: wrong, wrong: null }, last])).toBeNull();
    expect(writeMonologue([{ answer: wrong, wrong: 9 }, last])).toBeNull();
    // The answer line cannot be withdrawn.
    expect(writeMonologue([{ answer: right, wrong: 3 }, last])).toBeNull();
    expect(writeMonologue([{ answer: wrong, wrong: 1 }])).toBeNull();
    expect(writeMonologue([])).toBeNull();
  });

  it('is judged, scored and drawn without its withdrawn steps', () => {
    const text = `${s1} ok ${bad2} bad ${s2} ok ${s3} ok ${answer}`;
    expect(criticism.judge(task, text)).toEqual(criticism.judge(task, right));
    expect(criticism.final(text)).toBe(criticism.final(right));
    const { state, reward, understood } = chain.step(chain.reset(task).state, text);
    expect({ reward, understood }).toEqual({ reward: 1, understood: true });
    const lines = reasoningScene(chain.id, {}, state).lines.map(({ verdict }) => verdict);
    expect(lines).toEqual(['right', 'right', 'right', 'right']);
  });

  it('is wrong if a withdrawn step is not replaced, or the last version of a step is wrong', () => {
    const missing = `${s1} ok ${bad2} bad ${s3} ok ${answer}`;
    expect(criticism.judge(task, missing)).toMatchObject({ firstWrong: 1 });
    expect(criticism.judge(task, missing).steps[1]?.fault).toBe('missing');
    const praised = `${s1} ok ${bad2} ok ${criticism.finish(task, begun).slice(begun.length + 1)}`;
    expect(criticism.judge(task, praised)).toMatchObject({ right: false, firstWrong: 1 });
    // The last version counts, even if it is the wrong one.
    const undone = `${s1} ok ${s2} bad ${bad2} ok ${wrong.slice(begun.length + 1)}`;
    expect(criticism.judge(task, undone)).toMatchObject({ right: false, firstWrong: 1 });
  });
});
