import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../registry.ts';
import { EpisodeOverError, UnknownTaskError } from '../types.ts';
import { freeCells, sameCell } from './board.ts';
import { doubleTBoard, doubleTTasks } from './double-t.ts';
import { createMaze } from './environment.ts';
import { doubleT, doubleTPartial } from './variants.ts';

const whole = createMaze(doubleT.variant());
const partial = createMaze(doubleTPartial.variant());

/** Plays actions from the start of a task and returns every observation, including the first. */
function play(maze: typeof whole, task: string, actions: readonly string[]): string[] {
  let { state, observation } = maze.reset(task);
  const observations = [observation];
  for (const action of actions) {
    ({ state, observation } = maze.step(state, action));
    observations.push(observation);
  }
  return observations;
}

/** The task that starts in a cell. */
function taskAt(row: number, column: number): string {
  return `maze_${doubleTTasks.findIndex(({ start }) => sameCell(start, { row, column }))}`;
}

describe('double-T maze', () => {
  it('has the free cells of the original maze', () => {
    const cells: [number, number][] = [];
    for (const column of [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]) cells.push([1, column]);
    for (const row of [2, 3, 4]) for (const column of [3, 9]) cells.push([row, column]);
    for (const column of [3, 4, 5, 6, 7, 8, 9]) cells.push([5, column]);
    for (const row of [6, 7, 8]) cells.push([row, 6]);
    expect([doubleTBoard.rows, doubleTBoard.columns]).toEqual([10, 13]);
    expect(freeCells(doubleTBoard).map(({ row, column }) => [row, column])).toEqual(cells);
    expect(doubleTBoard.goal).toEqual({ row: 8, column: 6 });
  });

  it('has 25 tasks, in row-major order of their start, the same for train and eval', () => {
    expect(whole.trainTasks).toEqual(Array.from({ length: 25 }, (_, n) => `maze_${n}`));
    expect(whole.evalTasks).toEqual(whole.trainTasks);
    expect(whole.holdout).toMatchObject({
      sameTasks: true,
      sentence: expect.stringContaining('the same 25 tasks'),
    });
    expect(whole.reset('maze_0').state.position).toEqual({ row: 1, column: 1 });
    expect(whole.reset('maze_11').state.position).toEqual({ row: 2, column: 9 });
    expect(whole.reset('maze_24').state.position).toEqual({ row: 7, column: 6 });
    expect(() => whole.reset('maze_25')).toThrow(UnknownTaskError);
  });

  it('describes one wall and several walls in the wording of the original', () => {
    expect(whole.reset(taskAt(5, 6)).observation).toBe(
      'The goal is at position 8, 6. Your current position is at position 5, 6. There is a wall above you.',
    );
    expect(whole.reset(taskAt(1, 2)).observation).toBe(
      'The goal is at position 8, 6. Your current position is at position 1, 2. There are walls above you, below you.',
    );
    expect(whole.reset(taskAt(7, 6)).observation).toBe(
      'The goal is at position 8, 6. Your current position is at position 7, 6. There are walls to your left, to your right.',
    );
    expect(whole.reset(taskAt(1, 1)).observation).toBe(
      'The goal is at position 8, 6. Your current position is at position 1, 1. There are walls above you, below you, to your left.',
    );
    expect(whole.reset(taskAt(1, 11)).observation).toBe(
      'The goal is at position 8, 6. Your current position is at position 1, 11. There are walls above you, below you, to your right.',
    );
  });

  it('changes the row for up and down, and the column for left and right', () => {
    const { state } = whole.reset(taskAt(1, 3));
    expect(whole.step(state, 'move right').state.position).toEqual({ row: 1, column: 4 });
    expect(whole.step(state, 'move left').state.position).toEqual({ row: 1, column: 2 });
    const { state: below } = whole.step(state, 'move down');
    expect(below.position).toEqual({ row: 2, column: 3 });
    expect(whole.step(below, 'move up').state.position).toEqual({ row: 1, column: 3 });
  });

  it('describes the same cell again after a blocked move', () => {
    const first = whole.reset(taskAt(5, 6));
    const after = whole.step(first.state, 'move up');
    expect(after).toMatchObject({
      observation: first.observation,
      reward: 0,
      terminated: false,
      understood: true,
    });
    expect(after.state.position).toEqual(first.state.position);
  });

  it('reports an unknown action and describes the same cell again', () => {
    const first = whole.reset(taskAt(5, 6));
    for (const action of ['dance', 'Move down', 'move  down', 'move down.', 'down', '']) {
      const after = whole.step(first.state, action);
      expect(after).toMatchObject({
        observation: `Unknown action. ${first.observation}`,
        reward: 0,
        terminated: false,
        understood: false,
      });
      expect(after.state).toEqual({ ...first.state, turn: 1 });
    }
  });

  it('ends with Success and reward 1 at the goal', () => {
    const { state } = whole.reset(taskAt(7, 6));
    const end = whole.step(state, 'move down');
    expect(end).toMatchObject({
      observation: 'Success',
      reward: 1,
      terminated: true,
      understood: true,
    });
    expect(whole.success(end.state)).toBe(true);
    expect(() => whole.step(end.state, 'move up')).toThrow(EpisodeOverError);
  });

  it('ends with Failure after 50 turns, including unknown actions', () => {
    for (const action of ['move up', 'dance']) {
      let { state } = whole.reset(taskAt(5, 6));
      for (let turn = 1; turn < 50; turn++) {
        const after = whole.step(state, action);
        expect(after.terminated).toBe(false);
        state = after.state;
      }
      const end = whole.step(state, action);
      expect(end).toMatchObject({ reward: 0, terminated: true });
      expect(end.observation).toBe(action === 'dance' ? 'Unknown action. Failure' : 'Failure');
      expect(whole.success(end.state)).toBe(false);
    }
  });

  it('succeeds when the goal is reached on the 50th turn', () => {
    let { state } = whole.reset(taskAt(7, 6));
    for (let turn = 1; turn < 50; turn++) state = whole.step(state, 'move left').state;
    expect(whole.step(state, 'move down')).toMatchObject({ observation: 'Success', reward: 1 });
  });

  it('computes shortest paths and admissible actions', () => {
    const far = whole.reset(taskAt(1, 1)).state;
    expect(doubleTBoard.distances[1 * 13 + 1]).toBe(12);
    expect(whole.expert(far).action).toBe('move right');
    expect(whole.admissibleActions(far)).toEqual(['move right']);
    const junction = whole.reset(taskAt(5, 6)).state;
    expect(whole.expert(junction).action).toBe('move down');
    expect(whole.admissibleActions(junction)).toEqual(['move down', 'move left', 'move right']);
  });

  it('gives the reason for a move: the goal, the walls, or a shortest path', () => {
    const thoughtAt = (row: number, column: number) =>
      whole.expert(whole.reset(taskAt(row, column)).state).thought;
    expect(thoughtAt(7, 6)).toBe('The goal is below. I move down.');
    expect(thoughtAt(5, 3)).toBe('The goal is below and to the right. I move right.');
    expect(thoughtAt(1, 4)).toBe('The goal is below and to the right. A shortest way goes left.');
    expect(thoughtAt(1, 5)).toBe(
      'The goal is below and to the right. Walls are in the way. I go around left.',
    );
  });

  it('states the actions and the turn limit in its instruction', () => {
    expect(whole.instruction).toMatch(
      /move up, move down, move left, move right\. You have 50 turns/,
    );
  });

  it('has one lexeme for each action and no unused lexeme', () => {
    const texts = [
      ...whole.trainTasks.map((task) => whole.reset(task).observation),
      'Success',
      'Failure',
      'Unknown action.',
    ];
    const actions = ['move up', 'move down', 'move left', 'move right'];
    expect(whole.lexicon.slice(0, 4)).toEqual(actions);
    expect(new Set(whole.lexicon).size).toBe(whole.lexicon.length);
    for (const lexeme of whole.lexicon.slice(4)) {
      expect(texts.some((text) => ` ${text} `.includes(` ${lexeme} `))).toBe(true);
    }
    expect(whole.lexicon).toContain('Your current position is at position');
    expect(createEnvironment('maze/double-t-v1').lexicon).toEqual(whole.lexicon);
  });
});

