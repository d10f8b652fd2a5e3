import { aspect } from '../holdout.ts';
import {
  type Cell,
  freeCells,
  indexOf,
  isWall,
  MOVES,
  type Move,
  neighbor,
  sameCell,
  shortestMoves,
} from '../maze/board.ts';
import {
  ACTIONS,
  FAILURE,
  goalSides,
  lexiconOf,
  parseAction,
  SUCCESS,
  UNKNOWN_ACTION,
  wallSentence,
  wallSides,
  wholeView,
} from '../maze/text.ts';
import { goalThought } from '../maze/thoughts.ts';
import type { MazeState } from '../maze/variant.ts';
import {
  type Environment,
  type EnvironmentOptions,
  EpisodeOverError,
  type Observed,
  type Transition,
  UnknownTaskError,
} from '../types.ts';
import { drawnCard } from './card.ts';
import { type DrawnWorld, drawnWorld, nextPrize } from './world.ts';

const { id } = drawnCard;

interface DrawnState extends MazeState {
  /** Bit mask of the remaining prizes. */
  readonly left: number;
}

const PRIZE = 'A prize is at position';
const TRAP = 'There is a trap';
const TRAPS = 'There are traps';

const prizeSentence = ({ row, column }: Cell) => `${PRIZE} ${row}, ${column}.`;

/** The sentence about walls, reworded for traps; empty if no trap is adjacent. */
function trapSentence({ board, traps }: DrawnWorld, cell: Cell): string {
  const isTrap = (side: Move) => traps.has(indexOf(board, neighbor(cell, side)));
  if (!MOVES.some(isTrap)) return '';
  return ` ${wallSentence(isTrap)
    .replace('There is a wall', TRAP)
    .replace('There are walls', TRAPS)}`;
}

/** The observation on a square, without prizes. */
const placeText = (world: DrawnWorld, cell: Cell) =>
  `${wholeView(world.board, cell)}${trapSentence(world, cell)}`;

function instructionOf({ prizes, traps, turnLimit }: DrawnWorld): string {
  const actions = MOVES.map((move) => ACTIONS[move]).join(', ');
  return [
    'You walk through a maze and want to reach its goal in as few moves as possible.',
    'You are told the position of the goal, your own position and the walls beside you. A position is a row, counted from the top, and a column, counted from the left: moving down adds 1 to the row, and moving right adds 1 to the column.',
    ...(prizes.length === 0
      ? []
      : ['You are told where prizes are left. Prizes on the way to the goal add to the reward.']),
    ...(traps.size === 0 ? [] : ['You are told the traps beside you. A trap ends the episode.']),
    'A move into a wall leaves you where you are.',
    `Each turn you take one of these actions: ${actions}. You have ${turnLimit} turns.`,
  ].join(' ');
}

/** All lexemes of observations. */
function lexicons(world: DrawnWorld): {
  readonly lexicon: readonly string[];
  readonly thoughtLexicon: readonly string[];
} {
  const { board, prizes, traps } = world;
  const cells = freeCells(board);
  const lexicon = lexiconOf([
    ...cells.map((cell) => wholeView(board, cell)),
    // The sides on which traps can lie.
    ...(traps.size === 0 ? [] : MOVES.map((side) => wallSentence((other) => other === side))),
    ...(traps.size === 0 ? [] : [wallSentence(() => true)]),
    ...[SUCCESS, FAILURE, UNKNOWN_ACTION],
  ]);
  const own = [
    ...(prizes.length === 0 ? [] : [PRIZE, ...prizes.flatMap((prize) => coordinates(prize))]),
    ...(traps.size === 0 ? [] : [TRAP, TRAPS]),
  ];
  const all = [...new Set([...lexicon, ...own])];
  const thoughts = cells.flatMap((cell) =>
    shortestMoves(board, cell).map((move) =>
      goalThought(goalSides(board, cell), wallSides(board, cell), move),
    ),
  );
  const fetching = prizes.length === 0 ? [] : MOVES.map((move) => `I move ${move}.`);
  const known = new Set(all);
  return {
    lexicon: all,
    thoughtLexicon: lexiconOf([...thoughts, ...fetching]).filter((lexeme) => !known.has(lexeme)),
  };
}

