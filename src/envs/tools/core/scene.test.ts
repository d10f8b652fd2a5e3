import { describe, expect, it } from 'vitest';
import type { Environment } from '../../types.ts';
import { families } from '../index.ts';
import { deskFor, kits } from '../kits.ts';
import { todoId } from '../options.ts';
import type { ToolsState } from './episode.ts';
import { describeScene, isToolsState, type ToolsScene, toolsScene } from './scene.ts';

/** The scenes of the expert's episode, including the start. */
function scenes(
  id: string,
  rung: string,
  task: string,
  said: readonly string[] = [],
): ToolsScene[] {
  const family = families.find((candidate) => candidate.id === id);
  const desk = deskFor(id, { rung });
  if (family === undefined || desk === undefined) throw new Error(`there is no ${id}`);
  const environment = family.create({ rung }) as Environment<ToolsState>;
  let { state } = environment.reset(task);
  const drawn = [toolsScene(desk, state)];
  for (let turn = 0, over = false; !over; turn++) {
    const text = said[turn] ?? environment.expert(state).action;
    ({ state, terminated: over } = environment.step(state, text));
    drawn.push(toolsScene(desk, state));
  }
  return drawn;
}

const rowStates = (scene: ToolsScene | undefined, key: string) =>
  scene?.tables.flatMap(({ rows }) => rows.filter((row) => row.key === key))[0]?.state;

describe('to-do list scene', () => {
  it('shows the goal with its values, calls with arguments, and the content of replies', () => {
    const [start, asked, told] = scenes(todoId, 'one', 'todo_0');
    expect(start?.goal.filter(({ value }) => value)).toEqual([{ text: '"t9"', value: true }]);
    expect(start?.turns).toEqual([]);
    expect(rowStates(start, 't9')).toBe('read');
    const rows = start?.tables.flatMap((table) => table.rows) ?? [];
    expect(rows.some((row) => row.state === 'unread')).toBe(true);
    expect(asked?.turns).toEqual([
      {
        kind: 'reply',
        name: 'get_task_duration',
        args: [{ name: 'task_id', value: '"t9"' }],
        reply: ['{"minutes": 5}'],
      },
    ]);
    expect(told).toMatchObject({ outcome: 'success', answer: '5', truth: null });
  });

  it('marks the changes made by a call, and all changes at the end', () => {
    const [, completed] = scenes(todoId, 'one', 'todo_2');
    expect(rowStates(completed, 't16')).toBe('changed');
    const [, deleted, after] = scenes(todoId, 'one', 'todo_3', [
      'delete_task with Action Input: {"task_id": "t25"}',
      'get_projects with Action Input: {}',
    ]);
    expect(rowStates(deleted, 't25')).toBe('gone');
    expect(rowStates(after, 't25')).toBeUndefined();
    expect(rowStates(scenes(todoId, 'one', 'todo_3').at(-1), 't25')).toBe('gone');
    const [, favorite] = scenes(todoId, 'one', 'todo_5');
    expect(favorite?.tables.filter(({ changed }) => changed)).toHaveLength(1);
  });

  it('marks, at the end, the rows that the answer is based on', () => {
    const end = scenes(todoId, 'two', 'todo_0').at(-1);
    const read = end?.tables.flatMap(({ rows }) => rows.filter(({ state }) => state === 'reading'));
    expect(read?.length).toBeGreaterThan(0);
    expect(end?.outcome).toBe('success');
  });

  it('shows what a failed episode missed', () => {
    const wrong = scenes(todoId, 'one', 'todo_2', [
      'dance\u0007',
      'get_tasks with Action Input: {"project_id": "nowhere"}',
      'finish with Action Input: {"answer": "done"}',
    ]);
    expect(wrong.at(-1)?.turns.map(({ kind }) => kind)).toEqual([
      'not understood',
      'error',
      'finish',
    ]);
    expect(wrong[1]?.turns[0]?.name).toBe('dance ');
    expect(wrong.at(-1)).toMatchObject({ outcome: 'missed', worldDiffers: true, truth: '"done"' });
    const idle = scenes(todoId, 'one', 'todo_2', Array<string>(15).fill('wait'));
    expect(idle.at(-1)).toMatchObject({ outcome: 'out of turns', answer: null });
  });

  it('has a text description', () => {
    const [, completed, done] = scenes(todoId, 'one', 'todo_2').map(describeScene);
    expect(completed).toContain('Goal: Complete the task "t16". Called complete_task with task_id');
    expect(completed).toMatch(/In p\d+ \w+.*: 1 changed\. Turn 1 of 15\.$/);
    expect(done).toContain('The agent answered "done": the goal is reached.');
  });
});

describe.each(kits)('$id scene', ({ id, name }) => {
  it('has rows with unique keys and as many cells as columns', () => {
    for (let n = 0; n < 40; n++) {
      for (const { tables } of scenes(id, 'all', `${name}_${n}`)) {
        const keys = tables.flatMap(({ title, rows }) => rows.map(({ key }) => `${title} ${key}`));
        expect(new Set(keys).size).toBe(keys.length);
        for (const { columns, rows } of tables) {
          for (const { cells } of rows) expect(cells).toHaveLength(columns.length);
        }
      }
    }
  });
});

describe('isToolsState', () => {
  it('recognizes states by their fields', () => {
    const state = { task: 0, said: ['dance'] };
    expect(isToolsState(structuredClone(state))).toBe(true);
    for (const foreign of [
      null,
      7,
      [],
      {},
      { ...state, task: 50_000 },
      { ...state, task: 0.5 },
      { ...state, said: 'dance' },
      { ...state, said: [1] },
      { ...state, said: ['x'.repeat(2000)] },
      { ...state, said: Array(101).fill('x') },
    ]) {
      expect(isToolsState(foreign), JSON.stringify(foreign)).toBe(false);
    }
    expect(deskFor('maze/double-t-v1', {})).toBeUndefined();
  });
});
