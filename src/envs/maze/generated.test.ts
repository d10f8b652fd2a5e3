import { mersenne } from 'pure-rand/generator/mersenne';
import { describe, expect, it } from 'vitest';
import { thorough } from '../../../scripts/tier.mjs';
import { UnknownTaskError } from '../types.ts';
import { type Board, freeCells, isWall, MOVES, neighbor } from './board.ts';
import { createMaze } from './environment.ts';
import { carve, generateTask, mazeKey, mazesApart, wallsHash, wallsKey } from './generate.ts';
import { mazeScene } from './scene.ts';
import type { MazeKind, MazeState } from './variant.ts';
import { generated, generatedFirst, generatedTurnLimit } from './variants.ts';

const ID = generated.id;

/** Number of adjacent pairs of free cells. */
function edges(board: Board): number {
  const free = (row: number, column: number) => board.walls[row * board.columns + column] === 0;
  return freeCells(board)
    .map(({ row, column }) => Number(free(row + 1, column)) + Number(free(row, column + 1)))
    .reduce((sum, count) => sum + count, 0);
}

/** Follows the wall with the right hand; returns the turns to the goal, or undefined. */
function followWall(maze: ReturnType<typeof createMaze>, task: string): number | undefined {
  const clockwise = ['up', 'right', 'down', 'left'];
  let { state } = maze.reset(task);
  for (;;) {
    const facing = clockwise.indexOf(state.heading ?? 'up');
    const admissible = maze.admissibleActions(state);
    const action = [1, 0, 3, 2]
      .map((turn) => `move ${clockwise[(facing + turn) % 4]}`)
      .find((action) => admissible.includes(action));
    const after = maze.step(state, action ?? '');
    state = after.state;
    if (after.terminated) return maze.success(state) ? state.turn : undefined;
  }
}

describe('maze generator', () => {
  it.each([5, 7, 9, 15])(
    'generates trees of rooms and passages at size %s if loops are off',
    (size) => {
      const rooms = ((size + 1) / 2) ** 2;
      for (let n = 0; n < 20; n++) {
        const { board, start } = generateTask(n, size, 0, mazesApart, 'train');
        expect([board.rows, board.columns]).toEqual([size + 2, size + 2]);
        const cells = freeCells(board);
        expect(cells.length).toBe(2 * rooms - 1);
        expect(edges(board)).toBe(cells.length - 1);
        for (const { row, column } of cells) {
          expect(board.distances[row * board.columns + column]).toBeGreaterThanOrEqual(0);
          expect(Math.min(row, column)).toBeGreaterThanOrEqual(1);
          expect(Math.max(row, column)).toBeLessThanOrEqual(size);
        }
        expect(start).not.toEqual(board.goal);
        expect(board.walls[start.row * board.columns + start.column]).toBe(0);
      }
    },
  );

  it('opens the given share of the walls between rooms', () => {
    const side = (7 + 1) / 2;
    const walls = (side - 1) ** 2;
    for (const loops of [0, 34, 50, 100]) {
      const { board } = generateTask(3, 7, loops, mazesApart, 'train');
      expect(freeCells(board).length).toBe(2 * side ** 2 - 1 + Math.round((walls * loops) / 100));
    }
  });

  it('generates mostly distinct mazes', () => {
    const maze = generated.variant();
    const tasks = [...maze.trainTasks, ...maze.evalTasks];
    const mazes = new Set(tasks.map((task) => mazeKey(maze.task(Number(task.slice(5))))));
    expect(mazes.size).toBeGreaterThan(0.98 * tasks.length);
  });

  it('accepts 1024 train and 128 eval ids and no others', () => {
    const maze = createMaze(generated.variant());
    expect([maze.trainTasks.length, maze.trainTasks[0], maze.trainTasks.at(-1)]).toEqual([
      1024,
      'maze_0',
      'maze_1023',
    ]);
    expect([maze.evalTasks.length, maze.evalTasks[0], maze.evalTasks.at(-1)]).toEqual([
      128,
      'maze_100000',
      'maze_100127',
    ]);
    for (const id of ['maze_1024', 'maze_99999', 'maze_100128', 'maze_-1', 'maze_0.5', 'maze_00']) {
      expect(() => maze.reset(id)).toThrow(UnknownTaskError);
    }
  });

  it('sets a turn limit that is just enough for wall following', () => {
    expect(generatedTurnLimit(7)).toBe(60);
    for (const size of [5, 7, 9]) {
      const maze = createMaze(generated.variant({ size }));
      const turns = maze.evalTasks.map((task) => followWall(maze, task));
      expect(turns).not.toContain(undefined);
      // The longest walk nearly reaches the limit, so a tighter limit would be too low for some mazes.
      expect(Math.max(...turns.map((t) => t ?? 0))).toBeGreaterThanOrEqual(0.9 * maze.turnLimit);
    }
  });

  it('starts each observation with the last move that was not blocked', () => {
    const maze = createMaze(generatedFirst.variant());
    const { state, observation } = maze.reset('maze_100003');
    expect(observation).toBe(
      'The goal is above you, to your left. There are walls below you, to your right.',
    );
    const corridor =
      'The goal is above you, to your left. There are walls to your left, to your right.';
    const up = maze.step(state, 'move up');
    expect(up.observation).toBe(`You moved up. ${corridor}`);
    const blocked = maze.step(up.state, 'move left');
    expect(blocked.observation).toBe(`You moved up. ${corridor}`);
    expect(maze.step(blocked.state, 'dance').observation).toBe(
      `Unknown action. You moved up. ${corridor}`,
    );
  });

  it('gives expert reasons that are true in every cell', () => {
    const maze = generated.variant({ size: 7, loops: 30 });
    const { expert, reset, step } = createMaze(maze);
    for (const task of maze.trainTasks.slice(0, 100)) {
      let { state } = reset(task);
      for (let terminated = false; !terminated; ) {
        const { board } = maze.task(state.task);
        const { goal } = board;
        const { row, column } = state.position;
        const { thought, action } = expert(state);
        const directions = [
          ['above', goal.row < row, 'up'],
          ['below', goal.row > row, 'down'],
          ['to the left', goal.column < column, 'left'],
          ['to the right', goal.column > column, 'right'],
        ] as const;
        const [sentence = ''] = thought.split('.');
        for (const [words, lies] of directions) expect(sentence.includes(words)).toBe(lies);
        const towards = directions.filter(([, lies]) => lies).map(([, , move]) => move);
        const walled = towards.every((move) => isWall(board, neighbor(state.position, move)));
        expect(/in the way/.test(thought)).toBe(walled);
        const leads = towards.some((move) => action === `move ${move}`);
        expect(/I move/.test(thought)).toBe(leads);
        ({ state, terminated } = step(state, action));
      }
    }
  });

  it('states in the observation that no walls are near', () => {
    const open = createMaze(generated.variant({ size: 7, loops: 100 }));
    const texts = open.trainTasks.map((task) => open.reset(task).observation);
    const cross = texts.find((text) => text.endsWith('There are no walls near you.'));
    expect(cross).toBeDefined();
  });
});

