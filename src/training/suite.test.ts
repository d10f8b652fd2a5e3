import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { fast } from '../../scripts/tier.mjs';
import { presetConfig } from '../config/presets.ts';
import { begin } from '../envs/episode.ts';
import { loadEnvironments } from '../envs/registry.ts';
import { evaluationSuite, expertRecord, suiteEnvironments, suiteTasks } from './suite.ts';

beforeAll(() => loadEnvironments());

/** SHA-256 of the ids and first observations of all tasks, by version of the suite. */
const digests: Readonly<Record<number, string>> = {
  1: 'c640d8307abf73618fcaa522e7f7ed5c8edc26c0f2e59eaaa149485b3ece67b8',
};

describe('the evaluation suite', () => {
  it('has 128 tasks in each of the fifteen environments of one agent, except for 25 maze starts', () => {
    const { mixture } = presetConfig('generalist-15').env;
    expect(evaluationSuite.environments).toEqual(mixture.map(({ id }) => id));
    const counts = suiteEnvironments().map(({ environment }) => suiteTasks(environment).length);
    expect(counts).toEqual([25, ...Array.from({ length: 14 }, () => 128)]);
  });

  it.skipIf(fast)('has the tasks of its version', () => {
    const hash = createHash('sha256');
    for (const { environment } of suiteEnvironments()) {
      for (const task of suiteTasks(environment)) {
        hash.update(`${environment.id}\0${task}\0${begin(environment, task).observation}\0`);
      }
    }
    expect(hash.digest('hex')).toBe(digests[evaluationSuite.version]);
  });

  it('is disjoint from the tasks of the experts’ dialogues, except in the maze', () => {
    for (const { environment } of suiteEnvironments().slice(1)) {
      const training = new Set(environment.trainTasks);
      expect(suiteTasks(environment).filter((task) => training.has(task))).toEqual([]);
    }
  });
});

describe('expertRecord', () => {
  it('is a solved episode whose turns follow from each other', () => {
    const found = suiteEnvironments().find(({ environment }) => environment.id === 'tools/todo-v1');
    if (found === undefined) throw new Error('no to-do list');
    const [task = ''] = found.environment.trainTasks;
    const record = expertRecord(found.environment, task);
    expect(record).toMatchObject({ taskId: task, success: true, truncated: false });
    expect(record.turns.length).toBeGreaterThan(0);
    expect(record.turns[0]?.observation).toBe(begin(found.environment, task).observation);
    for (const { thought, understood } of record.turns) {
      expect(understood).toBe(true);
      expect(thought).not.toBe('');
    }
  });
});
