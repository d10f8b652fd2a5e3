/** What is known of the tool environments before any of their worlds has been drawn. */

import type { FamilyCard } from '../types.ts';
import { academiaId, movieId, sheetId, todoId, toolsOptions, weatherId } from './options.ts';

export const todoCard = {
  id: todoId,
  title: 'Tools: to-do list',
  explanation:
    'The agent looks after a list of projects and tasks by calling tools, one call with its arguments each turn: it looks up ids by names, asks how long a task takes, completes, moves or deletes tasks, and ends with an answer. It succeeds if the answer is right and the whole list is as the goal wants it. Every goal has a list of its own, and evaluation asks for goals that training never has.',
  options: toolsOptions,
} as const satisfies FamilyCard;

export const weatherCard = {
  id: weatherId,
  title: 'Tools: weather',
  explanation:
    'The agent answers questions about the weather in five towns: it asks where a town lies, hands degrees and days on to tools that know the past, today and what is ahead, compares or adds up what they reply, and ends with the answer. Every question has towns and days of its own, and evaluation asks questions that training never has.',
  options: toolsOptions,
} as const satisfies FamilyCard;

export const movieCard = {
  id: movieId,
  title: 'Tools: films',
  explanation:
    'The agent answers questions about films and the people who made them: it searches for a title or a name, hands the id that it finds on to tools that know details, cast and crew, and ends with the answer. The harder questions need what two lists have in common. Every question has a database of its own, and evaluation asks questions that training never has.',
  options: toolsOptions,
} as const satisfies FamilyCard;

export const academiaCard = {
  id: academiaId,
  title: 'Tools: papers and authors',
  explanation:
    'The agent answers questions about two graphs: papers that cite each other, and authors who wrote together. It has to load a graph before it can ask about it, looks at nodes and their neighbours, and counts, compares or adds up what it finds. Every question has graphs of its own, and evaluation asks questions that training never has.',
  options: toolsOptions,
} as const satisfies FamilyCard;

export const sheetCard = {
  id: sheetId,
  title: 'Tools: spreadsheet',
  explanation:
    'The agent works on the sheets of a workbook: it opens one, finds out where a name or a column stands, and writes into cells, deletes and inserts rows, sorts them and works out sums, one call each turn. It succeeds if every cell of every sheet is as the goal wants it when it finishes. Every goal has a workbook of its own, and evaluation asks for goals that training never has.',
  options: toolsOptions,
} as const satisfies FamilyCard;

export const toolsCards: readonly FamilyCard[] = [
  todoCard,
  weatherCard,
  movieCard,
  academiaCard,
  sheetCard,
];
