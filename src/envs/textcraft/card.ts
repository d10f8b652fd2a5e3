import type { FamilyCard } from '../types.ts';
import { FAMILY_ID, OPTIONS, TURN_LIMIT } from './options.ts';

export const textCraftCard: FamilyCard = {
  id: FAMILY_ID,
  title: 'TextCraft',
  explanation: `The agent reads a list of crafting commands and a goal. It has to work out which commands lead there, what to get and in which order to craft. Some commands are distractors. Training never asks for the goals of evaluation and, unless there are too few recipes, never crafts them as a step. Crafting the goal gives reward 1; after ${TURN_LIMIT} turns the episode is lost.`,
  options: OPTIONS,
};
