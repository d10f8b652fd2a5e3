import type { FamilyCard } from '../types.ts';
import { FAMILY_ID, OPTIONS, TURN_LIMIT } from './options.ts';

export const textCraftCard: FamilyCard = {
  id: FAMILY_ID,
  title: 'TextCraft',
  explanation: `The agent reads a list of crafting commands and a goal, and has to work out which commands lead there, what to get and in which order to craft. Some commands are distractors, and it is evaluated on goals that training neither asks for nor, unless recipes are too few, crafts on the way to others. Crafting the goal gives reward 1; after ${TURN_LIMIT} turns the episode is lost.`,
  options: OPTIONS,
};