const coordinates = ({ row, column }: Cell) => [`${row},`, `${column}.`];

/** @throws {EnvironmentOptionError} */
export function createDrawnMaze(options?: EnvironmentOptions): Environment<DrawnState> {
  const world = drawnWorld(options);
  const { board, starts, prizes, allPrizes, traps, prizeBoards, turnLimit } = world;
  const tasks = starts.map((_, n) => `maze_${n}`);
  const numbers = new Map(tasks.map((task, n) => [task, n]));
  const texts = new Map<number, string>();
  const place = (cell: Cell): string => {
    const i = indexOf(board, cell);
    const text = texts.get(i) ?? placeText(world, cell);
    texts.set(i, text);
    return text;
  };
  const isTrap = (cell: Cell) => traps.has(indexOf(board, cell));
  const success = ({ position }: MazeState) => sameCell(position, board.goal);
  const over = (state: MazeState) =>
    success(state) || isTrap(state.position) || state.turn >= turnLimit;
  const describe = (state: DrawnState): string => {
    if (success(state)) return SUCCESS;
    if (over(state)) return FAILURE;
    const left = prizes.filter((_, prize) => (state.left & (1 << prize)) !== 0);
    return [place(state.position), ...left.map(prizeSentence)].join(' ');
  };
  // Half of the reward is for prizes, if there are any.
  const goalReward = prizes.length === 0 ? 1 : 0.5;

  return {
    id,
    trainTasks: tasks,
    evalTasks: tasks,
    holdout: {
      sentence:
        'A drawn maze is one maze: evaluation plays every start, and training plays the same ones.',
      sameTasks: true,
      aspects: [aspect('starts', false, (task) => task)],
    },
    turnLimit,
    instruction: instructionOf(world),
    ...lexicons(world),

    reset(taskId): Observed<DrawnState> {
      const task = numbers.get(taskId);
      const start = starts[task ?? -1];
      if (task === undefined || start === undefined) throw new UnknownTaskError(id, taskId);
      const state: DrawnState = {
        ...{ task, position: start, turn: 0, moves: '', heading: null },
        left: allPrizes,
      };
      return { state, observation: describe(state) };
    },

    step(state, action): Transition<DrawnState> {
      if (over(state)) throw new EpisodeOverError(id);
      const move = parseAction(action);
      if (move === undefined) {
        const after = { ...state, turn: state.turn + 1 };
        return {
          state: after,
          observation: `${UNKNOWN_ACTION} ${describe(after)}`,
          reward: 0,
          terminated: over(after),
          understood: false,
        };
      }
      const target = neighbor(state.position, move);
      const blocked = isWall(board, target);
      const position = blocked ? state.position : target;
      const found = prizes.findIndex((prize) => sameCell(prize, position));
      const fetched = found >= 0 && (state.left & (1 << found)) !== 0;
      const after: DrawnState = {
        task: state.task,
        position,
        turn: state.turn + 1,
        moves: state.moves + move.charAt(0),
        heading: blocked ? state.heading : move,
        left: fetched ? state.left & ~(1 << found) : state.left,
      };
      return {
        state: after,
        observation: describe(after),
        reward: success(after) ? goalReward : fetched ? 0.5 / prizes.length : 0,
        terminated: over(after),
        understood: true,
      };
    },

    success,

    admissibleActions(state) {
      if (over(state)) return [];
      return MOVES.filter((move) => {
        const target = neighbor(state.position, move);
        return !isWall(board, target) && !isTrap(target);
      }).map((move) => ACTIONS[move]);
    },

    expert(state) {
      if (over(state)) throw new EpisodeOverError(id);
      const { position, left, turn } = state;
      const prize = nextPrize(world, position, left, turnLimit - turn);
      const ways = prize === null ? board : (prizeBoards[prize] ?? board);
      const [move] = shortestMoves(ways, position);
      if (move === undefined) throw new EpisodeOverError(id);
      const cell = prize === null ? undefined : prizes[prize];
      const thought =
        cell === undefined
          ? goalThought(goalSides(board, position), wallSides(board, position), move)
          : `${prizeSentence(cell)} I move ${move}.`;
      return { thought, action: ACTIONS[move] };
    },
  };
}
