/** The reasons that the expert gives for its moves, in one or two short sentences. */
import { MOVES, type Move } from './board.ts';

/** Whether something lies on a side. */
export type Sides = (side: Move) => boolean;

const GOAL_LIES: Readonly<Record<Move, string>> = {
  up: 'above',
  down: 'below',
  left: 'to the left',
  right: 'to the right',
};

const WALL_STANDS: Readonly<Record<Move, string>> = {
  up: 'above me',
  down: 'below me',
  left: 'on my left',
  right: 'on my right',
};

const WALL_IN_THE_WAY = 'A wall is in the way.';
const WALLS_IN_THE_WAY = 'Walls are in the way.';
const ONE_WAY_OPEN = 'Only one way is open.';
const NO_WALL = 'No wall is near me.';

/** Phrases of the thoughts; each is one lexeme, as in observations. */
export const THOUGHT_PHRASES: readonly string[] = [
  WALL_IN_THE_WAY,
  WALLS_IN_THE_WAY,
  ONE_WAY_OPEN,
  NO_WALL,
  'I move',
  'I go around',
  'I keep going',
  'A shortest way goes',
  'A wall is',
  'Walls are',
  'The way goes',
  ...[...Object.values(GOAL_LIES), ...Object.values(WALL_STANDS)].flatMap((words) => [
    words,
    `${words}.`,
  ]),
];

/**
 * The reason for a move, for an agent that knows the direction of the goal: the move leads towards the goal,
 * goes around walls in the way, or follows a shortest path that the walls nearby do not explain.
 */
export function goalThought(goalLies: Sides, hasWall: Sides, move: Move): string {
  const towards = MOVES.filter(goalLies);
  const goal = `The goal is ${towards.map((side) => GOAL_LIES[side]).join(' and ')}.`;
  if (towards.includes(move)) return `${goal} I move ${move}.`;
  if (!towards.every(hasWall)) return `${goal} A shortest way goes ${move}.`;
  const wall = towards.length === 1 ? WALL_IN_THE_WAY : WALLS_IN_THE_WAY;
  return `${goal} ${wall} I go around ${move}.`;
}

/** The reason for a move, for an agent that knows only walls and its own moves. */
export function wayThought(hasWall: Sides, heading: Move | null, move: Move): string {
  const way = heading === move ? `I keep going ${move}.` : `The way goes ${move}.`;
  const walls = MOVES.filter(hasWall);
  if (walls.length === MOVES.length - 1) return `${ONE_WAY_OPEN} ${way}`;
  if (walls.length === 0) return `${NO_WALL} ${way}`;
  const places = walls.map((side) => WALL_STANDS[side]).join(' and ');
  return `${walls.length === 1 ? 'A wall is' : 'Walls are'} ${places}. ${way}`;
}