/** Counts evaluation mazes and walls that also occur in training, over the first `most` tasks. */
function shownIn(kind: MazeKind, options: { size: number; loops: number }, most = 1024) {
  const { task, trainTasks, evalTasks, holdout } = kind.variant(options);
  const numbers = (tasks: readonly string[]) =>
    tasks.slice(0, most).map((id) => Number(id.slice('maze_'.length)));
  const train = numbers(trainTasks).map(task);
  const evaluation = numbers(evalTasks).map(task);
  const known = new Set(train.map(mazeKey));
  const walls = new Set(train.map(({ board }) => board.walls.join('')));
  const turned = new Set(train.map(({ board }) => wallsKey(board.walls)));
  return {
    mazes: evaluation.filter((maze) => known.has(mazeKey(maze))).length,
    walls: evaluation.filter(({ board }) => walls.has(board.walls.join(''))).length,
    turned: evaluation.filter(({ board }) => turned.has(wallsKey(board.walls))).length,
    holdout,
  };
}

/** For each possible number of remaining walls between rooms, a value of `loops` that leaves that many. */
function loopsBySize(size: number): (readonly [left: number, loops: number])[] {
  const closed = ((size - 1) / 2) ** 2;
  return [
    ...new Map(
      Array.from({ length: 101 }, (_, loops) => [
        closed - Math.round((closed * loops) / 100),
        loops,
      ]),
    ),
  ];
}

