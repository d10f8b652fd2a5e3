import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { placeFrom } from '../maze/roses.tsx';
import { view } from '../maze/view.tsx';
import { EnvironmentOptionError } from '../options.ts';
import {
  DEFAULT_DRAWING,
  drawingFault,
  readDrawing,
  SQUARES,
  survey,
  writeDrawing,
} from './drawing.ts';
import { createDrawnMaze } from './environment.ts';
import './index.ts';

const RANDOM_DRAWINGS = 10_000;

/** Mostly free squares and walls, so that many goals can be reached; the goal is placed last. */
const marks = fc.constantFrom(...'.......####S*!');
const drawings = fc
  .record({ rows: fc.integer({ min: 3, max: 15 }), columns: fc.integer({ min: 3, max: 15 }) })
  .chain(({ rows, columns }) =>
    fc.record({
      columns: fc.constant(columns),
      squares: fc.array(marks, { minLength: rows * columns, maxLength: rows * columns }),
      goal: fc.integer({ min: -1, max: rows * columns - 1 }),
    }),
  )
  .map(({ columns, squares, goal }) => {
    const all = squares.map((mark, place) => (place === goal ? SQUARES.goal : mark));
    const lines: string[] = [];
    for (let i = 0; i < all.length; i += columns) lines.push(all.slice(i, i + columns).join(''));
    return lines.join('/');
  });

describe('a drawn maze', () => {
  it('is rejected with a reason or solved by the expert from every start', () => {
    let solved = 0;
    const property = fc.property(drawings, (drawing) => {
      const fault = drawingFault(drawing);
      if (fault !== null) {
        expect(() => createDrawnMaze({ drawing })).toThrow(EnvironmentOptionError);
        return;
      }
      const environment = createDrawnMaze({ drawing });
      for (const task of environment.trainTasks) {
        let { state } = environment.reset(task);
        let terminated = false;
        while (!terminated) {
          ({ state, terminated } = environment.step(state, environment.expert(state).action));
        }
        if (!environment.success(state)) throw new Error(`${task} of ${drawing} is not solved`);
      }
      solved++;
    });
    fc.assert(property, { numRuns: RANDOM_DRAWINGS, seed: 37 });
    // Most random drawings have too many prizes or a start without a path to the goal; enough remain.
    expect(solved).toBeGreaterThan(RANDOM_DRAWINGS / 20);
  });

  it('loads or throws an EnvironmentOptionError for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: marks })), (text) => {
        const fault = drawingFault(text);
        if (fault === null || text === '') createDrawnMaze({ drawing: text });
        else expect(() => createDrawnMaze({ drawing: text })).toThrow(EnvironmentOptionError);
      }),
      { numRuns: 2000, seed: 38 },
    );
  });

  it('shows prizes and traps', () => {
    const options = { drawing: 'S.!/.*./..G' };
    const { state } = createDrawnMaze(options).reset('maze_0');
    const props = { environmentId: 'maze/drawn-v1', options, taskId: 'maze_0', state, glide: 0 };
    const markup = renderToStaticMarkup(createElement(view.Component, props));
    expect(markup).toContain('maze-prize');
    expect(markup).toContain('Traps at row 1, column 3.');
  });

  it('describes the end in a trap on the last turn as such', () => {
    const options = { drawing: 'S!./.../..G' };
    const environment = createDrawnMaze(options);
    const { state } = environment.step(environment.reset('maze_0').state, 'move right');
    const last = { ...state, turn: environment.turnLimit };
    const props = { environmentId: 'maze/drawn-v1', options, taskId: 'maze_0', glide: 0 };
    const markup = renderToStaticMarkup(createElement(view.Component, { ...props, state: last }));
    expect(markup).toContain('The agent is in a trap.');
  });

  it('ends the episode at a trap and splits half the reward among the prizes', () => {
    const environment = createDrawnMaze({ drawing: 'S*G/!../...' });
    const { state, observation } = environment.reset('maze_0');
    expect(observation).toBe(
      'The goal is at position 1, 3. Your current position is at position 1, 1. There are walls above you, to your left. There is a trap below you. A prize is at position 1, 2.',
    );
    expect(environment.step(state, 'move down')).toMatchObject({
      observation: 'Failure',
      reward: 0,
      terminated: true,
    });
    const fetched = environment.step(state, 'move right');
    expect(fetched).toMatchObject({ reward: 0.5, terminated: false });
    expect(fetched.observation).not.toContain('prize');
    const back = environment.step(environment.step(fetched.state, 'move left').state, 'move right');
    expect(back.reward).toBe(0);
    expect(environment.step(back.state, 'move right')).toMatchObject({
      observation: 'Success',
      reward: 0.5,
      terminated: true,
    });
  });

  it.each([
    ['..', 'has 1 rows; a maze has from 3 to 15'],
    ['../../..', 'has 2 columns; a maze has from 3 to 15'],
    ['.../../...', 'has 2 columns in row 2 and 3 in row 1; make all rows equally long'],
    ['..G/.x./...', 'has "x" in row 2; a square is one of # . S G * !'],
    ['.../.../...', 'has no goal; draw exactly one'],
    ['G../.../..G', 'has 2 goals; draw exactly one'],
    ['S#G/##./...', 'has a start at row 1, column 1 from which the goal cannot be reached'],
    ['G##/###/...', 'has no square from which the goal can be reached'],
    ['G***/**../....', 'has 5 prizes; draw at most 4'],
  ])('reports what is wrong with %s', (drawing, fault) => {
    expect(drawingFault(drawing)).toBe(fault);
  });

  it('may separate rows by line breaks, and is stored with slashes', () => {
    const rows = readDrawing('S..\r\n.#.\n..G\n');
    if (typeof rows === 'string') throw new Error(rows);
    expect(writeDrawing(rows)).toBe('S../.#./..G');
    expect(survey(rows)).toEqual({ starts: [0], cutOff: [], lostPrizes: [], fault: null });
  });

  it('has a default that can be played', () => {
    expect(drawingFault(DEFAULT_DRAWING)).toBeNull();
  });

  it('reports prizes that cannot be reached', () => {
    const rows = readDrawing('S.G/###/*..');
    if (typeof rows === 'string') throw new Error(rows);
    expect(survey(rows)).toMatchObject({ lostPrizes: [6], fault: null });
  });
});

describe('an arrow key on the policy map', () => {
  const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];

  it('leads to every start, adjacent or not', () => {
    const places = fc.uniqueArray(
      fc.tuple(fc.nat(5), fc.nat(5)).map(([row, column]) => `${row},${column}`),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(places, (all) => {
        const reached = new Set(all.slice(0, 1));
        for (const from of reached) {
          for (const key of keys) {
            const next = placeFrom(all, from, key);
            if (next !== undefined) reached.add(next);
          }
        }
        expect(reached.size).toBe(all.length);
      }),
    );
  });

  it('stops at a wall if single steps connect all starts', () => {
    const corner = ['1,1', '1,2', '2,1'];
    expect(placeFrom(corner, '1,1', 'ArrowRight')).toBe('1,2');
    expect(placeFrom(corner, '1,2', 'ArrowDown')).toBeUndefined();
    expect(placeFrom(['1,1', '1,2', '2,4'], '1,2', 'ArrowDown')).toBe('2,4');
  });
});
