import type { Kit, Table } from '../core/kit.ts';
import { DONE } from '../core/plans.ts';
import { TOWNS } from '../core/user.ts';
import { todoId } from '../options.ts';
import { repair, templates, thoughts } from './templates.ts';
import { MESSAGES, NO_DATE, NO_PROJECT, NO_TASK, todoTools } from './tools.ts';
import * as world from './world.ts';

const COUNTS = Array.from({ length: 6 }, (_, n) => n);
const SUMS = Array.from({ length: world.MOST_MINUTES / 5 + 1 }, (_, n) => 5 * n);

/** At most five projects, one table each. */
function tables({ projects }: world.TodoWorld): readonly Table[] {
  return projects.map(({ id, name, is_favorite, tasks }) => ({
    key: id,
    title: `${id} ${name}${is_favorite ? ' ★' : ''}`,
    columns: ['id', 'task', 'done', 'priority', 'due', 'minutes'],
    rows: tasks.map((task) => ({
      key: task.id,
      marks: [task.id],
      cells: [
        ...[task.id, task.content, task.is_completed ? '✓' : '–'],
        ...[String(task.priority), task.due_date, String(task.minutes)],
      ],
    })),
  }));
}

export const todo: Kit<world.TodoWorld> = {
  id: todoId,
  name: 'todo',
  role: 'look after a to-do list of projects and their tasks',
  turnLimit: 15,
  tools: todoTools,
  templates,
  draw: world.drawTodo,
  errors: [NO_PROJECT, NO_TASK, NO_DATE],
  thoughts,
  replies: [
    ['date'],
    ['location'],
    ['id', 'name', 'is_favorite'],
    ['id', 'content', 'is_completed', 'priority', 'due_date'],
    ['description'],
    ['minutes'],
    ['message', 'task'],
  ],
  values: [
    ...[true, false],
    ...new Set([...COUNTS, ...SUMS]),
    ...world.DATES,
    ...world.PROJECT_IDS,
    ...world.TASK_IDS,
    ...world.PROJECT_NAMES,
    ...world.CONTENTS,
    ...world.DESCRIPTIONS,
    ...MESSAGES,
    ...TOWNS,
  ],
  answers: [DONE],
  repair,
  tables,
};
