/** The tools of the to-do list. */

import { type Result, text, tool, truth } from '../core/tool.ts';
import { getDate, getLocation } from '../core/user.ts';
import { DATES, type Item, PROJECT_IDS, type Project, TASK_IDS, type TodoWorld } from './world.ts';

export const NO_PROJECT = 'Error: there is no project with this id.';
export const NO_TASK = 'Error: there is no task with this id.';
export const NO_DATE = 'Error: there is no such date.';

const DONE = { completed: 'completed', updated: 'updated', deleted: 'deleted' } as const;

/** Replies of the tools that are not part of the database. */
export const MESSAGES = Object.values(DONE);

const projectId = text('id of a project', PROJECT_IDS);
const taskId = text('id of a task', TASK_IDS);

/** Replaces one project; an error if it does not exist. */
function changeProject(
  world: TodoWorld,
  id: string,
  change: (project: Project) => Project,
): Result<TodoWorld> {
  const before = world.projects.find((project) => project.id === id);
  if (before === undefined) return { error: NO_PROJECT };
  const after = change(before);
  const reply = shownProject(after);
  if (isSame(before, after)) return { reply };
  const projects = world.projects.map((project) => (project === before ? after : project));
  return { reply, world: { ...world, projects } };
}

/** Whether a change has no effect. */
function isSame<T extends object>(before: T, after: T): boolean {
  return Object.entries(after).every(([key, value]) => before[key as keyof T] === value);
}

const shownProject = ({ id, name, is_favorite }: Project) => ({ id, name, is_favorite });

const shownTask = ({ id, content, is_completed, priority, due_date }: Item) => ({
  id,
  content,
  is_completed,
  priority,
  due_date,
});

const find = ({ projects }: TodoWorld, id: string): Item | undefined =>
  projects.flatMap(({ tasks }) => tasks).find((task) => task.id === id);

/** Replaces or removes one task. */
function changeTask(
  world: TodoWorld,
  id: string,
  message: string,
  change: (task: Item) => Item | null,
): Result<TodoWorld> {
  const before = find(world, id);
  if (before === undefined) return { error: NO_TASK };
  const after = change(before);
  const reply = { message, task: shownTask(after ?? before) };
  if (after !== null && isSame(before, after)) return { reply };
  const projects = world.projects.map((project) =>
    project.tasks.includes(before)
      ? {
          ...project,
          tasks: project.tasks.flatMap((task) => (task === before ? (after ?? []) : task)),
        }
      : project,
  );
  return { reply, world: { ...world, projects } };
}

export const date = getDate<TodoWorld>();

export const projects = tool({
  name: 'get_projects',
  description: 'lists all projects',
  parameters: {},
  run: (world: TodoWorld) => ({ reply: world.projects.map(shownProject) }),
});

export const favourite = tool({
  name: 'update_project',
  description: 'makes a project a favourite, or no longer one',
  parameters: { project_id: projectId, is_favorite: truth('whether it is a favourite') },
  run: (world: TodoWorld, { project_id, is_favorite }) =>
    changeProject(world, project_id, (project) => ({ ...project, is_favorite })),
});

export const tasks = tool({
  name: 'get_tasks',
  description: 'lists the tasks of a project',
  parameters: { project_id: projectId },
  run(world: TodoWorld, { project_id }) {
    const project = world.projects.find(({ id }) => id === project_id);
    return project === undefined ? { error: NO_PROJECT } : { reply: project.tasks.map(shownTask) };
  },
});

export const description = tool({
  name: 'get_task_description',
  description: 'tells more of a task',
  parameters: { task_id: taskId },
  run(world: TodoWorld, { task_id }) {
    const task = find(world, task_id);
    return task === undefined ? { error: NO_TASK } : { reply: { description: task.description } };
  },
});

export const duration = tool({
  name: 'get_task_duration',
  description: 'tells how many minutes a task takes',
  parameters: { task_id: taskId },
  run(world: TodoWorld, { task_id }) {
    const task = find(world, task_id);
    return task === undefined ? { error: NO_TASK } : { reply: { minutes: task.minutes } };
  },
});

export const complete = tool({
  name: 'complete_task',
  description: 'marks a task as completed',
  parameters: { task_id: taskId },
  run: (world: TodoWorld, { task_id }) =>
    changeTask(world, task_id, DONE.completed, (task) => ({ ...task, is_completed: true })),
});

export const reschedule = tool({
  name: 'update_task',
  description: 'sets the date on which a task is due',
  parameters: { task_id: taskId, due_date: text('a date', DATES) },
  run: (world: TodoWorld, { task_id, due_date }) =>
    DATES.includes(due_date)
      ? changeTask(world, task_id, DONE.updated, (task) => ({ ...task, due_date }))
      : { error: NO_DATE },
});

export const remove = tool({
  name: 'delete_task',
  description: 'deletes a task',
  parameters: { task_id: taskId },
  run: (world: TodoWorld, { task_id }) => changeTask(world, task_id, DONE.deleted, () => null),
});

export const todoTools = [
  ...[date, getLocation<TodoWorld>(), projects, favourite, tasks, description, duration],
  ...[complete, reschedule, remove],
];
