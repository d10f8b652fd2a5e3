import {
  type Environment,
  type EnvironmentFamily,
  EpisodeOverError,
  type Observed,
  type Transition,
  UnknownTaskError,
} from '../types.ts';
import { type Cell, indexOf, isWall, MOVES, neighbor, sameCell, shortestMoves } from './board.ts';
import { ACTIONS, FAILURE, parseAction, SUCCESS, UNKNOWN_ACTION } from './text.ts';
import {
  type MazeKind,
  type MazeState,
  type MazeVariant,
  rememberTasks,
  startState,
  taskNumber,
} from './variant.ts';

/** Maximum number of cached texts of rejected actions; with a history of moves, their number has no bound. */
const MOST_REJECTIONS = 4096;

/** The environment of a variant. The move that reaches the goal gives reward 1, all others 0. */
export function createMaze(variant: MazeVariant): Environment<MazeState> {
  const { id, turnLimit } = variant;
  const numbers = new Map<string, number>();
  for (const taskId of [...variant.trainTasks, ...variant.evalTasks]) {
    numbers.set(taskId, taskNumber(taskId));
  }
  const taskOf = rememberTasks(variant);

  // The text of a cell never changes, so it is built once.
  const places = new Map<number, string[]>();
  const place = (task: number, cell: Cell): string => {
    const { board } = taskOf(task);
    let texts = places.get(task);
    if (texts === undefined) {
      texts = [];
      places.set(task, texts);
    }
    const i = indexOf(board, cell);
    let text = texts[i];
    if (text === undefined) {
      text = variant.place(board, cell);
      texts[i] = text;
    }
    return text;
  };

  // The same string each time, so that its hash is computed once.
  const rejections = new Map<string, string>();
  const rejection = (here: string): string => {
    let text = rejections.get(here);
    if (text === undefined) {
      text = `${UNKNOWN_ACTION} ${here}`;
      if (rejections.size < MOST_REJECTIONS) rejections.set(here, text);
    }
    return text;
  };

  const success = (state: MazeState) => sameCell(state.position, taskOf(state.task).board.goal);
  const over = (state: MazeState) => success(state) || state.turn >= turnLimit;
  const describe = (state: MazeState): string => {
    if (success(state)) return SUCCESS;
    if (state.turn >= turnLimit) return FAILURE;
    const past = variant.past(state);
    const here = place(state.task, state.position);
    return past === '' ? here : `${past} ${here}`;
  };

  return {
    id,
    trainTasks: variant.trainTasks,
    evalTasks: variant.evalTasks,
    holdout: variant.holdout,
    turnLimit,
    instruction: variant.instruction,
    lexicon: variant.lexicon,
    thoughtLexicon: variant.thoughtLexicon,

    reset(taskId): Observed<MazeState> {
      const n = numbers.get(taskId);
      if (n === undefined) throw new UnknownTaskError(id, taskId);
      const state = startState(n, taskOf(n));
      return { state, observation: describe(state) };
    },

    step(state, action): Transition<MazeState> {
      if (over(state)) throw new EpisodeOverError(id);
      const move = parseAction(action);
      if (move === undefined) {
        const { task, position, turn, moves, heading } = state;
        const after: MazeState = { task, position, turn: turn + 1, moves, heading };
        return {
          state: after,
          observation: rejection(describe(after)),
          reward: 0,
          terminated: over(after),
          understood: false,
        };
      }
      const target = neighbor(state.position, move);
      const blocked = isWall(taskOf(state.task).board, target);
      const after: MazeState = {
        task: state.task,
        position: blocked ? state.position : target,
        turn: state.turn + 1,
        moves: state.moves + move.charAt(0),
        heading: blocked ? state.heading : move,
      };
      return {
        state: after,
        observation: describe(after),
        reward: success(after) ? 1 : 0,
        terminated: over(after),
        understood: true,
      };
    },

    success,

    admissibleActions(state) {
      if (over(state)) return [];
      const { board } = taskOf(state.task);
      return MOVES.filter((move) => !isWall(board, neighbor(state.position, move))).map(
        (move) => ACTIONS[move],
      );
    },

    expert(state) {
      const { board } = taskOf(state.task);
      const [move] = shortestMoves(board, state.position);
      if (move === undefined || over(state)) throw new EpisodeOverError(id);
      const thought = variant.thought(board, state.position, state.heading, move);
      return { thought, action: ACTIONS[move] };
    },

    ...(variant.locate === undefined ? {} : { locate: variant.locate }),
  };
}

/** The registry's family for a kind of maze. */
export function mazeFamily(kind: MazeKind): EnvironmentFamily<MazeState> {
  const { variant, ...family } = kind;
  return { ...family, create: (given) => createMaze(variant(given)) };
}
