import { mersenne } from 'pure-rand/generator/mersenne';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../types.ts';
import type { ToolsState } from '../core/episode.ts';
import { families } from '../index.ts';
import { deskFor } from '../kits.ts';
import { todoId } from '../options.ts';
import { plansFor, runnerOf } from '../testing/plans.ts';
import { repair, templates } from './templates.ts';
import { NO_DATE, NO_PROJECT, NO_TASK, todoTools } from './tools.ts';
import { drawTodo, type Item, type TodoWorld } from './world.ts';

const item = (id: string, content: string, rest: Partial<Item> = {}): Item => ({
  id,
  content,
  is_completed: false,
  priority: 1,
  due_date: '2026-03-20',
  minutes: 10,
  description: 'at home',
  ...rest,
});

/** Two small projects. */
const world: TodoWorld = {
  today: '2026-03-10',
  location: 'Arvel',
  projects: [
    {
      id: 'p2',
      name: 'Garden',
      is_favorite: false,
      tasks: [
        item('t1', 'sow the beans', { due_date: '2026-03-08', priority: 4, minutes: 45 }),
        item('t2', 'trim the vine', { due_date: '2026-03-09', priority: 4, is_completed: true }),
        item('t3', 'water the roses', { due_date: '2026-03-10', minutes: 30 }),
      ],
    },
    { id: 'p5', name: 'Choir', is_favorite: true, tasks: [item('t9', 'learn the song')] },
  ],
};

const run = runnerOf<TodoWorld>(todoTools, world);

describe('to-do list API', () => {
  it('reads projects and tasks', () => {
    expect(run('get_user_current_date')).toEqual({ reply: { date: '2026-03-10' } });
    expect(run('get_user_current_location')).toEqual({ reply: { location: 'Arvel' } });
    expect(run('get_projects')).toEqual({
      reply: [
        { id: 'p2', name: 'Garden', is_favorite: false },
        { id: 'p5', name: 'Choir', is_favorite: true },
      ],
    });
    const song = { id: 't9', content: 'learn the song', is_completed: false, priority: 1 };
    expect(run('get_tasks', { project_id: 'p5' })).toEqual({
      reply: [{ ...song, due_date: '2026-03-20' }],
    });
    expect(run('get_task_description', { task_id: 't9' })).toEqual({
      reply: { description: 'at home' },
    });
    expect(run('get_task_duration', { task_id: 't1' })).toEqual({ reply: { minutes: 45 } });
  });

  it('changes one item and reports it', () => {
    const completed = run('complete_task', { task_id: 't1' });
    if ('error' in completed) throw new Error(completed.error);
    expect(completed.world?.projects[0]?.tasks[0]).toEqual({
      ...world.projects[0]?.tasks[0],
      is_completed: true,
    });
    expect(completed.world?.projects[1]).toBe(world.projects[1]);
    expect(completed.reply).toMatchObject({ message: 'completed', task: { id: 't1' } });
    const moved = run('update_task', { task_id: 't9', due_date: '2026-04-01' });
    expect(moved).toMatchObject({ reply: { task: { due_date: '2026-04-01' } } });
    const deleted = run('delete_task', { task_id: 't2' });
    if ('error' in deleted) throw new Error(deleted.error);
    expect(deleted.world?.projects[0]?.tasks.map(({ id }) => id)).toEqual(['t1', 't3']);
    expect(run('update_project', { project_id: 'p2', is_favorite: true })).toMatchObject({
      reply: { id: 'p2', is_favorite: true },
    });
  });

  it('reports unknown ids and invalid dates', () => {
    expect(run('get_tasks', { project_id: 'p9' })).toEqual({ error: NO_PROJECT });
    expect(run('update_project', { project_id: 'x', is_favorite: true })).toEqual({
      error: NO_PROJECT,
    });
    for (const name of ['get_task_description', 'get_task_duration', 'complete_task']) {
      expect(run(name, { task_id: 't8' })).toEqual({ error: NO_TASK });
    }
    expect(run('delete_task', { task_id: '' })).toEqual({ error: NO_TASK });
    expect(run('update_task', { task_id: 't9', due_date: 'tomorrow' })).toEqual({ error: NO_DATE });
  });
});

const plans = (goal: string) => plansFor(templates, goal, world);

