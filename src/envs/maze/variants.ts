import { aspect } from '../holdout.ts';
import { resolveOptions } from '../options.ts';
import { type EnvironmentOptions, type Holdout, UnknownTaskError } from '../types.ts';
import { type MazeTask, MOVES, type Move, sameCell, shortestMoves } from './board.ts';
import {
  doubleTCard,
  doubleTPartialCard,
  generatedCard,
  generatedFirstCard,
  generatedOptions,
} from './cards.ts';
import { doubleTBoard, doubleTTasks } from './double-t.ts';
import { generateTask, type Kept, mazeKey, mazesApart, wallsApart, wallsKey } from './generate.ts';
import {
  ACTIONS,
  compassView,
  FAILURE,
  goalSentence,
  goalSides,
  headingSentence,
  historySentence,
  lexiconOf,
  locateCell,
  SUCCESS,
  UNKNOWN_ACTION,
  wallSentence,
  wallSides,
  wallsAround,
  wholeView,
} from './text.ts';
import { goalThought, type Sides, wayThought } from './thoughts.ts';
import {
  type MazeKind,
  type MazeState,
  type MazeVariant,
  rememberTasks,
  startState,
  taskNumber,
} from './variant.ts';

export const taskId = (n: number): string => `maze_${n}`;

const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i);

const nothing = (): string => '';

/** The instruction for all mazes: the aim, the observation and the actions. */
function instructionOf(turnLimit: number, observation: string): string {
  const actions = MOVES.map((move) => ACTIONS[move]).join(', ');
  return (
    `You walk through a maze and want to reach its goal in as few moves as possible. ${observation} ` +
    'A move into a wall leaves you where you are. ' +
    `Each turn you take one of these actions: ${actions}. You have ${turnLimit} turns.`
  );
}

/** The lexemes of thoughts that are not in a lexicon. */
function thoughtLexiconOf(thoughts: Iterable<string>, lexicon: readonly string[]): string[] {
  return lexiconOf(thoughts).filter((lexeme) => !lexicon.includes(lexeme));
}

const towardsGoal: MazeVariant['thought'] = (board, cell, _heading, move) =>
  goalThought(goalSides(board, cell), wallSides(board, cell), move);

// --- The double-T maze ------------------------------------------------------------------------

/** Turns after which the original ends with `Failure`. */
const DOUBLE_T_TURN_LIMIT = 50;

/** Number of the agent's last moves in the partially observed variant; more would only lengthen the text. */
const HISTORY_MOVES = 8;

const ENDINGS = [SUCCESS, FAILURE, UNKNOWN_ACTION] as const;

function doubleTVariant(
  id: string,
  rest: Pick<MazeVariant, 'place' | 'past' | 'thought' | 'locate'>,
  texts: { readonly observation: string; readonly past: readonly string[] },
): MazeVariant {
  const ids = doubleTTasks.map((_, n) => taskId(n));
  const lexicon = lexiconOf([
    ...doubleTTasks.map(({ board, start }) => rest.place(board, start)),
    ...texts.past,
    ...ENDINGS,
  ]);
  const thoughts = doubleTTasks.flatMap(({ board, start }) =>
    shortestMoves(board, start).flatMap((move) =>
      [null, ...MOVES].map((heading) => rest.thought(board, start, heading, move)),
    ),
  );
  return {
    id,
    trainTasks: ids,
    evalTasks: ids,
    holdout: {
      sentence:
        'The double-T maze has one start for each of its 25 free cells, too few to hold any out: evaluation plays the same 25 tasks as training.',
      sameTasks: true,
      aspects: [aspect('starts', false, (task) => task)],
    },
    turnLimit: DOUBLE_T_TURN_LIMIT,
    instruction: instructionOf(DOUBLE_T_TURN_LIMIT, texts.observation),
    lexicon,
    thoughtLexicon: thoughtLexiconOf(thoughts, lexicon),
    task: (n) => {
      const task = doubleTTasks[n];
      if (task === undefined) throw new UnknownTaskError(id, taskId(n));
      return task;
    },
    ...rest,
  };
}

const MOVE_OF_LETTER: ReadonlyMap<string, Move> = new Map(
  MOVES.map((move) => [move.charAt(0), move]),
);

/** Spells out the letters of `MazePast.moves`. */
export function readMoves(letters: string): Move[] {
  return Array.from(letters, (letter) => MOVE_OF_LETTER.get(letter)).filter(
    (move) => move !== undefined,
  );
}

/** The end of the last task, which starts right above the goal. */
const doubleTEnd: MazeState = {
  task: doubleTTasks.length - 1,
  position: doubleTBoard.goal,
  turn: 1,
  moves: 'd',
  heading: 'down',
};

/** The start of an episode from the cell that a text describes; `Success` describes the goal. */
function locateInDoubleT(observation: string): MazeState | null {
  if (observation.trim() === SUCCESS) return doubleTEnd;
  const cell = locateCell(doubleTBoard, observation);
  if (cell === null) return null;
  const n = doubleTTasks.findIndex(({ start }) => sameCell(start, cell));
  const task = doubleTTasks[n];
  return task === undefined ? doubleTEnd : startState(n, task);
}

export const doubleT: MazeKind = {
  ...doubleTCard,
  variant: (options) => {
    resolveOptions(doubleT.id, doubleT.options, options);
    return doubleTVariant(
      doubleT.id,
      { place: wholeView, past: nothing, thought: towardsGoal, locate: locateInDoubleT },
      {
        observation:
          'You are told the position of the goal, your own position and the walls beside you. A position is a row, counted from the top, and a column, counted from the left: moving down adds 1 to the row, and moving right adds 1 to the column.',
        past: [],
      },
    );
  },
};

