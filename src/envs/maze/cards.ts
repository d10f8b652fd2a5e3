/** What is known about the mazes before their code is loaded. */

import type { EnvironmentOption, FamilyCard } from '../types.ts';

export const doubleTCard = {
  id: 'maze/double-t-v1',
  title: 'Double-T maze',
  explanation:
    'Two T-shaped corridors meet above one goal. The agent reads the positions of the goal and of itself and the walls beside it. It must learn the way from each of the 25 free cells. Reaching the goal gives reward 1; after 50 turns the episode is lost.',
  options: {},
} as const satisfies FamilyCard;

export const doubleTPartialCard = {
  id: 'maze/double-t-partial-v1',
  title: 'Double-T maze, partially observed',
  explanation:
    'The double-T maze without positions: the agent reads only the walls beside it and its own last 8 moves. Many cells look alike, so it must infer its position from its moves.',
  options: {},
} as const satisfies FamilyCard;

export const generatedOptions = {
  size: {
    type: 'number',
    description:
      'Squares along each side, including corridors and inner walls but not the outer wall: 7 gives 4 × 4 rooms.',
    default: 7,
    min: 5,
    max: 15,
    step: 2,
  },
  loops: {
    type: 'number',
    description:
      'Percentage of the inner walls between rooms that are opened after carving, which adds alternative paths; 0 leaves one path between any two cells.',
    default: 0,
    min: 0,
    max: 100,
    step: 1,
  },
} as const satisfies Record<string, EnvironmentOption>;

const COMPASS_AND_WALLS =
  'The agent reads the direction of the goal, the walls around it and its last move.';

export const generatedCard = {
  id: 'maze/generated-v2',
  title: 'Generated mazes',
  explanation: `Each task is a different maze with its own start and goal. The agent has to learn a search strategy, such as wall following, instead of a map. No evaluation maze has the walls of a training maze, even rotated or mirrored, unless every inner wall is opened. ${COMPASS_AND_WALLS}`,
  options: generatedOptions,
} as const satisfies FamilyCard;

export const generatedFirstCard = {
  id: 'maze/generated-v1',
  title: 'Generated mazes, first version',
  explanation: `Each task is a different maze with its own start and goal. Evaluation has other starts and goals than training but, if many walls are opened, mostly the same walls; the second version keeps walls apart. ${COMPASS_AND_WALLS}`,
  options: generatedOptions,
  supersededBy: generatedCard.id,
} as const satisfies FamilyCard;

export const mazeCards: readonly FamilyCard[] = [
  doubleTCard,
  doubleTPartialCard,
  generatedCard,
  generatedFirstCard,
];