describe('to-do list goal', () => {
  const toGarden = ['get_projects', 'get_tasks p2'];

  it('requires one call on rung one', () => {
    expect(plans('How many minutes does the task {task} take?').get('t1')).toEqual({
      calls: ['get_task_duration t1'],
      answer: 45,
    });
    expect([...plans('Complete the task {task}.').keys()].sort()).toEqual(['t1', 't3', 't9']);
    expect([...plans('Make the project {project} a favourite.')]).toEqual([
      ['p2', { calls: ['update_project p2 true'], answer: 'done' }],
    ]);
  });

  it('requires finding the task in its project on rung two', () => {
    const due = plans('When is the task {task} of the project {project} due?');
    expect(due.get('sow the beans Garden')).toEqual({ calls: toGarden, answer: '2026-03-08' });
    const remove = plans('Delete the task {task} of the project {project}.');
    expect(remove.get('water the roses Garden')).toEqual({
      calls: [...toGarden, 'delete_task t3'],
      answer: 'done',
    });
  });

  it('requires comparing, counting and adding up on rung three', () => {
    const open = plans('How many tasks of the project {project} are not completed?');
    expect([...open].map(([name, { answer }]) => [name, answer]).sort()).toEqual([
      ['Choir', 1],
      ['Garden', 2],
    ]);
    const first = plans('Which task of the project {project} is due first?');
    expect(first.get('Garden')).toEqual({ calls: toGarden, answer: 'sow the beans' });
    // Two of the garden's tasks have priority 4, so there is no question about the most urgent one.
    const urgent = plans('Which task of the project {project} is the most urgent one?');
    expect([...urgent.keys()]).toEqual(['Choir']);
    const each = ['get_task_duration t1', 'get_task_duration t2', 'get_task_duration t3'];
    const sum = plans('How many minutes do the tasks of the project {project} take together?');
    expect(sum.get('Garden')).toEqual({ calls: [...toGarden, ...each], answer: 85 });
    const longest = plans('Which task of the project {project} takes longest?');
    expect(longest.get('Garden')?.answer).toBe('sow the beans');
  });

  it('requires changes to several tasks on rung four', () => {
    const urgent = plans(
      'Complete every task of the project {project} that has the priority {priority}.',
    );
    expect(urgent.get('Garden 4')?.calls).toEqual([...toGarden, 'complete_task t1']);
    const late = plans(
      'Complete every task of the project {project} that was due before today, and say how many.',
    );
    expect([...late]).toEqual([
      ['Garden', { calls: ['get_user_current_date', ...toGarden, 'complete_task t1'], answer: 1 }],
    ]);
    const moved = plans(
      'Set every task of the project {project} that is due before {date} to that date.',
    );
    expect(moved.get('Garden 2026-03-10')?.calls).toEqual([
      ...toGarden,
      'update_task t1 2026-03-10',
      'update_task t2 2026-03-10',
    ]);
  });
});

describe('to-do list episode', () => {
  const [family] = families.filter(({ id }) => id === todoId);
  const environment = family?.create({ rung: 'one' }) as Environment<ToolsState>;
  const say = (state: ToolsState, text: string) => environment.step(state, text);

  it("matches the original's format", () => {
    const { state, observation } = environment.reset('todo_0');
    expect(observation).toBe(
      'Now new trial starts. You should perform actions to accomplish the goal: How many minutes does the task "t9" take? Give me one action.',
    );
    const asked = say(state, 'get_task_duration with Action Input: {"task_id": "t9"}');
    expect(asked.observation).toBe('Observation: {"minutes": 5} Give me one action.');
    const finished = say(asked.state, 'finish with Action Input: {"answer": "5"}');
    expect(finished).toMatchObject({ observation: 'Observation: The goal is reached.', reward: 1 });
    expect(environment.success(finished.state)).toBe(true);
  });

  it('fails if the answer is wrong or the list is not as required', () => {
    const { state } = environment.reset('todo_2');
    const early = say(state, 'finish with Action Input: {"answer": "done"}');
    expect(early).toMatchObject({ terminated: true, reward: 0 });
    expect(early.observation).toBe('Observation: The goal is not reached.');
    const done = say(state, environment.expert(state).action);
    const wrong = say(done.state, 'finish with Action Input: {"answer": "ready"}');
    expect(environment.success(wrong.state)).toBe(false);
  });

  it('lists the tools on request, and ends when no turns are left', () => {
    let { state } = environment.reset('todo_0');
    const listed = say(state, 'check_valid_actions with Action Input: {}');
    expect(listed.observation).toContain('"get_projects", "update_project"');
    expect(listed.observation).toContain('"finish"]');
    let last = listed;
    for (let turn = 0; turn < 15; turn++) {
      last = say(state, 'nonsense');
      state = last.state;
    }
    expect(last.terminated).toBe(true);
    expect(last.observation).toMatch(/^Observation: Invalid action: .* No turns are left\.$/);
  });

  it('lets the expert repair changed due dates and favorite flags', () => {
    const all = family?.create() as Environment<ToolsState>;
    const desk = deskFor(todoId, {});
    for (const task of all.trainTasks.slice(0, 40)) {
      let { state } = all.reset(task);
      const before = desk?.read(state).world as TodoWorld;
      for (const { id, is_favorite, tasks } of before.projects.slice(0, 2)) {
        const favourite = `{"project_id": "${id}", "is_favorite": ${!is_favorite}}`;
        ({ state } = say(state, `update_project with Action Input: ${favourite}`));
        const date = `{"task_id": "${tasks[0]?.id}", "due_date": "2026-04-09"}`;
        ({ state } = say(state, `update_task with Action Input: ${date}`));
      }
      let terminated = false;
      while (!terminated) ({ state, terminated } = all.step(state, all.expert(state).action));
      expect(all.success(state) || desk?.read(state).end === 'out of turns', task).toBe(true);
    }
  });

  it('needs no repair if the list is as required', () => {
    const drawn = drawTodo(mersenne(4));
    expect(repair(drawn, drawn)).toBeNull();
  });
});
