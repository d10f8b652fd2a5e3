/** What is known of the households before any house has been drawn. */

import type { FamilyCard } from '../types.ts';
import { alfworldId, alfworldOptions, sciworldId, sciworldOptions } from './options.ts';

export const alfworldCard = {
  id: alfworldId,
  title: 'Household: ALFWorld',
  explanation:
    'The agent stands in a room and reads what it is to do with a thing: put it somewhere, clean, heat or cool it first, or look at it under a lamp. It sees only what lies where it stands, so it has to go and look, open what is shut, and remember where it has been. It is evaluated on goals that training never has, and gets reward 1 when the goal is reached.',
  options: alfworldOptions,
} as const satisfies FamilyCard;

export const sciworldCard = {
  id: sciworldId,
  title: 'Household: SciWorld',
  explanation:
    'The agent does small experiments in a house: it finds an animal and puts it into a box, compares how long animals live, boils, melts and freezes substances, measures with a thermometer, mixes paints. It goes from room to room through doors and has to say which thing it means; a wrong one fails the task. Every sub-goal adds to the score, and it is evaluated on combinations that training never has.',
  options: sciworldOptions,
} as const satisfies FamilyCard;

export const householdCards: readonly FamilyCard[] = [alfworldCard, sciworldCard];
