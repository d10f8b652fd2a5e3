import { describe, expect, it } from 'vitest';
import { createEnvironment, environmentFor, loadEnvironments } from '../envs/registry.ts';
import { critiqueLimits } from '../files/limits.ts';
import { readCritiqueLines, readCritiques } from './critique-file.ts';
import { type CritiqueItem, critiqueLines } from './critique-item.ts';

await loadEnvironments();
const steps3 = { id: 'reasoning/chain-v1', options: { steps: 3 }, mixture: [] };
const chain = createEnvironment(steps3.id, steps3.options);
const [task = '', other = ''] = chain.trainTasks;
const item = (of: string, change: Partial<CritiqueItem> = {}): CritiqueItem => ({
  ...{ task: of, level: 1, question: chain.reset(of).observation, answer: 'answer 1' },
  ...{ right: false, step: 0, fault: 'missing', source: 'sampled', from: null },
  ...{ critique: 'wrong', true: true, filter: null },
  ...change,
});
const file = (...items: readonly object[]) => items.map((one) => JSON.stringify(one)).join('\n');

describe('a critique data set', () => {
  it('is read back unchanged', () => {
    const items = [item(task), item(other, { right: true, step: null, fault: null })];
    const text = [...critiqueLines(items)].join('');
    expect(readCritiqueLines(text)).toEqual(items);
    expect(readCritiqueLines(`\uFEFF${text.replaceAll('\n', '\r\n\r\n')}`)).toEqual(items);
  });

  it('is matched to an environment by its questions, trying the current environment first', () => {
    const text = file(item(task), item(other));
    expect(readCritiques(text, [steps3]).environment).toEqual(steps3);
    expect(readCritiques(text, []).environment).toBe(null);
    const moved = file(item(task), item(other, { question: chain.reset(task).observation }));
    expect(readCritiques(moved, [steps3]).environment).toBe(null);
    const standard = createEnvironment('reasoning/ledger-v1');
    const [first = ''] = standard.trainTasks;
    const question = standard.reset(first).observation;
    expect(
      readCritiques(file(item(task, { task: first, question })), [steps3]).environment,
    ).toEqual({
      id: 'reasoning/ledger-v1',
      options: {},
      mixture: [],
    });
  });

  it('is matched to the mixture of the current run', () => {
    const parts = ['reasoning/chain-v1', 'reasoning/ledger-v1'];
    const part = { options: {}, share: 1, imitation_weight: 1 };
    const settings = { ...steps3, mixture: parts.map((id) => ({ id, ...part })) };
    const mixture = environmentFor(settings);
    const items = [mixture.trainTasks[0] ?? '', mixture.trainTasks.at(-1) ?? ''].map((name) =>
      item(task, { task: name, question: mixture.reset(name).observation }),
    );
    expect(readCritiques(file(...items), [settings]).environment).toEqual(settings);
    expect(readCritiques(file(...items), [steps3]).environment).toBe(null);
  });

  it('is read while the current run uses an environment that cannot be created', () => {
    const present = ['remote/openenv-v1', 'written/python-v1'].map((id) => ({
      ...{ id, options: {}, mixture: [] },
    }));
    expect(readCritiques(file(item(task)), [...present, steps3]).environment).toEqual(steps3);
  });

  it.each([
    ['', /no items; a critique data set has one JSON object per line/],
    ['[]', /^Line 1 must be an object/],
    ['{"task":', /^Line 1 is not JSON/],
    [`${file(item(task))}\n\n{}`, /^Line 3: task must be a task id/],
    [file({ ...item(task), right: 'yes' }), /^Line 1: right must be true or false/],
    [file({ ...item(task), fault: 'odd' }), /^Line 1: fault must be one of form, operand/],
    [
      file({ ...item(task), filter: { right: -1, of: 2 } }),
      /^Line 1: filter\.right must be at least 0/,
    ],
    [
      file({ ...item(task), extra: 1 }),
      /^Line 1 must be an object with the fields of an item and no others/,
    ],
    [
      file({ ...item(task), answer: 'a'.repeat(critiqueLimits.characters + 1) }),
      /more than 16000 char/,
    ],
    [JSON.stringify({ a: [[[]]] }), /^Line 1 (nests|has)/],
  ])('is rejected with an error that names the line and the field: %#', (text, problem) => {
    expect(() => readCritiqueLines(text)).toThrow(problem);
  });
});
