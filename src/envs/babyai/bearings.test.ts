import { describe, expect, it } from 'vitest';
import type { PlacedAction } from '../deeds.ts';
import { situation } from './actions.ts';
import { type Bearing, bearingOf, doingOf, placedActions, placeIn, reachOf } from './bearings.ts';
import { createBabyAI } from './environment.ts';
import { levels } from './levels.ts';
import { drawn } from './testing.ts';
import { type BabyAIState, startState, type World } from './world.ts';

describe('position relative to the agent', () => {
  it("depends on the agent's direction", () => {
    // A grid of 9 × 9 cells: the agent is in row 4, column 4, the object in row 1, column 6.
    const look = (direction: number) =>
      bearingOf(
        9,
        { ...startState(0, drawn('######\n## ^##\n######')), position: 40, direction },
        15,
      );
    expect([0, 1, 2, 3].map(look)).toEqual<Bearing[]>([
      { ahead: 2, right: -3 },
      { ahead: -3, right: -2 },
      { ahead: -2, right: 3 },
      { ahead: 3, right: 2 },
    ]);
  });

  it('ranges over the whole room, or up to 7 steps if there are several rooms', () => {
    expect(reachOf('babyai/goto-red-ball-v1', {})).toBe(5);
    expect(reachOf('babyai/goto-local-v1', { room_size: 6 })).toBe(3);
    expect(reachOf('babyai/goto-v1', {})).toBe(7);
  });
});

const ROOM = `
################
## . . . . . .##
## . .bo . . .##
## . . . . . .##
##ro . . . . .##
## . . .rk . .##
##ro . . ^ . .##
################`;

const place = (world: World, state: BabyAIState, reach = 7) =>
  placeIn(world, state, situation(world, state), reach);

const done = (world: World, state: BabyAIState, action: string) =>
  doingOf(world, state, situation(world, state), action);

describe('policy map of BabyAI', () => {
  const world = drawn(ROOM, (find) => [[{ kind: 'goto', targets: find('red ball') }]]);
  const start = startState(0, world);

  it('uses the nearest target', () => {
    // One red ball lies three steps to the left, the other as far to the left and two rows ahead.
    expect(place(world, start)).toEqual({ ahead: 0, right: -3 });
    expect(place(world, { ...start, direction: 2 })).toEqual({ ahead: 3, right: 0 });
    // The last square on a side includes everything beyond it.
    expect(place(world, { ...start, direction: 2 }, 2)).toEqual({ ahead: 2, right: 0 });
  });

  it('prefers a target in view to a nearer one out of view', () => {
    const two = drawn(
      '############\n##ro . . .##\n## . ^ . .##\n## .ro . .##\n## . . . .##\n############',
      (find) => [[{ kind: 'goto', targets: find('red ball') }]],
    );
    expect(place(two, startState(0, two))).toEqual({ ahead: 1, right: -1 });
    expect(place(two, { ...startState(0, two), direction: 1 })).toEqual({ ahead: 1, right: 0 });
  });

  it('distinguishes turns, steps, actions on the target or another object, and impossible actions', () => {
    const left = { ...start, direction: 2 };
    expect(done(world, start, 'turn left')).toBe('left');
    expect(done(world, start, 'turn right')).toBe('right');
    // A key lies ahead.
    expect(done(world, start, 'move forward')).toBe('nothing');
    expect(done(world, left, 'move forward')).toBe('ahead');
    expect(done(world, left, 'go to red ball 1')).toBe('it');
    expect(done(world, left, 'pick up red ball 1')).toBe('it');
    expect(done(world, start, 'pick up red key 1')).toBe('another');
    expect(done(world, start, 'go to grey ball 1')).toBe('nothing');
    // When the agent faces right, the red balls are out of sight.
    const right = { ...start, direction: 0 };
    expect(done(world, right, 'go to red ball 1')).toBe('vain');
    expect(done(world, right, 'go to blue ball 1')).toBe('nothing');
    expect(done(world, start, 'sing')).toBe('nothing');
  });

  it('uses the destination once the agent carries the object', () => {
    const putting = drawn(ROOM, (find) => [
      [{ kind: 'putnext', targets: find('red key'), fixed: find('blue ball') }],
    ]);
    const before = startState(0, putting);
    expect(place(putting, before)).toEqual({ ahead: 1, right: 0 });
    const key = putting.things.findIndex(({ kind }) => kind === 'key');
    const after = { ...before, carrying: key, cells: before.cells.with(key, -1) };
    expect(place(putting, after)).toEqual({ ahead: 4, right: -1 });
    expect(done(putting, after, 'drop')).toBe('hands');
  });
});

it('shows that the expert goes to a visible target and turns if no target is visible', () => {
  const level = levels.find(({ id }) => id === 'goto-red-ball');
  if (level === undefined) throw new Error('no such level');
  const world = createBabyAI(level);
  const seen: PlacedAction[] = [];
  const behind: PlacedAction[] = [];
  for (const task of world.trainTasks.slice(0, 40)) {
    for (let { state } = world.reset(task); !world.success(state); ) {
      const { action } = world.expert(state);
      const after = world.step(state, action).state;
      const turn = { environmentId: world.id, options: {}, before: state, action, after };
      const deeds = placedActions(turn);
      expect(deeds.length).toBe(1);
      for (const deed of deeds) {
        const [ahead = 0, right = 0] = deed.place.split(',').map(Number);
        if (ahead < 0) behind.push(deed);
        else if (Math.abs(right) <= 3) seen.push(deed);
      }
      state = after;
    }
  }
  const going = (deeds: readonly PlacedAction[]) =>
    deeds.filter(({ action }) => action === 'it').length;
  // In 2 of 40 rooms the path is blocked.
  expect(going(seen)).toBeGreaterThan(0.9 * seen.length);
  expect([behind.length > 10, going(behind)]).toEqual([true, 0]);
});
