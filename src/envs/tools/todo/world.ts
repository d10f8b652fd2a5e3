/** A list of projects with tasks, drawn for every goal. */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { chance, oneOf, someOf } from '../../draws.ts';
import { day, days, TOWNS } from '../core/user.ts';

export type Item = {
  readonly id: string;
  readonly content: string;
  readonly is_completed: boolean;
  /** 1 to 4; 4 is the most urgent. */
  readonly priority: number;
  readonly due_date: string;
  readonly minutes: number;
  readonly description: string;
};

export type Project = {
  readonly id: string;
  readonly name: string;
  readonly is_favorite: boolean;
  readonly tasks: readonly Item[];
};

export type TodoWorld = {
  readonly today: string;
  readonly location: string;
  readonly projects: readonly Project[];
};

const ids = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

export const PROJECT_IDS = ids('p', 20);
export const TASK_IDS = ids('t', 60);
export const DATES = days(40);
export const PRIORITIES = [1, 2, 3, 4];
export const MINUTES = [5, 10, 15, 20, 30, 40, 45, 60];
/** Upper bound on the total minutes of two or four tasks. */
export const MOST_MINUTES = 240;

export const PROJECT_NAMES = [
  ...['Garden', 'Kitchen', 'Holiday', 'Thesis', 'Choir', 'Moving', 'Birthday', 'Bicycle'],
  ...['Taxes', 'Reading', 'Workshop', 'Newsletter', 'Running', 'Allotment', 'Theatre', 'Museum'],
  ...['Cellar', 'Balcony', 'Camping', 'Piano'],
];

export const CONTENTS = [
  ...['water the roses', 'buy flour', 'book a room', 'print the draft', 'learn the song'],
  ...['pack the books', 'bake a cake', 'mend the tyre', 'sort the bills', 'return the novel'],
  ...['sharpen the tools', 'write the opening', 'stretch', 'sow the beans', 'paint the set'],
  ...['label the photos', 'sweep the floor', 'trim the vine', 'air the tent', 'tune the strings'],
  ...['call the landlord', 'order a filter', 'wash the curtains', 'check the map'],
  ...['copy the keys', 'feed the cat', 'oil the hinge', 'measure the door', 'plan the menu'],
  ...['draw a sketch', 'count the chairs', 'renew the card', 'ask for a quote', 'hang the lamp'],
  ...['fold the maps', 'test the alarm', 'empty the shed', 'post the letter', 'rinse the jars'],
  ...['charge the drill'],
];

export const DESCRIPTIONS = [
  ...['before noon', 'with a friend', 'not in the rain', 'at the market', 'on paper'],
  ...['in two copies', 'by telephone', 'after work', 'at the library', 'with gloves'],
  ...['as last year', 'for six people', 'in the evening', 'by bus', 'at home', 'with the car'],
];

const FEWEST_PROJECTS = 3;
const MOST_PROJECTS = 5;
const FEWEST_TASKS = 2;
const MOST_TASKS = 4;

export function drawTodo(random: RandomGenerator): TodoWorld {
  const projectCount = uniformInt(random, FEWEST_PROJECTS, MOST_PROJECTS);
  const names = someOf(PROJECT_NAMES, projectCount, random);
  const projectIds = someOf(PROJECT_IDS, projectCount, random);
  const contents = someOf(CONTENTS, projectCount * MOST_TASKS, random);
  const taskIds = someOf(TASK_IDS, projectCount * MOST_TASKS, random);
  // Some tasks are overdue, most are not.
  const today = uniformInt(random, 8, 14);
  const item = (content: string, id: string): Item => ({
    id,
    content,
    is_completed: uniformInt(random, 0, 2) === 0,
    priority: oneOf(PRIORITIES, random),
    due_date: day(today + uniformInt(random, -6, 20)),
    minutes: oneOf(MINUTES, random),
    description: oneOf(DESCRIPTIONS, random),
  });
  return {
    today: day(today),
    location: oneOf(TOWNS, random),
    projects: names.map((name, p) => {
      const from = p * MOST_TASKS;
      const to = from + uniformInt(random, FEWEST_TASKS, MOST_TASKS);
      return {
        id: projectIds[p] ?? '',
        name,
        is_favorite: chance(random),
        tasks: contents.slice(from, to).map((content, i) => item(content, taskIds[from + i] ?? '')),
      };
    }),
  };
}