describe('locate in the double-T maze', () => {
  const locate = (text: string) => whole.locate?.(text) ?? null;
  const at = (row: number, column: number) => whole.reset(taskAt(row, column)).state;
  const goal = 'The goal is at position 8, 6. ';

  it('finds the start of every task and the end state', () => {
    for (const task of whole.trainTasks) {
      const { state, observation } = whole.reset(task);
      expect(locate(observation)).toEqual(state);
    }
    expect(locate('Success')).toEqual(whole.step(at(7, 6), 'move down').state);
    expect(partial.locate).toBeUndefined();
  });

  it("parses the original's format: walls in any order, and numbers digit by digit", () => {
    expect(
      locate(
        `${goal}Your current position is at position 1, 1. There are walls to your left, above you, below you.\n`,
      ),
    ).toEqual(at(1, 1));
    expect(
      locate(
        `${goal}Your current position is at position 1, 1 0. There are walls below you, above you.`,
      ),
    ).toEqual(at(1, 10));
    expect(locate('Your current position is at position 5, 6. There is a wall above you.')).toEqual(
      at(5, 6),
    );
  });

  it('returns the last position if a text states several', () => {
    const example = whole.reset(taskAt(2, 9)).observation;
    expect(
      locate(
        `For example: ${example} Now it begins. ${goal}Your current position is at position 5, 4.`,
      ),
    ).toEqual(at(5, 4));
  });

  it.each([
    [
      'a different goal',
      'The goal is at position 8, 7. Your current position is at position 5, 6.',
    ],
    ['a position inside a wall', `${goal}Your current position is at position 4, 6.`],
    ['a position off the board', `${goal}Your current position is at position 5, 99.`],
    [
      'walls that do not exist',
      `${goal}Your current position is at position 5, 6. There is a wall below you.`,
    ],
    ['a text without a position', 'Failure'],
  ])('returns null for %s', (_what, text) => {
    expect(locate(text)).toBe(null);
  });
});

