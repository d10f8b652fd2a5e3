/** What is known about the households before their code is loaded. */

import type { FamilyCard } from '../types.ts';
import { alfworldId, alfworldOptions, sciworldId, sciworldOptions } from './options.ts';

export const alfworldCard = {
  id: alfworldId,
  title: 'Household: ALFWorld',
  explanation:
    'The agent is in a room and reads a task about a thing: put it somewhere, possibly clean, heat or cool it first, or look at it under a lamp. It only sees things where it stands, so it has to search, open receptacles and remember where it has been. Evaluation goals do not occur in training. Reaching the goal gives reward 1.',
  options: alfworldOptions,
} as const satisfies FamilyCard;

export const sciworldCard = {
  id: sciworldId,
  title: 'Household: SciWorld',
  explanation:
    'The agent does small experiments in a house. It puts an animal into a box, compares life spans, boils, melts and freezes substances, measures with a thermometer or mixes paints. It walks through doors from room to room and has to focus on the right thing; a wrong one fails the task. Every sub-goal adds to the score, and evaluation uses combinations that do not occur in training.',
  options: sciworldOptions,
} as const satisfies FamilyCard;

export const householdCards: readonly FamilyCard[] = [alfworldCard, sciworldCard];
