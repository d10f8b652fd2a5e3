/** What is known of the households before any house has been drawn. */

import type { FamilyCard } from '../types.ts';
import { alfworldId, alfworldOptions } from './options.ts';

export const alfworldCard = {
  id: alfworldId,
  title: 'Household: ALFWorld',
  explanation:
    'The agent stands in a room and reads what it is to do with a thing: put it somewhere, clean, heat or cool it first, or look at it under a lamp. It sees only what lies where it stands, so it has to go and look, open what is shut, and remember where it has been. It is evaluated on goals that training never has, and gets reward 1 when the goal is reached.',
  options: alfworldOptions,
} as const satisfies FamilyCard;

export const householdCards: readonly FamilyCard[] = [alfworldCard];