describe('partially observed double-T maze', () => {
  it('states the walls and the last moves, including blocked ones, but not the position', () => {
    expect(play(partial, taskAt(1, 4), ['move left', 'move up', 'move down'])).toEqual([
      'There are walls above you, below you.',
      'Your last moves: left. There is a wall above you.',
      'Your last moves: left, up. There is a wall above you.',
      'Your last moves: left, up, down. There are walls to your left, to your right.',
    ]);
  });

  it('states at most 8 moves', () => {
    const back = ['move left', 'move right'];
    const observations = play(partial, taskAt(1, 5), [...back, ...back, ...back, ...back, ...back]);
    expect(observations.at(-1)).toBe(
      'Your last moves: left, right, left, right, left, right, left, right. There are walls above you, below you, to your right.',
    );
  });

  it('omits unknown actions from the history', () => {
    expect(play(partial, taskAt(1, 4), ['move left', 'dance']).at(-1)).toBe(
      'Unknown action. Your last moves: left. There is a wall above you.',
    );
  });

  it('gives reasons that do not depend on the position', () => {
    const { state } = partial.reset(taskAt(1, 1));
    expect(partial.expert(state).thought).toBe('Only one way is open. The way goes right.');
    const next = partial.step(state, 'move right').state;
    expect(partial.expert(next).thought).toBe(
      'Walls are above me and below me. I keep going right.',
    );
    expect(partial.expert(partial.reset(taskAt(5, 6)).state).thought).toBe(
      'A wall is above me. The way goes down.',
    );
  });

  it('has the same tasks and endings as the fully observed maze', () => {
    expect(partial.trainTasks).toEqual(whole.trainTasks);
    expect(partial.turnLimit).toBe(50);
    expect(play(partial, taskAt(7, 6), ['move down']).at(-1)).toBe('Success');
  });
});
