/** The goals of the to-do list, rung by rung. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { greatest, oneOf } from '../../draws.ts';
import type { Plan, Template } from '../core/kit.ts';
import type { Fillings } from '../core/pattern.ts';
import { toDo, toTell } from '../core/plans.ts';
import type { PlannedCall } from '../core/tool.ts';
import * as tools from './tools.ts';
import { DATES, type Item, PRIORITIES, type Project, type TodoWorld } from './world.ts';

const why = {
  given: 'The goal gives the id {id}.',
  projectOf: 'I need the id of the project {name}.',
  project: 'The project {name} has the id {id}.',
  task: 'The task {content} has the id {id}.',
  today: 'I need to know which day is today.',
  minutesOf: 'I need to know how long the task {id} takes.',
  each: 'The task {id} is one of them.',
  done: 'That was all the goal asks for.',
  found: 'The reply says {answer}.',
  first: 'The task {answer} is due first.',
  urgent: 'The task {answer} is the most urgent one.',
  longest: 'The task {answer} takes longest.',
  count: 'I count {answer}.',
  sum: 'Together they take {answer}.',
  mend: 'This was changed though the goal does not ask for it.',
} as const;

export const thoughts: readonly string[] = Object.values(why);

type Draw = (world: TodoWorld, random: RandomGenerator) => Plan | null;

const everyTask = ({ projects }: TodoWorld): readonly Item[] =>
  projects.flatMap(({ tasks }) => tasks);

const done = (fillings: Fillings, calls: readonly PlannedCall[]): Plan =>
  toDo(fillings, calls, why.done);

const answerPlan = (
  fillings: Fillings,
  calls: readonly PlannedCall[],
  answer: string | number,
  thought: string = why.found,
): Plan => toTell(fillings, calls, answer, thought);

/** The calls that find a project by its name and list its tasks. */
const wayTo = ({ id, name }: Project): readonly PlannedCall[] => [
  tools.projects.plan({}, why.projectOf, { name }),
  tools.tasks.plan({ project_id: id }, why.project, { name, id }),
];

// --- Rung one: the goal gives the id ---------------------------------------------------------------

/** Draws a goal about a task that is given by its id. */
const ofTask =
  (plan: (task: Item, random: RandomGenerator) => Plan | null): Draw =>
  (world, random) =>
    plan(oneOf(everyTask(world), random), random);

const given: readonly Template<TodoWorld>[] = [
  {
    rung: 'one',
    goal: 'How many minutes does the task {task} take?',
    plan: ofTask(({ id, minutes }) =>
      answerPlan({ task: id }, [tools.duration.plan({ task_id: id }, why.given, { id })], minutes),
    ),
  },
  {
    rung: 'one',
    goal: 'What is the description of the task {task}?',
    plan: ofTask(({ id, description }) =>
      answerPlan(
        { task: id },
        [tools.description.plan({ task_id: id }, why.given, { id })],
        description,
      ),
    ),
  },
  {
    rung: 'one',
    goal: 'Complete the task {task}.',
    plan: ofTask(({ id, is_completed }) =>
      is_completed
        ? null
        : done({ task: id }, [tools.complete.plan({ task_id: id }, why.given, { id })]),
    ),
  },
  {
    rung: 'one',
    goal: 'Delete the task {task}.',
    plan: ofTask(({ id }) =>
      done({ task: id }, [tools.remove.plan({ task_id: id }, why.given, { id })]),
    ),
  },
  {
    rung: 'one',
    goal: 'Set the due date of the task {task} to {date}.',
    plan: ofTask(({ id, due_date }, random) => {
      const date = oneOf(DATES, random);
      const call = tools.reschedule.plan({ task_id: id, due_date: date }, why.given, { id });
      return date === due_date ? null : done({ task: id, date }, [call]);
    }),
  },
  ...[true, false].map(
    (wanted): Template<TodoWorld> => ({
      rung: 'one',
      goal: wanted
        ? 'Make the project {project} a favourite.'
        : 'Make the project {project} no longer a favourite.',
      plan({ projects }, random) {
        const { id, is_favorite } = oneOf(projects, random);
        const args = { project_id: id, is_favorite: wanted };
        return is_favorite === wanted
          ? null
          : done({ project: id }, [tools.favourite.plan(args, why.given, { id })]);
      },
    }),
  ),
];

