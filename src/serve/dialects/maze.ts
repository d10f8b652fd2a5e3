import { drawnCard } from '../../envs/drawn/card.ts';
import { mazeCards } from '../../envs/maze/cards.ts';
import { ACTIONS, FAILURE, SUCCESS, UNKNOWN_ACTION } from '../../envs/maze/text.ts';
import type { MazeState } from '../../envs/maze/variant.ts';
import type { Environment } from '../../envs/types.ts';
import { atFirstTurn, type Dialect, type Presentation, plainTurn } from '../dialect.ts';

/** Row and column of each start in the original, indexed by a request's `game`. */
const STARTS: readonly (readonly [number, number])[] = [
  ...[1, 2, 3, 4, 5, 7, 8, 9, 10, 11].map((column) => [1, column] as const),
  ...[2, 3, 4].map((row) => [row, 3] as const),
  ...[3, 4, 5, 6].map((column) => [5, column] as const),
  ...[6, 7].map((row) => [row, 6] as const),
  ...[7, 8, 9].map((column) => [5, column] as const),
  ...[4, 3, 2].map((row) => [row, 9] as const),
];

const DOUBLE_T = 'maze/double-t-v1';
const DOUBLE_T_PARTIAL = 'maze/double-t-partial-v1';

function order(environment: Environment): readonly string[] {
  if (environment.id !== DOUBLE_T && environment.id !== DOUBLE_T_PARTIAL) {
    return environment.trainTasks;
  }
  const taskAt = new Map(
    environment.trainTasks.map((task) => {
      const { row, column } = (environment.reset(task).state as MazeState).position;
      return [`${row} ${column}`, task];
    }),
  );
  return STARTS.flatMap(([row, column]) => taskAt.get(`${row} ${column}`) ?? []);
}

/**
 * In the original, the turn after the turn limit always fails; a text that is not an action leaves
 * the position unchanged.
 */
const original: Presentation = {
  begins: (_environment, { observation }) => observation,
  acts(episode, action) {
    const { environment, at, turns } = episode;
    if (turns >= environment.turnLimit) {
      return { at, result: { observation: `${FAILURE}\n`, reward: -1, done: true } };
    }
    const turn = plainTurn({ environment, at: atFirstTurn(at) }, action);
    const { observation } = turn.result;
    const text =
      observation === SUCCESS ? `${SUCCESS}\n` : observation.replace(`${UNKNOWN_ACTION} `, '');
    return { at: turn.at, result: { ...turn.result, observation: text } };
  },
};

export const maze: Dialect = {
  path: 'maze',
  choices: [...mazeCards, drawnCard].map(({ id }) => id),
  environments: [DOUBLE_T],
  options: {},
  taskKey: 'game',
  wraps: false,
  order,
  parseAction: (sent) => sent.trim(),
  original,
  idKey: 'id',
  created: (id) => ({ id }),
  began: (_id, { result }) => ({ observation: result.observation }),
  stepped: ({ result }) => ({ ...result }),
  asks: { available_actions: () => Object.values(ACTIONS) },
};
