import { type Board, type Cell, isWall, MOVES, type Move, neighbor, sameCell } from './board.ts';
import { type Sides, THOUGHT_PHRASES } from './thoughts.ts';

/** The exact text of each action. */
export const ACTIONS: Readonly<Record<Move, string>> = {
  up: 'move up',
  down: 'move down',
  left: 'move left',
  right: 'move right',
};

const MOVE_OF_ACTION: ReadonlyMap<string, Move> = new Map(
  MOVES.map((move) => [ACTIONS[move], move]),
);

/** The move that a text requests, or undefined: only the exact text of an action counts. */
export function parseAction(text: string): Move | undefined {
  return MOVE_OF_ACTION.get(text);
}

export const SUCCESS = 'Success';
export const FAILURE = 'Failure';
export const UNKNOWN_ACTION = 'Unknown action.';

/** Positions of a thing, in the order in which sentences name the sides. */
const SIDE_WORDS: readonly (readonly [Move, string])[] = [
  ['up', 'above you'],
  ['down', 'below you'],
  ['left', 'to your left'],
  ['right', 'to your right'],
];

function sidesWhere(holds: Sides): string[] {
  return SIDE_WORDS.filter(([side]) => holds(side)).map(([, words]) => words);
}

/** The sentence about the walls on the given sides. */
export function wallSentence(hasWall: Sides): string {
  const sides = sidesWhere(hasWall);
  if (sides.length === 0) return 'There are no walls near you.';
  if (sides.length === 1) return `There is a wall ${sides[0]}.`;
  return `There are walls ${sides.join(', ')}.`;
}

/** The sides of a cell on which walls stand. */
export function wallSides(board: Board, cell: Cell): Sides {
  return (side) => isWall(board, neighbor(cell, side));
}

/** The sides of a cell on which the goal lies, ignoring walls. */
export function goalSides({ goal }: Board, cell: Cell): Sides {
  const lies: Readonly<Record<Move, boolean>> = {
    up: goal.row < cell.row,
    down: goal.row > cell.row,
    left: goal.column < cell.column,
    right: goal.column > cell.column,
  };
  return (side) => lies[side];
}

/** The walls around a cell, in words. */
export function wallsAround(board: Board, cell: Cell): string {
  return wallSentence(wallSides(board, cell));
}

/** Goal, position and walls, in the format of the original's fully observed variant. */
export function wholeView(board: Board, cell: Cell): string {
  const { goal } = board;
  return (
    `The goal is at position ${goal.row}, ${goal.column}. ` +
    `Your current position is at position ${cell.row}, ${cell.column}. ` +
    wallsAround(board, cell)
  );
}

const COORDINATES = String.raw`(\d(?: ?\d)*), (\d(?: ?\d)*)`;
const WHOLE_VIEW = new RegExp(
  String.raw`(?:The goal is at position ${COORDINATES}\.\s+)?` +
    String.raw`Your current position is at position ${COORDINATES}\.` +
    String.raw`(?:\s+There (?:is a|are|are no) walls? ([a-z, ]+)\.)?`,
  'g',
);

/**
 * The cell that a text describes, the last one if it describes several; null if it describes none, or a goal
 * or walls that are not this board's. Accepts the format of `wholeView` and of the original, which names
 * walls in any order and spells numbers out digit by digit, `1 1` for 11.
 */
export function locateCell(board: Board, text: string): Cell | null {
  const view = [...text.matchAll(WHOLE_VIEW)].at(-1);
  if (view === undefined) return null;
  const [, goalRow, goalColumn, row, column, walls] = view;
  const goal = readCell(goalRow, goalColumn);
  if (goal !== null && !sameCell(goal, board.goal)) return null;
  const cell = readCell(row, column);
  if (cell === null || cell.row >= board.rows || cell.column >= board.columns) return null;
  if (isWall(board, cell)) return null;
  if (walls === undefined) return cell;
  const hasWall = wallSides(board, cell);
  return SIDE_WORDS.every(([side, words]) => walls.includes(words) === hasWall(side)) ? cell : null;
}

function readCell(row: string | undefined, column: string | undefined): Cell | null {
  if (row === undefined || column === undefined) return null;
  return { row: Number(row.replaceAll(' ', '')), column: Number(column.replaceAll(' ', '')) };
}

/**
 * The direction of the goal, ignoring walls, and the walls. It states no position: in mazes it has never
 * seen, an agent gains nothing from memorizing positions.
 */
export function compassView(board: Board, cell: Cell): string {
  return `${goalSentence(goalSides(board, cell))} ${wallsAround(board, cell)}`;
}

/** `The goal is below you, to your left.` */
export function goalSentence(lies: Sides): string {
  return `The goal is ${sidesWhere(lies).join(', ')}.`;
}

/** `You moved up.` */
export function headingSentence(heading: Move): string {
  return `You moved ${heading}.`;
}

/** `Your last moves: up, up, left.` */
export function historySentence(moves: readonly Move[]): string {
  return `Your last moves: ${moves.join(', ')}.`;
}

/**
 * Fixed phrases of the texts. Each is one lexeme, because it always appears as a whole and separate words
 * would only lengthen every turn.
 */
const PHRASES: ReadonlySet<string> = new Set([
  'The goal is at position',
  'Your current position is at position',
  'The goal is',
  'There is a wall',
  'There are walls',
  'There are no walls near you.',
  'You moved',
  'Your last moves:',
  UNKNOWN_ACTION,
  ...SIDE_WORDS.flatMap(([, words]) => [`${words},`, `${words}.`]),
  ...THOUGHT_PHRASES,
]);
const LONGEST_PHRASE = 6;

/** Every lexeme of the texts once, in order of appearance, after the action phrases. */
export function lexiconOf(texts: Iterable<string>): readonly string[] {
  const lexemes = new Set<string>(MOVES.map((move) => ACTIONS[move]));
  for (const text of texts) {
    const words = text.split(' ');
    for (let i = 0; i < words.length; ) {
      let length = Math.min(LONGEST_PHRASE, words.length - i);
      while (length > 1 && !PHRASES.has(words.slice(i, i + length).join(' '))) length--;
      lexemes.add(words.slice(i, i + length).join(' '));
      i += length;
    }
  }
  return [...lexemes];
}
