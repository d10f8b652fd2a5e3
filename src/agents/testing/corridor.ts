import { aspect } from '../../envs/holdout.ts';
import type { Environment, Transition } from '../../envs/types.ts';
import { UnknownTaskError } from '../../envs/types.ts';

interface State {
  readonly cell: number;
  readonly turns: number;
}

/**
 * The smallest environment that can be learned, for tests: cells 0 to 4, the exit at cell 4, and
 * task `corridor_k` starts at cell k. The action `boom` throws, to test how faults are reported.
 */
export function corridor(turnLimit = 20): Environment<State> {
  const tasks = ['corridor_0', 'corridor_1', 'corridor_2', 'corridor_3'];
  const exit = 4;
  const moves: Readonly<Record<string, number>> = { left: -1, right: 1 };
  return {
    id: 'test/corridor-v1',
    trainTasks: tasks,
    evalTasks: tasks,
    holdout: {
      sentence: 'There are only four cells to start from.',
      sameTasks: true,
      aspects: [aspect('starts', false, (task) => task)],
    },
    turnLimit,
    instruction: 'Walk to cell 4.',
    lexicon: ['cell', '0', '1', '2', '3', '4', 'left', 'right', 'boom'],
    thoughtLexicon: ['the', 'exit', 'is'],
    reset(task) {
      const cell = tasks.indexOf(task);
      if (cell === -1) throw new UnknownTaskError('test/corridor-v1', task);
      return { state: { cell, turns: 0 }, observation: `cell ${cell}` };
    },
    step(state, action): Transition<State> {
      if (action === 'boom') throw new Error('the corridor exploded');
      const move = moves[action];
      const cell = Math.min(exit, Math.max(0, state.cell + (move ?? 0)));
      return {
        state: { cell, turns: state.turns + 1 },
        observation: `cell ${cell}`,
        reward: cell === exit ? 1 : 0,
        terminated: cell === exit,
        understood: move !== undefined,
      };
    },
    success: (state) => state.cell === exit,
    admissibleActions: () => ['left', 'right'],
    expert: () => ({ thought: 'the exit is right', action: 'right' }),
  };
}
