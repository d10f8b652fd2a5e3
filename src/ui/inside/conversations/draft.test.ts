import { describe, expect, it } from 'vitest';
import { isCriticizable } from '../../../agents/modes/prompts.ts';
import { loadedEnvironment } from '../../../envs/registry.ts';
import { emptyDraft, verdictOf, written } from './draft.ts';
import { changedLines, labelTruth, see } from './reading.ts';

const made = async (id: string) => {
  const environment = await loadedEnvironment({ id, options: {}, mixture: [] });
  if (!isCriticizable(environment)) throw new Error(`${id} can be criticized`);
  const [task = ''] = environment.trainTasks;
  const right = environment.expert(environment.reset(task).state).action;
  return { environment, criticism: environment.criticism, task, right };
};
const { environment, criticism, task, right } = await made('reasoning/chain-v1');
const wrong = criticism.finish(task, criticism.flawed(task, 0, 'result', () => 0) ?? '');
const about = { task, answer: wrong };

describe('the user’s critique', () => {
  it('equals the oracle’s critique if its labels and verdict are the same', () => {
    const [due = ''] = criticism.judge(task, right).steps[0]?.text.split(' ').slice(-1) ?? [];
    const draft = { bad: { step: 0, fault: 'result', value: due }, verdict: null } as const;
    const critique = criticism.critique(task, wrong, { advice: 'value' });
    expect(written(criticism, about, draft, 'value')).toEqual({ critique });
    const all = criticism.critique(task, right, { advice: 'value' });
    expect(written(criticism, { task, answer: right }, emptyDraft, 'value')).toEqual({
      critique: all,
    });
  });

  it('allows a verdict that does not follow from its steps', () => {
    expect([verdictOf(emptyDraft), verdictOf({ bad: null, verdict: false })]).toEqual([
      true,
      false,
    ]);
    const found = written(criticism, about, { bad: null, verdict: false }, 'value');
    const read = 'critique' in found ? criticism.read(found.critique) : null;
    expect(read).toMatchObject({ right: false, step: null });
  });

  it('requires a valid value if the advice includes one', () => {
    const say = (value: string, advice: 'value' | 'type') =>
      written(
        criticism,
        about,
        { bad: { step: 1, fault: 'result', value }, verdict: null },
        advice,
      );
    expect(say(' ', 'value')).toEqual({
      problem: 'Enter the correct value of the step that you call wrong.',
    });
    expect(say('99', 'value')).toMatchObject({
      problem: expect.stringMatching(/is not a possible value of this step/),
    });
    expect(say('', 'type')).toMatchObject({ critique: expect.stringMatching(/bad result wrong$/) });
  });

  it('accepts the answer to a column addition, which critiques write digit by digit', async () => {
    const columns = await made('reasoning/columns-v1');
    const { steps } = columns.criticism.judge(columns.task, columns.right);
    const value = columns.criticism.final(columns.right) ?? '';
    const draft = {
      bad: { step: steps.length - 1, fault: 'answer', value },
      verdict: null,
    } as const;
    const answer = { task: columns.task, answer: columns.right };
    expect(written(columns.criticism, answer, draft, 'value')).toMatchObject({
      critique: expect.stringMatching(/wrong$/),
    });
  });
});

describe('a displayed conversation', () => {
  const critique = criticism.critique(task, wrong, { advice: 'value' });

  it('states whether the verdict is true and how the answer changed', () => {
    const seen = see(environment, { ...about, critique, refinement: right });
    expect(seen).toMatchObject({ right: false, verdict: 'true', refined: true });
    expect(seen.flip).toBe('wrong-right');
    expect(seen.changed.has(0)).toBe(true);
    expect(seen.remarks).toHaveLength(1);
    const spoilt = see(environment, { task, answer: right, critique: 'wrong', refinement: wrong });
    expect([spoilt.flip, spoilt.verdict]).toEqual(['right-wrong', 'false']);
    const open = see(environment, { ...about, critique: 'ok ok', refinement: null });
    expect([open.flip, open.verdict]).toEqual(['open', 'malformed']);
    expect(see(environment, { ...about, critique: null, refinement: null }).verdict).toBe('none');
  });

  it('distinguishes a missed error from a false alarm, and accepts “ok” for a step that follows from an earlier error', () => {
    const truth = (label: 'ok' | 'bad', verdict: 'right' | 'wrong' | 'carried') =>
      labelTruth(
        { label, own: null, fault: null, value: null },
        { text: '', verdict, fault: null },
      );
    expect([truth('ok', 'right'), truth('ok', 'carried'), truth('bad', 'wrong')]).toEqual([
      ...['right', 'right', 'right'],
    ]);
    expect([truth('ok', 'wrong'), truth('bad', 'right')]).toEqual(['missed', 'alarm']);
  });

  it('marks changed and added lines', () => {
    const lines = (...texts: string[]) =>
      texts.map((text) => ({ text, verdict: 'right', fault: null }) as const);
    expect([...changedLines(lines('a', 'b'), lines('a', 'c', 'd'))]).toEqual([1, 2]);
  });
});