// --- Rung two: by names of projects and tasks ---------------------------------------------------------

/** Draws a goal about a task that is given by its name and the name of its project. */
const named =
  (plan: (task: Item, fillings: Fillings, way: readonly PlannedCall[]) => Plan | null): Draw =>
  ({ projects }, random) => {
    const project = oneOf(projects, random);
    const task = oneOf(project.tasks, random);
    return plan(task, { task: task.content, project: project.name }, wayTo(project));
  };

const chains: readonly Template<TodoWorld>[] = [
  {
    rung: 'two',
    goal: 'When is the task {task} of the project {project} due?',
    plan: named(({ due_date }, fillings, way) => answerPlan(fillings, way, due_date)),
  },
  {
    rung: 'two',
    goal: 'Which priority has the task {task} of the project {project}?',
    plan: named(({ priority }, fillings, way) => answerPlan(fillings, way, priority)),
  },
  {
    rung: 'two',
    goal: 'How many minutes does the task {task} of the project {project} take?',
    plan: named(({ id, content, minutes }, fillings, way) =>
      answerPlan(
        fillings,
        [...way, tools.duration.plan({ task_id: id }, why.task, { content, id })],
        minutes,
      ),
    ),
  },
  {
    rung: 'two',
    goal: 'Complete the task {task} of the project {project}.',
    plan: named(({ id, content, is_completed }, fillings, way) =>
      is_completed
        ? null
        : done(fillings, [...way, tools.complete.plan({ task_id: id }, why.task, { content, id })]),
    ),
  },
  {
    rung: 'two',
    goal: 'Delete the task {task} of the project {project}.',
    plan: named(({ id, content }, fillings, way) =>
      done(fillings, [...way, tools.remove.plan({ task_id: id }, why.task, { content, id })]),
    ),
  },
];

// --- Rung three: comparing, counting, adding up -------------------------------------------------------

/** Draws a goal about all tasks of a project that is given by its name. */
const ofProject =
  (plan: (project: Project, random: RandomGenerator) => Plan | null): Draw =>
  ({ projects }, random) =>
    plan(oneOf(projects, random), random);

/** The calls that look up the duration of each task of a project. */
const durations = ({ tasks }: Project): readonly PlannedCall[] =>
  tasks.map(({ id }) => tools.duration.plan({ task_id: id }, why.minutesOf, { id }));

const comparisons: readonly Template<TodoWorld>[] = [
  {
    rung: 'three',
    goal: 'How many tasks of the project {project} are not completed?',
    plan: ofProject((project) =>
      answerPlan(
        { project: project.name },
        wayTo(project),
        project.tasks.filter(({ is_completed }) => !is_completed).length,
        why.count,
      ),
    ),
  },
  {
    rung: 'three',
    goal: 'Which task of the project {project} is due first?',
    plan: ofProject((project) => {
      const first = greatest(project.tasks, ({ due_date }) => -DATES.indexOf(due_date));
      return first === null
        ? null
        : answerPlan({ project: project.name }, wayTo(project), first.content, why.first);
    }),
  },
  {
    rung: 'three',
    goal: 'Which task of the project {project} is the most urgent one?',
    plan: ofProject((project) => {
      const urgent = greatest(project.tasks, ({ priority }) => priority);
      return urgent === null
        ? null
        : answerPlan({ project: project.name }, wayTo(project), urgent.content, why.urgent);
    }),
  },
  {
    rung: 'three',
    goal: 'Which task of the project {project} takes longest?',
    plan: ofProject((project) => {
      const longest = greatest(project.tasks, ({ minutes }) => minutes);
      return longest === null
        ? null
        : answerPlan(
            { project: project.name },
            [...wayTo(project), ...durations(project)],
            longest.content,
            why.longest,
          );
    }),
  },
  {
    rung: 'three',
    goal: 'How many minutes do the tasks of the project {project} take together?',
    plan: ofProject((project) =>
      answerPlan(
        { project: project.name },
        [...wayTo(project), ...durations(project)],
        project.tasks.reduce((sum, { minutes }) => sum + minutes, 0),
        why.sum,
      ),
    ),
  },
];