describe('maze holdout', () => {
  it.each([5, 7, 9, 11, 13, 15])(
    'excludes evaluation walls from training at size %s, in any rotation or reflection',
    (size) => {
      const kinds = loopsBySize(size);
      expect(kinds.length).toBe(Math.min(101, ((size - 1) / 2) ** 2 + 1));
      for (const [i, [left, loops]] of kinds.entries()) {
        // Checks all tasks where mazes are likely to repeat; two large mazes rarely match.
        const all = size === 5 || left <= 2 || loops === 0;
        if (!all && !thorough && i % 3 > 0) continue;
        const { holdout, ...shown } = shownIn(generated, { size, loops }, all ? 1024 : 24);
        const [, walls] = holdout.aspects;
        if (left > 0 && walls?.apart) {
          expect({ size, loops, ...shown }).toEqual({ size, loops, mazes: 0, walls: 0, turned: 0 });
          expect(holdout.sentence).toMatch(/^No training maze has the walls/);
        } else {
          // All inner walls are open, so all mazes have the same walls.
          expect([left, shown.mazes, walls?.apart]).toEqual([0, 0, false]);
          expect(holdout.sentence).toMatch(/all mazes have the same walls/);
        }
      }
    },
  );

  it('lets most evaluation walls occur in training in the first version, as its holdout sentence states', () => {
    const { holdout, ...shown } = shownIn(generatedFirst, { size: 7, loops: 75 });
    expect(shown).toEqual({ mazes: 0, walls: 124, turned: 128 });
    expect(holdout.sentence).toMatch(/the walls alone do recur/);
  });

  it('hashes walls independently of rotation and reflection', () => {
    const side = 9;
    const walls = carve(7, 40, mersenne(3));
    const at = (row: number, column: number) => walls[row * side + column] ?? 0;
    const image = (from: (row: number, column: number) => number) =>
      Uint8Array.from({ length: side ** 2 }, (_, i) => from(Math.floor(i / side), i % side));
    const last = side - 1;
    const images = [
      walls,
      image((row, column) => at(row, last - column)),
      image((row, column) => at(last - row, column)),
      image((row, column) => at(last - row, last - column)),
      image((row, column) => at(column, row)),
      image((row, column) => at(column, last - row)),
      image((row, column) => at(last - column, row)),
      image((row, column) => at(last - column, last - row)),
    ];
    expect(new Set(images.map((walls) => walls.join(''))).size).toBe(8);
    expect(new Set(images.map(wallsHash)).size).toBe(1);
    expect(new Set(images.map(wallsKey)).size).toBe(1);
    expect(wallsKey(carve(7, 40, mersenne(4)))).not.toBe(wallsKey(walls));
  });
});

describe('mazeScene', () => {
  it('contains walls, goal, start and path, including in the first version', () => {
    const maze = createMaze(generatedFirst.variant());
    let { state } = maze.reset('maze_100003');
    const at = (scene: ReturnType<typeof mazeScene>) => [scene.agent, scene.visited];

    const first = mazeScene(generatedFirst.id, {}, 'maze_100003');
    expect(at(first)).toEqual([{ row: 7, column: 5 }, [{ row: 7, column: 5 }]]);
    expect([first.rows, first.columns, first.turnLimit]).toEqual([9, 9, 60]);
    expect(first.goal).toEqual({ row: 4, column: 1 });
    expect(first.walls[7]?.[5]).toBe(false);
    expect(first.walls[7]?.[6]).toBe(true);
    expect(first.distances[4]?.[1]).toBe(0);
    expect(first.distances[0]?.[0]).toBe(null);

    for (const action of ['move up', 'move left', 'dance', 'move down']) {
      state = maze.step(state, action).state;
    }
    const later = mazeScene(generatedFirst.id, {}, 'maze_100003', state);
    expect(later.visited).toEqual([
      { row: 7, column: 5 },
      { row: 6, column: 5 },
      { row: 7, column: 5 },
    ]);
    expect([later.turn, later.outcome]).toEqual([4, 'running']);
  });

  it('reports success and failure', () => {
    const maze = createMaze(generated.variant());
    const endOf = (act: (state: MazeState) => string) => {
      let { state } = maze.reset('maze_5');
      for (;;) {
        const after = maze.step(state, act(state));
        state = after.state;
        if (after.terminated) return mazeScene(ID, {}, 'maze_5', state);
      }
    };
    const solved = endOf((state) => maze.expert(state).action);
    expect(solved.outcome).toBe('success');
    expect(solved.agent).toEqual(solved.goal);
    expect(solved.visited.at(-1)).toEqual(solved.goal);
    expect(endOf(() => 'dance').outcome).toBe('failure');
  });

  it('agrees with the environment in every position', () => {
    const maze = createMaze(generated.variant({ size: 5, loops: 50 }));
    let { state } = maze.reset('maze_8');
    for (let turn = 0; turn < 25; turn++) {
      const after = maze.step(state, `move ${MOVES[(turn * 7 + (turn >> 2)) % 4]}`);
      state = after.state;
      const scene = mazeScene(ID, { size: 5, loops: 50 }, 'maze_8', state);
      expect(scene.visited.at(-1)).toEqual(state.position);
      for (const move of MOVES) {
        const { row, column } = neighbor(state.position, move);
        if (after.terminated) continue;
        const open = maze.admissibleActions(state).includes(`move ${move}`);
        expect(scene.walls[row]?.[column]).toBe(!open);
      }
      if (after.terminated) break;
    }
  });

  it('rejects unknown ids and states of other tasks', () => {
    const { state } = createMaze(generated.variant()).reset('maze_1');
    expect(() => mazeScene('maze/none', {}, 'maze_1')).toThrow('maze/none');
    expect(() => mazeScene(ID, {}, 'maze_5000')).toThrow(UnknownTaskError);
    expect(() => mazeScene(ID, {}, 'maze_2', state)).toThrow(UnknownTaskError);
  });
});
