/** What is known about the tool environments before their code is loaded. */

import type { FamilyCard } from '../types.ts';
import { academiaId, movieId, sheetId, todoId, toolsOptions, weatherId } from './options.ts';

const todoCard = {
  id: todoId,
  title: 'Tools: to-do list',
  explanation:
    'The agent manages a list of projects and tasks by calling tools, one call with its arguments per turn. It looks up ids by name, asks how long a task takes, completes, moves or deletes tasks, and ends with an answer. It succeeds if the answer is right and the whole list is as required. Every goal has its own list, and evaluation goals do not occur in training.',
  options: toolsOptions,
} as const satisfies FamilyCard;

const weatherCard = {
  id: weatherId,
  title: 'Tools: weather',
  explanation:
    'The agent answers questions about the weather in five towns. It looks up where a town lies, passes coordinates and days to tools for the past, today and the forecast, compares or adds up the replies, and ends with the answer. Every question has its own towns and days, and evaluation questions do not occur in training.',
  options: toolsOptions,
} as const satisfies FamilyCard;

const movieCard = {
  id: movieId,
  title: 'Tools: films',
  explanation:
    'The agent answers questions about films and the people who made them. It searches for a title or a name, passes the id to tools for details, cast and crew, and ends with the answer. Harder questions need the overlap of two lists. Every question has its own database, and evaluation questions do not occur in training.',
  options: toolsOptions,
} as const satisfies FamilyCard;

const academiaCard = {
  id: academiaId,
  title: 'Tools: papers and authors',
  explanation:
    'The agent answers questions about two graphs: papers that cite each other, and authors who wrote together. It has to load a graph before querying it, looks at nodes and their neighbors, and counts, compares or adds up what it finds. Every question has its own graphs, and evaluation questions do not occur in training.',
  options: toolsOptions,
} as const satisfies FamilyCard;

const sheetCard = {
  id: sheetId,
  title: 'Tools: spreadsheet',
  explanation:
    'The agent works on the sheets of a workbook. It opens a sheet, finds the cell of a name or a column, writes into cells, deletes and inserts rows, sorts them and computes sums, one call per turn. It succeeds if every cell of every sheet is as required when it finishes. Every goal has its own workbook, and evaluation goals do not occur in training.',
  options: toolsOptions,
} as const satisfies FamilyCard;

export const toolsCards: readonly FamilyCard[] = [
  todoCard,
  weatherCard,
  movieCard,
  academiaCard,
  sheetCard,
];