// --- Rung four: several changes -----------------------------------------------------------------------

/** The same change to each of these tasks; null if there are no tasks. */
function each(
  tasks: readonly Item[],
  change: (task: Item) => PlannedCall,
): readonly PlannedCall[] | null {
  return tasks.length === 0 ? null : tasks.map(change);
}

const completed = ({ id }: Item) => tools.complete.plan({ task_id: id }, why.each, { id });

const several: readonly Template<TodoWorld>[] = [
  {
    rung: 'four',
    goal: 'Complete every task of the project {project} that has the priority {priority}.',
    plan: ofProject((project, random) => {
      const priority = oneOf(PRIORITIES, random);
      const open = project.tasks.filter((task) => !task.is_completed && task.priority === priority);
      const calls = each(open, completed);
      return calls && done({ project: project.name, priority }, [...wayTo(project), ...calls]);
    }),
  },
  {
    rung: 'four',
    goal: 'Delete every completed task of the project {project}.',
    plan: ofProject((project) => {
      const calls = each(
        project.tasks.filter(({ is_completed }) => is_completed),
        ({ id }) => tools.remove.plan({ task_id: id }, why.each, { id }),
      );
      return calls && done({ project: project.name }, [...wayTo(project), ...calls]);
    }),
  },
  {
    rung: 'four',
    goal: 'Set every task of the project {project} that is due before {date} to that date.',
    plan: ofProject((project, random) => {
      const date = oneOf(DATES, random);
      const calls = each(
        project.tasks.filter(({ due_date }) => due_date < date),
        ({ id }) => tools.reschedule.plan({ task_id: id, due_date: date }, why.each, { id }),
      );
      return calls && done({ project: project.name, date }, [...wayTo(project), ...calls]);
    }),
  },
  {
    rung: 'four',
    goal: 'Complete every task of the project {project} that was due before today, and say how many.',
    plan({ projects, today }, random) {
      const project = oneOf(projects, random);
      const late = project.tasks.filter((task) => !task.is_completed && task.due_date < today);
      const calls = each(late, completed);
      return (
        calls &&
        answerPlan(
          { project: project.name },
          [tools.date.plan({}, why.today), ...wayTo(project), ...calls],
          calls.length,
          why.count,
        )
      );
    },
  },
];

/** Undoes an unwanted change of a due date or a favorite flag; other changes cannot be undone. */
export function repair(world: TodoWorld, wanted: TodoWorld): PlannedCall | null {
  for (const project of wanted.projects) {
    const { id, is_favorite } = project;
    const now = world.projects.find((other) => other.id === id);
    if (now === undefined || now === project) continue;
    if (now.is_favorite !== is_favorite) {
      return tools.favourite.plan({ project_id: id, is_favorite }, why.mend);
    }
    for (const { id: task_id, due_date } of project.tasks) {
      const task = now.tasks.find((other) => other.id === task_id);
      if (task !== undefined && task.due_date !== due_date) {
        return tools.reschedule.plan({ task_id, due_date }, why.mend);
      }
    }
  }
  return null;
}

export const templates: readonly Template<TodoWorld>[] = [
  ...given,
  ...chains,
  ...comparisons,
  ...several,
];
