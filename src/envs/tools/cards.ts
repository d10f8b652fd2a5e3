/** What is known of the tool environments before any of their worlds has been drawn. */

import type { FamilyCard } from '../types.ts';
import { todoId, toolsOptions } from './options.ts';

export const todoCard = {
  id: todoId,
  title: 'Tools: to-do list',
  explanation:
    'The agent looks after a list of projects and tasks by calling tools, one call with its arguments each turn: it looks up ids by names, asks how long a task takes, completes, moves or deletes tasks, and ends with an answer. It succeeds if the answer is right and the whole list is as the goal wants it. Every goal has a list of its own, and evaluation asks for goals that training never has.',
  options: toolsOptions,
} as const satisfies FamilyCard;

export const toolsCards: readonly FamilyCard[] = [todoCard];