export const doubleTPartial: MazeKind = {
  ...doubleTPartialCard,
  variant: (options) => {
    resolveOptions(doubleTPartial.id, doubleTPartial.options, options);
    return doubleTVariant(
      doubleTPartial.id,
      {
        place: wallsAround,
        past: ({ moves }) =>
          moves === '' ? '' : historySentence(readMoves(moves.slice(-HISTORY_MOVES))),
        thought: (board, cell, heading, move) => wayThought(wallSides(board, cell), heading, move),
      },
      {
        observation: `You are told the walls beside you and your last ${HISTORY_MOVES} moves, but neither your position nor that of the goal.`,
        past: MOVES.map((move) => historySentence([move, move])),
      },
    );
  },
};

// --- Generated mazes --------------------------------------------------------------------------

const TRAIN_MAZES = range(0, 1024);
const FIRST_EVAL_MAZE = 100_000;
const EVAL_MAZES = range(FIRST_EVAL_MAZE, 128);

/**
 * Turn limit for a maze of this size. A maze without loops is a tree of F = (size² + 2·size − 1) / 2 free
 * cells. Wall following walks around it and passes each of its F − 1 edges at most twice. The limit 2·(F − 1)
 * is therefore exactly enough for it to succeed from everywhere.
 */
export function generatedTurnLimit(size: number): number {
  return (size + 1) ** 2 - 4;
}

/** Every set of sides, from none to all. */
const allSides: readonly Sides[] = range(0, 2 ** MOVES.length).map(
  (mask) => (side) => ((mask >> MOVES.indexOf(side)) & 1) === 1,
);

/** Whether another cell can lie on exactly these sides. */
const canLie = (lies: Sides): boolean =>
  MOVES.some(lies) && !(lies('up') && lies('down')) && !(lies('left') && lies('right'));

/** Shared by both versions, which differ in what is held out and thus in the meaning of task ids. */
function generatedVariant(
  id: string,
  options: EnvironmentOptions | undefined,
  keep: (size: number, loops: number) => { readonly kept: Kept; readonly holdout: HoldoutOf },
): MazeVariant {
  const { size, loops } = resolveOptions(id, generatedOptions, options);
  // No free cell has walls on all four sides.
  const walls = allSides.slice(0, -1);
  const lexicon = lexiconOf([
    goalSentence(() => true),
    ...walls.map(wallSentence),
    ...MOVES.map(headingSentence),
    ...ENDINGS,
  ]);
  const thoughts = allSides
    .filter(canLie)
    .flatMap((lies) =>
      walls.flatMap((hasWall) => MOVES.map((move) => goalThought(lies, hasWall, move))),
    );
  const turnLimit = generatedTurnLimit(size);
  const { kept, holdout } = keep(size, loops);
  const task = rememberTasks({
    task: (n) => generateTask(n, size, loops, kept, n < FIRST_EVAL_MAZE ? 'train' : 'eval'),
  });
  return {
    id,
    trainTasks: TRAIN_MAZES.map(taskId),
    evalTasks: EVAL_MAZES.map(taskId),
    holdout: holdout((id) => task(taskNumber(id))),
    turnLimit,
    instruction: instructionOf(
      turnLimit,
      'You are told on which sides of you the goal lies, the walls beside you, and your last move that no wall stopped.',
    ),
    lexicon,
    thoughtLexicon: thoughtLexiconOf(thoughts, lexicon),
    task,
    place: compassView,
    past: ({ heading }) => (heading === null ? '' : headingSentence(heading)),
    thought: towardsGoal,
  };
}

/** Makes the holdout, given the maze of each task. */
type HoldoutOf = (mazeOf: (taskId: string) => MazeTask) => Holdout;

/**
 * Rotated and reflected walls count as the same here, so that training excludes them all. A cluster contains
 * only identical walls: an agent reads directions, so rotated walls are different to it.
 * @param apart whether training excludes evaluation walls
 */
function mazeHoldout(sentence: string, apart: boolean): HoldoutOf {
  return (mazeOf) => {
    const maze = (task: string) => mazeKey(mazeOf(task));
    const walls = (task: string) => mazeOf(task).board.walls;
    return {
      sentence,
      sameTasks: false,
      aspects: [
        aspect('mazes', true, maze),
        aspect('walls, turned and mirrored ones being the same', apart, (task) =>
          wallsKey(walls(task)),
        ),
      ],
      cluster: apart
        ? { name: 'sets of walls', of: (task) => walls(task).join('') }
        : { name: 'mazes', of: maze },
    };
  };
}

export const generated: MazeKind = {
  ...generatedCard,
  variant: (options) =>
    generatedVariant(generated.id, options, (size, loops) => {
      const kept = wallsApart(size, loops);
      return kept === null
        ? {
            kept: mazesApart,
            holdout: mazeHoldout(
              'With every inner wall opened all mazes have the same walls; evaluation has other pairs of start and goal than training.',
              false,
            ),
          }
        : {
            kept,
            holdout: mazeHoldout(
              'No training maze has the walls of an evaluation maze, even rotated or mirrored.',
              true,
            ),
          };
    }),
};

export const generatedFirst: MazeKind = {
  ...generatedFirstCard,
  variant: (options) =>
    generatedVariant(generatedFirst.id, options, () => ({
      kept: mazesApart,
      holdout: mazeHoldout(
        'No training maze has the walls, start and goal of an evaluation maze; the walls alone do recur.',
        false,
      ),
    })),
};

export const mazeKinds: readonly MazeKind[] = [doubleT, doubleTPartial, generated, generatedFirst];
